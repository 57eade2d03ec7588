"""At most one OCR job per core, over all threads and all processes of this user on the machine.

A slot is a locked file; the lock goes with the process that holds it, so a killed process gives its slot back.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import TimedOut

_PAUSE = 0.02


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def slots_folder() -> Path:
    """The folder of this user's slot files."""
    return Path(tempfile.gettempdir()) / f"longleaf-ocr-slots-{os.getuid()}"


@contextmanager
def slot(seconds: float) -> Iterator[None]:
    """Wait for one of the machine's slots, at most so many seconds, and hold it; TimedOut where none was free."""
    folder = slots_folder()
    folder.mkdir(mode=0o700, exist_ok=True)
    file = _take([folder / str(index) for index in range(cores())], time.monotonic() + seconds)
    try:
        yield
    finally:
        # Unlocked by name: a process forked meanwhile holds the same open file and would keep the lock.
        fcntl.flock(file, fcntl.LOCK_UN)
        os.close(file)


def _take(paths: list[Path], end: float) -> int:
    """The descriptor of the first slot file that can be locked before `end` (on the monotonic clock)."""
    while time.monotonic() < end:
        for path in paths:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
            else:
                return file
        time.sleep(_PAUSE)
    raise TimedOut("The machine was busy with the OCR of other documents for longer than the limit.")
