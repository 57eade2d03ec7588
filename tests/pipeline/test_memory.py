import os
import subprocess
import sys
import textwrap

import pytest

from pipeline.memory import _libc

PROGRAM = """
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path
    from pipeline.memory import give_back, share_arena

    def used():
        return int(Path("/proc/self/statm").read_text().split()[1]) * {page}

    def work(number):
        blocks = [bytes(20_000) for _ in range(2_000)]
        return len(blocks)

    share_arena()
    before = used()
    for _ in range(4):  # as many pools of threads as documents
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(8)))
    give_back()
    print(used() - before)
"""


@pytest.mark.skipif(_libc() is None, reason="the C library is not glibc")
def test_what_threads_have_freed_is_given_back() -> None:
    program = textwrap.dedent(PROGRAM.format(page=os.sysconf("SC_PAGE_SIZE")))
    left = int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout)
    assert left < 20_000_000
