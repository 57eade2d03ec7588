"""How this installation reads a document: ingestion with its settings, and a way to give up half way."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from pipeline.ingest import IngestSettings, ingest
from pipeline.reader import Source, open_source
from pipeline.scratch import scratch_folder
from pipeline.types import Document, Page


class StoppedError(RuntimeError):
    """Nobody waits for the document any more; reading it was given up between two pages."""


@dataclass(frozen=True)
class Reader:
    """Reads documents from any thread. Setting `stopped` ends all its readings at their next page.

    watchers: told of every page of a file as soon as it is read, with (pages done, pages in all), in whatever thread
    reads it.
    """

    settings: IngestSettings
    password: str | None = None
    stopped: Event = field(default_factory=Event)
    watchers: list[Callable[[Page, int, int], None]] = field(default_factory=list)

    def file(self, path: Path) -> Document:
        """Read a file. Raises pipeline.errors.DocumentError, OSError, StoppedError."""

        def on_page(page: Page, done: int, pages: int) -> None:
            self._check()
            for watch in self.watchers:
                watch(page, done, pages)

        return ingest(path, path.name, self.settings, self.password, on_page)

    def upload(self, data: bytes | Path, name: str, password: str | None, gone: Event) -> Document:
        """Read what a client sent, unless it is `gone`. Raises pipeline.errors.DocumentError, StoppedError."""

        def check(*page: object) -> None:
            if gone.is_set():
                raise StoppedError
            self._check()

        check()
        return ingest(data, name, self.settings, password, check)

    @contextmanager
    def original(self, path: Path, password: str | None = None) -> Iterator[Source]:
        """A file that was read, to be opened again for what is written of it."""
        with scratch_folder() as folder:
            yield open_source(path.resolve(), folder, self.settings.limits, password or self.password)

    def _check(self) -> None:
        if self.stopped.is_set():
            raise StoppedError
