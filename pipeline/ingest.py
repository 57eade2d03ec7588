"""READ FIRST. Bytes → Document.

    bytes ─ check ─→ private file ─ child process ─→ page drafts ─ decide ─→ text layer ──────────────→ Page
                                                                        └──→ render → OCR (one a core) ─→ Page

1. The content is checked (`reader.kind_of`): size, and type by its first bytes.
2. A child process that can be killed opens it (`reader`, `reader_child`) and streams one draft a page (`textlayer`,
   words already in reading order by `merge`).
3. Each page's text layer is trusted or not (`decide`).
4. Pages that are not trusted are drawn (`render`) and read by an OCR engine (`ocr/`), each page an independent job in
   one of the machine's OCR slots (`slots`). A page that fails keeps its place and says why; the rest is read.
"""

import hashlib
import importlib
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from pipeline.decide import Decision, Draft, decide
from pipeline.errors import DocumentError, EmptyFile, OcrUnavailable, TimedOut, TooLarge, TooManyPages
from pipeline.reader import Kind, borrowed_child, kind_of
from pipeline.render import render
from pipeline.slots import cores, slot
from pipeline.types import Box, Document, Page, Word

_HEAD = 2048
_LETTER = (612.0, 792.0)


@dataclass(frozen=True)
class IngestSettings:
    """How documents are read, and how far.

    ocr: where the text layer is bad, for all pages, or not at all.  engine: a file of `pipeline/ocr`.
    languages: as Tesseract writes them.  dpi: of the pictures given to OCR.
    page_seconds, document_seconds: wall-clock limits.  memory_bytes: address space of the reader process.
    """

    ocr: Literal["auto", "always", "never"] = "auto"
    engine: str = "tesseract"
    languages: str = "eng"
    dpi: int = 200
    max_bytes: int = 500_000_000
    max_pages: int = 5_000
    page_seconds: float = 60.0
    document_seconds: float = 3_600.0
    memory_bytes: int = 2_000_000_000


def ingest(
    data: bytes | Path,
    name: str,
    settings: IngestSettings = IngestSettings(),
    password: str | None = None,
    on_page: Callable[[int, int], None] | None = None,
) -> Document:
    """Read a whole PDF, PNG, JPEG or TIFF. Thread-safe.

    on_page: told (pages done, pages in all) after every page, in the caller's thread.
    Raises one of `pipeline.errors`; where single pages fail, `Document.pages_failed` counts them.
    """
    with tempfile.TemporaryDirectory(prefix="longleaf-") as scratch:
        path = _as_file(data, Path(scratch), settings.max_bytes)
        with path.open("rb") as stream:
            kind = kind_of(stream.read(_HEAD))
        job = _Job(path, kind, settings, password, Path(scratch))
        pages = _read(job, on_page or (lambda done, total: None))
        return Document(name, file_hash(path), pages)


def file_hash(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class _Job:
    """One document being read."""

    path: Path
    kind: Kind
    settings: IngestSettings
    password: str | None
    scratch: Path
    start: float = field(default_factory=time.monotonic)

    def seconds_left(self) -> float:
        """What is left of the document's time; TimedOut where nothing is."""
        left = self.start + self.settings.document_seconds - time.monotonic()
        if left <= 0:
            raise TimedOut(f"Reading the document took longer than {self.settings.document_seconds:g} seconds.")
        return left


def _as_file(data: bytes | Path, scratch: Path, max_bytes: int) -> Path:
    """The document as a file, its size checked."""
    size = len(data) if isinstance(data, bytes) else data.stat().st_size
    if size == 0:
        raise EmptyFile("The file is empty.")
    if size > max_bytes:
        raise TooLarge(f"The file has {size:,} bytes; at most {max_bytes:,} are read.")
    if isinstance(data, Path):
        return data.resolve()
    path = scratch / "document"
    path.write_bytes(data)
    return path


def _read(job: _Job, on_page: Callable[[int, int], None]) -> tuple[Page, ...]:
    """All pages in order. OCR of the first pages runs while the later ones are still being opened."""
    pages: dict[int, Page] = {}
    waiting: dict[Future[Page], int] = {}
    total = 0
    executor = ThreadPoolExecutor(cores(), thread_name_prefix="ocr")
    try:
        for total, draft in _drafts(job):
            decision = decide(draft, job.settings.ocr)
            if decision.source == "ocr":
                engine = pick_engine(job.settings.engine)
                waiting[executor.submit(_recognise, job, engine, draft, decision)] = draft.number
                continue
            words = draft.words if decision.source == "text" else ()
            pages[draft.number] = Page(draft.number, draft.width, draft.height, words, decision.source, decision.reason)
            on_page(len(pages), total)
        for future in as_completed(waiting):
            pages[waiting[future]] = future.result()
            on_page(len(pages), total)
    finally:
        executor.shutdown(cancel_futures=True)
    return tuple(pages[number] for number in sorted(pages))


def _drafts(job: _Job) -> Iterator[tuple[int, Draft]]:
    """(pages in all, draft) for every page of the file."""
    request = {
        "task": "read",
        "path": str(job.path),
        "kind": job.kind,
        "password": job.password,
        "first": 1,
        "memory_bytes": job.settings.memory_bytes,
    }
    with borrowed_child() as child:
        replies = child.ask(request, job.settings.page_seconds, job.seconds_left())
        total = next(replies)["pages"]
        if total > job.settings.max_pages:
            raise TooManyPages(f"The document has {total:,} pages; at most {job.settings.max_pages:,} are read.")
        for reply in replies:
            yield total, _draft(reply)


def _draft(reply: dict[str, Any]) -> Draft:
    """A page as the child tells of it."""
    if "failure" in reply:
        return Draft(reply["page"], *_LETTER)
    words = tuple(Word(text, Box(*box)) for text, *box in reply.get("words", ()))
    return Draft(
        reply["page"],
        reply["width"],
        reply["height"],
        words,
        reply.get("unmapped", 0.0),
        reply.get("images", 1.0),
        reply.get("marks", True),
    )


def pick_engine(name: str) -> ModuleType:
    """The OCR engine of that name; OcrUnavailable where there is none."""
    names = sorted(file.stem for file in (Path(__file__).parent / "ocr").glob("*.py") if file.stem != "__init__")
    if name not in names:
        raise OcrUnavailable(f"There is no OCR engine {name}; there are {', '.join(names)}.")
    return importlib.import_module(f"pipeline.ocr.{name}")


def _recognise(job: _Job, engine: ModuleType, draft: Draft, decision: Decision) -> Page:
    """The page by OCR; where that fails, a page that says why. OcrUnavailable and the document's end of time pass."""
    try:
        with slot():
            words = _ocr(job, engine, draft)
    except OcrUnavailable:
        raise
    except DocumentError as error:
        job.seconds_left()
        return Page(draft.number, draft.width, draft.height, (), "none", decision.reason, error.code)
    return Page(draft.number, draft.width, draft.height, words, "ocr", decision.reason)


def _ocr(job: _Job, engine: ModuleType, draft: Draft) -> tuple[Word, ...]:
    """The words the engine finds, boxes in points."""
    seconds = min(job.settings.page_seconds, job.seconds_left())
    image = render(
        job.path,
        job.kind,
        draft.number,
        (draft.width, draft.height),
        job.settings.dpi,
        seconds,
        job.settings.memory_bytes,
        job.password,
        job.scratch,
    )
    across, down = draft.width / image.width, draft.height / image.height
    return tuple(
        word._replace(
            box=Box(
                round(word.box.x0 * across, 2),
                round(word.box.y0 * down, 2),
                round(word.box.x1 * across, 2),
                round(word.box.y1 * down, 2),
            )
        )
        for word in engine.recognise(image, job.settings.languages)
    )
