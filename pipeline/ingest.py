"""READ FIRST. Bytes → Document.

    bytes ─ check ─→ file ─ parts ─ child process ─→ drafts ─ decide ─→ text layer ───────────────────→ Page
                                                                  └──→ render → OCR (one page a core) ─→ Page

1. The content is checked: size, and type by its first bytes (`kinds`).
2. A mail is its attachments, a Word file the PDF made of it; a damaged PDF is repaired (`parts`).
3. A child process that can be killed (`child`, `child_main`) opens the file; `reader` gets one draft a page from it:
   the words of the text layer (`textlayer`) in reading order (`merge`).
4. Each page's text layer is trusted or not (`decide`).
5. Pages that are not trusted are drawn (`render`), straightened and read by an OCR engine (`scan`, `ocr/`), each page
   an independent job in one of the machine's OCR slots (`slots`). A page that fails keeps its place and says why; the
   rest is read.
6. Headers and footers are recognised by running on from page to page (`furniture`).

All under `limits`, with one private folder for whatever is written (`scratch`).
"""

import hashlib
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Literal

from models.registry import names, pick
from pipeline.decide import POOR_LAYER, STAMPED, Decision, decide
from pipeline.errors import CorruptDocument, DocumentError, EmptyFile, OcrUnavailable, TooLarge
from pipeline.furniture import mark
from pipeline.limits import Limits
from pipeline.memory import give_back, share_arena
from pipeline.parts import Opened, opened, parts_of
from pipeline.reader import Source, open_source
from pipeline.render import render
from pipeline.scan import read_scan
from pipeline.scratch import scratch_folder
from pipeline.slots import cores, slot
from pipeline.types import Box, Document, Page, Word

log = logging.getLogger("longleaf.ingest")

_ENGINES = "pipeline.ocr"
_LETTER = (612.0, 792.0)


@dataclass(frozen=True)
class IngestSettings:
    """How documents are read, and how far.

    ocr: where the text layer is bad, for all pages, or not at all.  hidden: whether a scan's invisible text layer is
    trusted, or redone where it is poor.  engine: a file of `pipeline/ocr`.  languages: as Tesseract writes them.
    dpi: of the pictures given to OCR.
    """

    ocr: Literal["auto", "always", "never"] = "auto"
    hidden: Literal["trust", "redo"] = "redo"
    engine: str = "tesseract"
    languages: str = "eng"
    dpi: int = 200
    limits: Limits = field(default_factory=Limits)


def ingest(
    data: bytes | Path,
    name: str,
    settings: IngestSettings = IngestSettings(),
    password: str | None = None,
    on_page: Callable[[Page, int, int], None] = lambda page, done, total: None,
) -> Document:
    """Read a whole document of one of the types of `pipeline.kinds`. Thread-safe.

    on_page: given each page as soon as it is read, which for OCR is in no order, with (pages done, pages in all), in
    the caller's thread; headers and footers are not marked yet.
    Raises one of `pipeline.errors`; where single pages fail, `Document.pages_failed` counts them.
    """
    limits = settings.limits
    share_arena()
    with scratch_folder() as folder:
        path = _as_file(data, folder, limits.max_bytes)
        source = open_source(path, folder, limits, password)
        notes: list[str] = []
        pages = _read(source, settings, notes, on_page)
        _check_any_read(pages)
        return Document(name, file_hash(path), mark(pages), tuple(notes))


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


def _read(
    source: Source, settings: IngestSettings, notes: list[str], on_page: Callable[[Page, int, int], None]
) -> tuple[Page, ...]:
    """All pages in order. OCR of the first pages runs while the later ones are still being opened."""
    pages: dict[int, Page] = {}
    waiting: dict[Future[Page], None] = {}
    total = 0

    def done(page: Page, total: int) -> None:
        pages[page.number] = page
        on_page(page, len(pages), total)

    executor = ThreadPoolExecutor(cores(), thread_name_prefix="ocr")
    try:
        for total, page in opened(parts_of(source, notes), settings.limits.max_pages, notes):
            decision = decide(page.draft, settings.ocr, settings.hidden)
            if page.is_lost:
                done(_failed(page, CorruptDocument.code, "content lost"), total)
            elif decision.source == "ocr":
                engine = pick_engine(settings.engine)
                waiting[executor.submit(_recognise, page, settings, engine, decision)] = None
            else:
                done(_page(page, decision), total)
            for future in [future for future in waiting if future.done()]:
                waiting.pop(future)
                done(future.result(), total)
        for future in as_completed(waiting):
            done(future.result(), total)
    finally:
        executor.shutdown(cancel_futures=True)
        if any(page.source == "ocr" for page in pages.values()):
            give_back()
    return tuple(pages[number] for number in sorted(pages))


def _check_any_read(pages: tuple[Page, ...]) -> None:
    """Raise what the first page failed of, where all failed."""
    if all(page.failure for page in pages):
        kinds = {kind.code: kind for kind in DocumentError.__subclasses__()}
        kind = kinds.get(str(pages[0].failure), CorruptDocument)
        count = f"None of the {len(pages)} pages can" if len(pages) > 1 else "The only page cannot"
        raise kind(f"{count} be read. {kind.__doc__}")


def _page(opened: Opened, decision: Decision) -> Page:
    """The page as its text layer has it."""
    draft = opened.draft
    words = draft.words if decision.source == "text" else ()
    width, height = (draft.width, draft.height) if draft.width else _LETTER
    return Page(
        opened.number,
        width,
        height,
        words,
        decision.source,
        decision.reason,
        draft.failure,
        part=opened.part.name,
    )


def _recognise(opened: Opened, settings: IngestSettings, engine: ModuleType, decision: Decision) -> Page:
    """The page by OCR; where that fails, a page that says why. A missing engine raises."""
    draft, source = opened.draft, opened.part.source
    try:
        with slot(source.seconds_left()):
            image, notes = render(source, draft, settings.dpi)
            scan = read_scan(image, engine, settings.languages, source.limits.page_seconds)
    except OcrUnavailable:
        raise
    except DocumentError as error:
        return _failed(opened, draft.failure or error.code, decision.reason)
    except Exception:  # of any of the libraries that look at pictures
        log.exception("page %d could not be read in a way that was not foreseen", opened.number)
        return _failed(opened, CorruptDocument.code, decision.reason)
    if draft.words and not scan.words and decision.reason in (STAMPED, POOR_LAYER):
        return replace(_page(opened, Decision("text", decision.reason)), notes=(*notes, "OCR found nothing"))
    width, height = draft.width, draft.height
    if not width:
        width, height = image.width * 72.0 / settings.dpi, image.height * 72.0 / settings.dpi
    return replace(
        _page(opened, decision),
        width=width,
        height=height,
        words=tuple(_scaled(word, width / image.width, height / image.height) for word in scan.words),
        failure=None,
        rotation=scan.rotation,
        skew=scan.skew,
        notes=(*notes, *scan.notes),
    )


def _failed(opened: Opened, code: str, reason: str) -> Page:
    """The page without a word, and the code of what it failed of."""
    return replace(_page(opened, Decision("none", reason)), failure=code)


def _scaled(word: Word, across: float, down: float) -> Word:
    """The word with its box in points; across, down: points a pixel."""
    x0, y0, x1, y1 = word.box
    box = Box(round(x0 * across, 2), round(y0 * down, 2), round(x1 * across, 2), round(y1 * down, 2))
    return word._replace(box=box)
