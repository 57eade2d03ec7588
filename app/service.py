"""What the routes share: readers in a bounded pool of threads, and the one worker that owns the model."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from threading import Event
from typing import BinaryIO, Generic, TypeVar

from starlette.requests import Request

from app.batcher import Batcher, NotReadyError, Predictor
from app.errors import Problem
from app.reading import Reader, StoppedError
from app.settings import Settings
from models.registry import pick
from pipeline.answer import Answer
from pipeline.scratch import scratch_folder
from pipeline.types import Document, Prediction, Summary

T = TypeVar("T")
Found = TypeVar("Found", Prediction, Summary)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file a client sent, its name made harmless."""

    name: str
    data: bytes
    password: str | None


@dataclass(frozen=True, slots=True)
class Timed(Generic[Found]):
    """A document, what the model said of it, and where the seconds went."""

    document: Document
    found: Found
    seconds: Answer


class Service:
    """Answers uploads. Nothing here blocks the event loop; what a vanished client asked for is given up."""

    def __init__(self, settings: Settings, load: Callable[[], Predictor]) -> None:
        self.settings = settings
        self.batcher = Batcher(load, settings.batch)
        self._reader = Reader(settings.ingest())
        self._pool = ThreadPoolExecutor(settings.readers, thread_name_prefix="read")

    def start(self) -> None:
        """Begin to load the model."""
        self.batcher.start()

    async def stop(self) -> None:
        """Give up what is being read, and let the model finish what it was given."""
        self._reader.stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self.batcher.stop)

    async def answer(
        self, request: Request, upload: Upload, ask: Callable[[Document], Awaitable[Found]]
    ) -> Timed[Found]:
        """Read the upload, then ask the model, by one of the batcher's methods.

        Raises NotReadyError, Problem and pipeline.errors.DocumentError.
        """
        self.batcher.model()
        gone = Event()
        try:
            return await _unless_gone(request, self._answer(upload, ask, gone))
        finally:
            gone.set()

    async def export(self, request: Request, upload: Upload, format: str) -> BinaryIO:
        """Read the upload and write it in a format of `pipeline.export`, to a file that is gone once it is closed.

        Raises Problem, pipeline.errors.DocumentError and, when the service is stopping, NotReadyError.
        """
        gone = Event()
        try:
            work = asyncio.get_running_loop().run_in_executor(self._pool, self._export, upload, format, gone)
            return await _unless_gone(request, work)
        except StoppedError as error:
            raise NotReadyError("The service is stopping.") from error
        finally:
            gone.set()

    def check_schema(self, schema: str) -> None:
        """Raise Problem where the model has no such schema, NotReadyError where there is no model yet."""
        schemas = self.batcher.model().schemas
        if schema != "auto" and schema not in schemas:
            raise Problem("unknown_schema", f"There is no schema {schema!r}; there are: {', '.join(schemas)}.")

    def check_decoder(self) -> None:
        """Raise Problem where the model cannot summarise, NotReadyError where there is no model yet."""
        if "summarize" not in self.batcher.model().tasks:
            raise Problem("no_decoder")

    async def _answer(self, upload: Upload, ask: Callable[[Document], Awaitable[Found]], gone: Event) -> Timed[Found]:
        started = time.perf_counter()
        loop = asyncio.get_running_loop()
        try:
            document, reading = await loop.run_in_executor(self._pool, self._read, upload, gone)
        except StoppedError as error:
            raise NotReadyError("The service is stopping.") from error
        found = await ask(document)
        total = time.perf_counter() - started
        waiting = max(0.0, total - reading - found.seconds)
        seconds = {"reading": reading, "waiting": waiting, "model": found.seconds, "total": total}
        return Timed(document, found, {stage: round(spent, 4) for stage, spent in seconds.items()})

    def _read(self, upload: Upload, gone: Event) -> tuple[Document, float]:
        started = time.perf_counter()
        document = self._reader.upload(upload.data, upload.name, upload.password, gone)
        return document, time.perf_counter() - started

    def _export(self, upload: Upload, format: str, gone: Event) -> BinaryIO:
        with ExitStack() as unless_done, scratch_folder() as folder:
            path = folder / "document"
            path.write_bytes(upload.data)
            document = self._reader.upload(path, upload.name, upload.password, gone)
            target = unless_done.enter_context(TemporaryFile())
            with self._reader.original(path, upload.password) as original:
                pick("pipeline.export", format).write(document, original, target)
            target.seek(0)
            unless_done.pop_all()
            return target


def harmless(name: str | None) -> str:
    """The last part of a file's name, printable, at most 255 characters; "document" where nothing is left."""
    last = PurePosixPath((name or "").replace("\\", "/")).name
    return "".join(character for character in last if character.isprintable())[:255] or "document"


async def _unless_gone(request: Request, work: Awaitable[T]) -> T:
    """Await the work, or give it up with the problem `client_gone` when the client closes its connection."""
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Problem("client_gone")
    finally:
        task.cancel()
        watch.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
