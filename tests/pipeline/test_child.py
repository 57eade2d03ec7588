import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.child import Child, borrowed_child
from pipeline.errors import CorruptDocument, OutOfMemory, OutOfScratch, TimedOut, TooLarge
from pipeline.limits import Limits
from tests.pipeline.writing import saved, text_pdf

LIMITS = Limits()


def child_of(program: str) -> Child:
    """A child that runs `program` once it was asked something."""
    return Child([sys.executable, "-c", "import os, signal, sys, time\nsys.stdin.readline()\n" + program])


def ask(child: Child, limits: Limits = LIMITS, **request: object) -> list[dict[str, object]]:
    return list(child.ask(dict(request), limits, 10.0))


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(true: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not true():
        time.sleep(0.05)
    return true()


def test_replies_come_one_by_one_and_the_child_is_used_again(tmp_path: Path) -> None:
    path = str(saved(tmp_path, text_pdf([["one"], ["two"]])))
    child = Child()
    for _ in range(2):
        replies = ask(child, task="read", path=path, kind="pdf", password=None, first=1)
        assert [reply.get("pages", reply.get("number")) for reply in replies] == [2, 1, 2]
        assert child.idle
    child.kill()


def test_a_child_that_hangs_is_killed_with_all_it_started() -> None:
    child = child_of(
        "import subprocess\n"
        "grandchild = subprocess.Popen(['sleep', '60'])\n"
        "print('{\"grandchild\": %d}' % grandchild.pid, flush=True)\n"
        "time.sleep(60)"
    )
    started = time.monotonic()
    replies = child.ask({}, Limits(page_seconds=1.0), 60.0)
    grandchild = next(replies)["grandchild"]
    with pytest.raises(TimedOut):
        next(replies)
    assert time.monotonic() - started < 10
    assert not child.idle
    assert wait_until(lambda: not is_alive(grandchild) or "Z" in Path(f"/proc/{grandchild}/stat").read_text())


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", CorruptDocument),
        ("os.kill(os.getpid(), signal.SIGXCPU)", TimedOut),
        ("os.kill(os.getpid(), signal.SIGKILL)", OutOfMemory),
        ("sys.exit(1)", CorruptDocument),
        ("os.abort()", OutOfMemory),
    ],
)
def test_a_child_that_dies_says_what_of(program: str, error: type[Exception]) -> None:
    child = child_of(program)
    with pytest.raises(error):
        ask(child)
    assert not child.idle


GREEDY = """
import sys
import pipeline.child_main as child
child._TASKS["hog"] = lambda request: iter([{"size": len(bytearray(900_000_000))}])
child._TASKS["fill"] = lambda request: iter([{"written": open(request["path"], "wb").write(bytes(2_000_000))}])
child._TASKS["talk"] = lambda request: iter([{"text": "x" * 2_000_000}])
child.main()
"""
SMALL = Limits(memory_bytes=800_000_000, scratch_bytes=1_000_000, reply_bytes=1_000_000, max_pixels=1_000_000)


@pytest.mark.parametrize(("task", "error"), [("hog", OutOfMemory), ("fill", OutOfScratch), ("talk", TooLarge)])
def test_a_child_keeps_within_its_limits(tmp_path: Path, task: str, error: type[Exception]) -> None:
    child = Child([sys.executable, "-c", GREEDY])
    with pytest.raises(error):
        ask(child, SMALL, task=task, path=str(tmp_path / "written"))
    assert child.idle or task == "talk"
    child.kill()


def test_a_child_still_busy_is_not_lent_again() -> None:
    with borrowed_child() as first:
        replies = first.ask({"task": "read", "path": "/none", "kind": "pdf", "password": None, "first": 1}, Limits(), 9)
        with pytest.raises(CorruptDocument):
            next(replies)
    with borrowed_child() as again:
        assert again is first
        again.idle = False
    with borrowed_child() as other:
        assert other is not first


def test_children_end_with_their_parent_however_it_ends() -> None:
    program = """
        from pipeline.child import Child
        child = Child()
        print(child._process.pid, flush=True)
        input()
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout
    child = int(parent.stdout.readline())
    assert is_alive(child)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert wait_until(lambda: not is_alive(child))
