"""Foreign bytes are opened only in a child process that can be killed: its parent's side.

A child is kept and used for many documents. It runs in its own process group under limits of memory and CPU time, and
is killed, and another one started when needed, as soon as it dies, hangs or has done its share of work.
"""

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from pipeline.errors import CorruptDocument, DocumentError, NotADocument, OutOfMemory, TimedOut

Kind = Literal["pdf", "image"]
_ROOT = Path(__file__).resolve().parents[1]
_MAX_REQUESTS = 200
_MAX_IDLE = 4
_CHUNK = 1 << 16
_PDF_HEADER_WITHIN = 1024


def kind_of(head: bytes) -> Kind:
    """The type of a file by its first bytes (1,024 or more); NotADocument where it is none that is read."""
    if head.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")):
        return "image"
    if b"%PDF-" in head[:_PDF_HEADER_WITHIN]:
        return "pdf"
    raise NotADocument("The file is none of PDF, PNG, JPEG and TIFF.")


def errors_by_code() -> dict[str, type[DocumentError]]:
    """Every kind of document error by its code."""
    return {kind.code: kind for kind in DocumentError.__subclasses__()}


class Child:
    """One reader process. Not thread-safe: whoever takes it from the pool has it alone."""

    def __init__(self) -> None:
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pipeline.reader_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,
        )
        self._rest = b""
        self.requests = 0
        self.idle = True

    def ask(self, request: dict[str, Any], reply_seconds: float, total_seconds: float) -> Iterator[dict[str, Any]]:
        """The replies to a request, as they come, without the final one.

        Raises the document error the child tells of, TimedOut when a reply or the whole takes too long, OutOfMemory
        or CorruptDocument when the child dies of it. Unless the replies end well, the child is not idle again.
        """
        self.requests += 1
        self.idle = False
        end = time.monotonic() + total_seconds
        self._send(json.dumps({**request, "cpu_seconds": total_seconds}).encode() + b"\n", request["memory_bytes"])
        while True:
            reply = json.loads(self._line(min(end, time.monotonic() + reply_seconds), request["memory_bytes"]))
            if "end" in reply:
                self.idle = True
            if "error" in reply:
                raise errors_by_code().get(reply["error"], CorruptDocument)(reply["message"])
            if "end" in reply:
                return
            yield reply

    def kill(self) -> int:
        """End the process and all it started; the most memory it held, in bytes."""
        with_group = self._process.pid
        try:
            os.killpg(with_group, signal.SIGKILL)
        except ProcessLookupError:
            pass
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass
        if self._process.returncode is None:
            try:
                _, status, usage = os.wait4(self._process.pid, 0)
            except ChildProcessError:
                return 0
            self._process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_maxrss * 1024
        return 0

    def _send(self, line: bytes, memory_bytes: int) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError:
            self._died(memory_bytes)

    def _line(self, deadline: float, memory_bytes: int) -> bytes:
        """The next line from the child; TimedOut after the deadline (on the monotonic clock)."""
        assert self._process.stdout is not None
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            ready, _, _ = select.select([self._process.stdout], [], [], max(deadline - time.monotonic(), 0.0))
            if not ready:
                self.kill()
                raise TimedOut("Reading the document took longer than the limit.")
            chunk = os.read(self._process.stdout.fileno(), _CHUNK)
            if not chunk:
                self._died(memory_bytes)
            parts.append(chunk)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def _died(self, memory_bytes: int) -> None:
        """Raise what fits a child that ended by itself."""
        peak = self.kill()
        code = self._process.returncode
        if code == -signal.SIGXCPU:
            raise TimedOut("Reading the document took longer than the limit.")
        if code == -signal.SIGKILL or peak > memory_bytes // 2:
            raise OutOfMemory("Reading the document needed more memory than the limit.")
        raise CorruptDocument("The document is damaged in a way that stopped its reader.")


class _Pool:
    """Idle children of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Child] = []

    def take(self) -> Child:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Child()

    def give(self, child: Child) -> None:
        """Keep the child for the next document, unless it is busy, worn out or one too many."""
        with self._lock:
            if child.idle and child.requests < _MAX_REQUESTS and len(self._idle) < _MAX_IDLE:
                self._idle.append(child)
                return
        child.kill()

    def close(self) -> None:
        """End all idle children."""
        with self._lock:
            children, self._idle = self._idle, []
        for child in children:
            child.kill()

    def forget(self) -> None:
        """After a fork: the children belong to the parent process."""
        self.__init__()  # type: ignore[misc]


_pool = _Pool()
atexit.register(_pool.close)
os.register_at_fork(after_in_child=_pool.forget)


@contextmanager
def borrowed_child() -> Iterator[Child]:
    """A child process from this process's pool, for one request at a time."""
    child = _pool.take()
    try:
        yield child
    finally:
        _pool.give(child)
