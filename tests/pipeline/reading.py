"""Text layers read in this process, page by page."""

from pathlib import Path

import pypdfium2

from pipeline.textlayer import read_page
from pipeline.types import Page


def read_pages(path: Path) -> list[Page]:
    """The pages of a PDF, their words in reading order."""
    with pypdfium2.PdfDocument(path) as document:
        drafts = [read_page(document.raw, number) for number in range(1, len(document) + 1)]
    return [Page(draft.number, draft.width, draft.height, draft.words, "text", "text layer") for draft in drafts]
