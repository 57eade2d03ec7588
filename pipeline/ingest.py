"""READ FIRST. Bytes → Document.

    bytes ─ check ─→ file ─ child process ─→ drafts ─ decide ─→ text layer ──────────────────────→ Page
                                                         └────→ render → OCR (one process a core) ─→ Page

1. The content is checked: size, and type by its first bytes (`reader.kind_of`).
2. A child process that can be killed (`child`, `child_main`) opens the file; `reader` gets one draft a page from it:
   the words of the text layer (`textlayer`) in reading order (`merge`).
3. Each page's text layer is trusted or not (`decide`).
4. Pages that are not trusted are drawn (`render`) and read by an OCR engine (`ocr/`), each page an independent job in
   one of the machine's OCR slots (`slots`). A page that fails keeps its place and says why; the rest is read.
"""

import hashlib
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Literal

from models.registry import names, pick
from pipeline.decide import Decision, Draft, decide
from pipeline.errors import DocumentError, EmptyFile, OcrUnavailable, TooLarge
from pipeline.reader import Source, drafts, kind_of
from pipeline.render import render
from pipeline.slots import cores, slot
from pipeline.types import Box, Document, Page, Word

_HEAD = 2048
_ENGINES = "pipeline.ocr"
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
    with TemporaryDirectory(prefix="longleaf-") as folder:
        path = _as_file(data, Path(folder), settings.max_bytes)
        with path.open("rb") as stream:
            kind = kind_of(stream.read(_HEAD))
        end = time.monotonic() + settings.document_seconds
        source = Source(path, kind, password, settings.page_seconds, end, settings.memory_bytes)
        pages = _read(source, settings, on_page or (lambda done, total: None))
        return Document(name, file_hash(path), pages)


def file_hash(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def pick_engine(name: str) -> ModuleType:
    """The OCR engine of that name; OcrUnavailable where there is none."""
    if name not in names(_ENGINES):
        raise OcrUnavailable(f"There is no OCR engine {name}; there are {', '.join(names(_ENGINES))}.")
    return pick(_ENGINES, name)


def _as_file(data: bytes | Path, folder: Path, max_bytes: int) -> Path:
    """The document as a file, its size checked; bytes are written to `folder`."""
    size = len(data) if isinstance(data, bytes) else data.stat().st_size
    if size == 0:
        raise EmptyFile("The file is empty.")
    if size > max_bytes:
        raise TooLarge(f"The file has {size:,} bytes; at most {max_bytes:,} are read.")
    if isinstance(data, Path):
        return data.resolve()
    path = folder / "document"
    path.write_bytes(data)
    return path


def _read(source: Source, settings: IngestSettings, on_page: Callable[[int, int], None]) -> tuple[Page, ...]:
    """All pages in order. OCR of the first pages runs while the later ones are still being opened."""
    pages: dict[int, Page] = {}
    waiting: list[Future[Page]] = []
    total = 0
    executor = ThreadPoolExecutor(cores(), thread_name_prefix="ocr")
    try:
        for total, draft in drafts(source, settings.max_pages):
            decision = decide(draft, settings.ocr)
            if decision.source == "ocr":
                engine = pick_engine(settings.engine)
                waiting.append(executor.submit(_recognise, source, settings, engine, draft, decision))
            else:
                pages[draft.number] = _page(draft, decision)
                on_page(len(pages), total)
        for future in as_completed(waiting):
            page = future.result()
            pages[page.number] = page
            on_page(len(pages), total)
    finally:
        executor.shutdown(cancel_futures=True)
    return tuple(pages[number] for number in sorted(pages))


def _page(draft: Draft, decision: Decision) -> Page:
    """The page as its text layer has it."""
    words = draft.words if decision.source == "text" else ()
    width, height = (draft.width, draft.height) if draft.width else _LETTER
    return Page(draft.number, width, height, words, decision.source, decision.reason, draft.failure)


def _recognise(source: Source, settings: IngestSettings, engine: ModuleType, draft: Draft, decision: Decision) -> Page:
    """The page by OCR; where that fails, a page that says why. A missing engine or the document's time limit raise."""
    try:
        with slot(source.seconds_left()):
            image = render(source, draft, settings.dpi)
            width, height = draft.width, draft.height
            if not width:
                width, height = image.width * 72.0 / settings.dpi, image.height * 72.0 / settings.dpi
            found = engine.recognise(image, settings.languages)
    except OcrUnavailable:
        raise
    except DocumentError as error:
        source.seconds_left()
        return _page(replace(draft, failure=error.code), Decision("none", decision.reason))
    words = tuple(_scaled(word, width / image.width, height / image.height) for word in found)
    return Page(draft.number, width, height, words, "ocr", decision.reason)


def _scaled(word: Word, across: float, down: float) -> Word:
    """The word with its box in points; across, down: points a pixel."""
    x0, y0, x1, y1 = word.box
    box = Box(round(x0 * across, 2), round(y0 * down, 2), round(x1 * across, 2), round(y1 * down, 2))
    return word._replace(box=box)
