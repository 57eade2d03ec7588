"""Plain text: lines as they stand on the page, an empty line between paragraphs, a form feed between pages."""

from typing import BinaryIO

from pipeline.export._lines import parts
from pipeline.reader import Source
from pipeline.types import Document, Page

MEDIA_TYPE = "text/plain; charset=utf-8"
EXTENSION = ".txt"


def write(document: Document, original: Source | None, target: BinaryIO) -> None:
    """One text in UTF-8; a page without words is an empty one."""
    for number, page in enumerate(document.pages):
        target.write((("\f" if number else "") + _text(page)).encode())


def _text(page: Page) -> str:
    return "\n".join("".join(line.text + "\n" for line in paragraph) for paragraph in parts(page))
