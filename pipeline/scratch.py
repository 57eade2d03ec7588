"""Private folders for what is written while a document is read: gone when it is read, and after a crash too.

Each folder has a locked file beside it. The lock goes with the process that holds it, so whoever comes first to a
folder without one knows that nobody uses it, and takes it away.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

_LOCK = ".lock"
_swept: set[Path] = set()


def scratch_root() -> Path:
    """The folder of this user's private folders. PermissionError where it is somebody else's."""
    root = Path(tempfile.gettempdir()) / f"longleaf-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    if root.is_symlink() or root.stat().st_uid != os.getuid():
        raise PermissionError(f"{root} belongs to somebody else.")
    return root


@contextmanager
def scratch_folder(root: Path | None = None) -> Iterator[Path]:
    """A new folder of one's own, removed in the end. The first one of a process sweeps `root`."""
    root = root or scratch_root()
    if root not in _swept:
        _swept.add(root)
        sweep(root)
    lock, folder = _locked(root)
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        _remove(folder)
        os.close(lock)


def sweep(root: Path) -> int:
    """Remove the folders of processes that are no more; how many there were."""
    removed = 0
    for path in root.glob(f"*{_LOCK}"):
        with suppress(OSError):  # another process is quicker
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(path.with_suffix(""))
                removed += 1
            finally:
                os.close(file)
    return removed


def _locked(root: Path) -> tuple[int, Path]:
    """The descriptor of a new locked file in `root`, and the folder that it stands for."""
    while True:
        folder = root / uuid4().hex
        path = folder.with_suffix(_LOCK)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with suppress(OSError):  # a sweep came between the last two lines
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists():
                return file, folder
        os.close(file)


def _remove(folder: Path) -> None:
    """The folder first, then the file that says whose it is."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():  # else the next sweep tries again
        folder.with_suffix(_LOCK).unlink(missing_ok=True)
