"""Text without pages → a document, as a typewriter would lay it out; so that layout means something there too."""

import hashlib
import operator
import re
from collections.abc import Iterator
from itertools import dropwhile, groupby, islice

from pipeline.types import Box, Document, Page, Word

_WIDTH, _HEIGHT, _MARGIN = 612.0, 792.0, 72.0  # US Letter with margins of an inch, in points
_COLUMN, _LINE, _SIZE = 6.0, 12.0, 10.0  # Courier at 10 points
_COLUMNS, _LINES = int((_WIDTH - 2 * _MARGIN) / _COLUMN), int((_HEIGHT - 2 * _MARGIN) / _LINE)
_BLANK_LINES = 2  # text made from web pages has dozens in a row

_Line = list[tuple[int, str]]  # (column, word)


def plain_document(name: str, text: str) -> Document:
    """The document with the words of a text on letter pages of 54 lines and 78 columns.

    Line breaks, indents and tabs are kept, longer lines wrapped, and of many blank lines two; a form feed ends a page.
    A text without words has one blank page. What UTF-8 cannot write becomes "?".
    """
    content = text.encode("utf-8", "replace")
    filled = [lines for part in content.decode().split("\f") for lines in _filled(_lines(part))]
    pages = tuple(_page(number, lines) for number, lines in enumerate(filled or [[]], start=1))
    return Document(name, hashlib.sha256(content).hexdigest(), pages)


def _lines(text: str) -> Iterator[_Line]:
    """The typed lines, from the first with a word to the last; a blank one is empty."""
    typed = (line for written in text.rstrip().splitlines() for line in _wrapped(written.expandtabs()))
    for is_blank, run in groupby(dropwhile(operator.not_, typed), key=operator.not_):
        yield from islice(run, _BLANK_LINES if is_blank else None)


def _wrapped(written: str) -> Iterator[_Line]:
    """The lines that one takes: a word that does not fit begins the next."""
    line: _Line = []
    column = end = 0
    for found in re.finditer(r"\S+", written):
        column, end = column + found.start() - end, found.end()
        if column + len(found[0]) > _COLUMNS and (line or column):
            if line:
                yield line
            line, column = [], 0
        line.append((column, found[0]))
        column += len(found[0])
    yield line


def _filled(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    """The lines of each page."""
    while page := list(islice(lines, _LINES)):
        yield page


def _page(number: int, lines: list[_Line]) -> Page:
    words = tuple(Word(text, _box(row, column, len(text))) for row, line in enumerate(lines) for column, text in line)
    return Page(number, _WIDTH, _HEIGHT, words, "text" if words else "none", "plain text" if words else "blank page")


def _box(row: int, column: int, length: int) -> Box:
    """A word longer than a line ends at the margin."""
    left, top = _MARGIN + column * _COLUMN, _MARGIN + row * _LINE
    return Box(left, top, min(left + length * _COLUMN, _WIDTH - _MARGIN), top + _SIZE)
