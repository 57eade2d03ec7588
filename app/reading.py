"""How this installation reads a document: ingestion with its settings, and a way to give up half way."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from pipeline.ingest import IngestSettings, ingest
from pipeline.types import Document


class StoppedError(RuntimeError):
    """Nobody waits for the document any more; reading it was given up between two pages."""


@dataclass(frozen=True)
class Reader:
    """Reads documents from any thread. Setting `stopped` ends all its readings at their next page."""

    settings: IngestSettings
    password: str | None = None
    stopped: Event = field(default_factory=Event)

    def file(self, path: Path) -> Document:
        """Read a file. Raises pipeline.errors.DocumentError, OSError, StoppedError."""
        return ingest(path, path.name, self.settings, self.password, self._on_page)

    def upload(self, data: bytes, name: str, password: str | None, gone: Event) -> Document:
        """Read bytes a client sent, unless it is `gone`. Raises pipeline.errors.DocumentError, StoppedError."""

        def on_page(done: int, pages: int) -> None:
            if gone.is_set():
                raise StoppedError
            self._on_page(done, pages)

        on_page(0, 0)
        return ingest(data, name, self.settings, password, on_page)

    def _on_page(self, done: int, pages: int) -> None:
        if self.stopped.is_set():
            raise StoppedError
