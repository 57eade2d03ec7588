"""A PDF that can be searched: the original, with invisible text over the pages that were read by OCR.

Where all pages have text of their own, or nothing was read by OCR, it is the original byte for byte.
"""

import json
import shutil
from typing import BinaryIO
from uuid import uuid4

from pipeline.errors import NotADocument
from pipeline.export._lines import clean
from pipeline.reader import Source
from pipeline.types import Document, Page

MEDIA_TYPE = "application/pdf"
EXTENSION = ".pdf"


def write(document: Document, original: Source | None, target: BinaryIO) -> None:
    """A PDF, made in a child process. An encrypted one keeps its passwords and permissions.

    Raises NotADocument where the original is neither a PDF nor an image, and what `Source.ask` raises.
    """
    if original is None or original.kind not in ("pdf", "image"):
        raise NotADocument("Only PDFs and images can be made PDFs that can be searched.")
    if original.kind == "pdf" and not any(page.source == "ocr" and page.words for page in document.pages):
        with original.path.open("rb") as stream:
            shutil.copyfileobj(stream, target)
        return
    pages, result = (original.scratch / f"export-{uuid4().hex}{ending}" for ending in (".json", ".pdf"))
    try:
        pages.write_text(json.dumps([_page(page) for page in document.pages]), "utf-8")
        for _ in original.ask("export", pages=str(pages), target=str(result)):
            pass
        with result.open("rb") as stream:
            shutil.copyfileobj(stream, target)
    finally:
        pages.unlink(missing_ok=True)
        result.unlink(missing_ok=True)


def _page(page: Page) -> dict[str, object]:
    """What the child is told of a page: words only where they are not on the page already."""
    words = ((clean(word.text), word.box) for word in page.words if page.source == "ocr")
    return {
        "width": page.width,
        "height": page.height,
        "rotation": page.rotation,
        "words": [(text, *box) for text, box in words if text],
    }
