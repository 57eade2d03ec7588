"""Foreign bytes are opened only in a child process that can be killed. This is its parent's side.

A child (`pipeline.child_main`) is kept and used for many documents. It runs in its own process group under limits of
memory and CPU time. As soon as it dies, hangs or has done its share it is killed; another one is started when needed.
"""

import atexit
import json
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from pipeline.errors import CorruptDocument, DocumentError, OutOfMemory, TimedOut, TooLarge
from pipeline.limits import Limits

log = logging.getLogger("longleaf.child")

COMMAND = (sys.executable, "-m", "pipeline.child_main")
_ROOT = Path(__file__).resolve().parents[1]
_MAX_REQUESTS = 200
_MAX_IDLE = 4
_CHUNK = 1 << 16


class Child:
    """One reader process. Not thread-safe: whoever takes it from the pool has it alone.

    command: of a program that answers as `pipeline.child_main` does.
    requests: how many it was asked.  idle: whether it is ready for the next one.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._requests, self._replies = self._process.stdin, self._process.stdout
        self._rest = b""
        self.requests = 0
        self.idle = True

    def ask(self, request: dict[str, Any], limits: Limits, total_seconds: float) -> Iterator[dict[str, Any]]:
        """The replies to a request, as they come.

        Raises the document error the child tells of, TimedOut when a reply or the whole takes too long, TooLarge when
        a reply is too long, OutOfMemory or CorruptDocument when the child dies of it. Unless the replies end well, the
        child is not idle again.
        """
        self.requests += 1
        self.idle = False
        end = time.monotonic() + total_seconds
        bounds = {
            "cpu_seconds": total_seconds,
            "memory_bytes": limits.memory_bytes,
            "file_bytes": limits.scratch_bytes,
            "max_pixels": limits.max_pixels,
        }
        self._send({**request, **bounds})
        while True:
            line = self._line(min(end, time.monotonic() + limits.page_seconds), limits.reply_bytes)
            reply = json.loads(line)
            self.idle = "end" in reply
            if "trace" in reply:
                log.info("a reader failed with %s in a way that was not foreseen:\n%s", request["task"], reply["trace"])
            if "error" in reply:
                raise _error(reply["error"], reply["message"])
            if self.idle:
                return
            yield reply

    @property
    def is_alive(self) -> bool:
        """Whether its process is still there."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the process and all it started."""
        self.idle = False
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(BrokenPipeError):
            self._requests.close()
        self._replies.close()
        self._process.wait()

    def _send(self, request: dict[str, Any]) -> None:
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
        except BrokenPipeError:
            self._died()

    def _line(self, deadline: float, most: int) -> bytes:
        """The next line from the child; TimedOut after the deadline (on the monotonic clock), TooLarge for a line of
        more than `most` bytes."""
        parts, size = [self._rest], len(self._rest)
        while b"\n" not in parts[-1]:
            poll = select.poll()
            poll.register(self._replies, select.POLLIN)
            if not poll.poll(max(deadline - time.monotonic(), 0.0) * 1000):
                self.kill()
                raise TimedOut("Reading the document took longer than the limit.")
            chunk = os.read(self._replies.fileno(), _CHUNK)
            if not chunk:
                self._died()
            parts.append(chunk)
            size += len(chunk)
            if size > most:
                self.kill()
                raise TooLarge(f"A page holds more text than the limit of {most:,} bytes.")
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def _died(self) -> NoReturn:
        """Raise what fits a child that ended by itself."""
        code = self._process.wait()
        self.kill()
        if code == -signal.SIGXCPU:
            raise TimedOut("Reading the document took longer than the limit.")
        # Killed by the kernel, or by itself since an allocation failed.
        if code in (-signal.SIGKILL, -signal.SIGABRT):
            raise OutOfMemory("Reading the document needed more memory than the limit.")
        raise CorruptDocument("The document is damaged in a way that stopped its reader.")


def _error(code: str, message: str) -> DocumentError:
    """The document error of that code."""
    kinds = {kind.code: kind for kind in DocumentError.__subclasses__()}
    return kinds.get(code, CorruptDocument)(message)


class Pool:
    """Idle children of this process. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        atexit.register(self.close)
        os.register_at_fork(after_in_child=self._forget)

    def take(self) -> Child:
        """A child to have alone."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.is_alive:
                    return child
                child.kill()
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

    def _forget(self) -> None:
        """After a fork: the children belong to the parent process, and a lock may be held that nobody will release."""
        self._lock = threading.Lock()
        self._idle = []


_pool = Pool()


def close_children() -> None:
    """End this process's idle children; the next document starts another."""
    _pool.close()


@contextmanager
def borrowed_child() -> Iterator[Child]:
    """A child process from this process's pool, for one request at a time."""
    child = _pool.take()
    try:
        yield child
    finally:
        _pool.give(child)
