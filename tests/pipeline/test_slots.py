import subprocess
import sys
from threading import Thread

import pytest

from pipeline.errors import TimedOut
from pipeline.slots import cores, slot

HOLD_ALL = """
from contextlib import ExitStack
from pipeline.slots import cores, slot
with ExitStack() as stack:
    for _ in range(cores()):
        stack.enter_context(slot(30))
    print("held", flush=True)
    input()
"""


def test_a_process_that_is_killed_gives_its_slots_back() -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD_ALL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(TimedOut), slot(0.2):
        pass
    holder.kill()
    holder.wait()
    with slot(30):
        pass


def test_a_thread_waits_for_the_slot_of_another() -> None:
    order: list[str] = []

    def wait() -> None:
        with slot(30):
            order.append("waited")

    threads = [Thread(target=wait) for _ in range(3 * cores())]
    with slot(30):
        for thread in threads:
            thread.start()
        order.append("held")
    for thread in threads:
        thread.join()
    assert order.count("waited") == len(threads)
