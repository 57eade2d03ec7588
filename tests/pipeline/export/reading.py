"""What the tests of the formats share: a document, the bytes it is written as, and an outside reader of PDFs."""

import html
import re
import subprocess
import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from types import ModuleType

from pipeline.kinds import kind_of
from pipeline.limits import Limits
from pipeline.reader import Source
from pipeline.types import Box, Document, Page, Word

_FOUND = re.compile(r'<word xMin="(.+)" yMin="(.+)" xMax="(.+)" yMax="(.+)">(.*)</word>')


def words(*texts: str, x: float = 72, y: float = 100, confidence: float = 1.0) -> tuple[Word, ...]:
    """Words one after the other on a line, 50 points wide and 12 high, with gaps of 10."""
    boxes = (Box(x + 60 * i, y, x + 60 * i + 50, y + 12) for i in range(len(texts)))
    return tuple(Word(text, box, confidence) for text, box in zip(texts, boxes, strict=True))


BODY = (
    *words("Title", y=60),
    *words("first", "line"),
    *words("next", "<line>", y=116),
    *words("after", "gap", y=160, confidence=0.5),
)
LAST = words("head", y=30) + words("body", "\x02Договор\ufffe", "\x0c") + words("7", y=760)
DOCUMENT = Document(
    'a "contract" & more\x01.pdf',
    "0" * 64,
    (
        Page(1, 612, 792, BODY, "ocr", "no text layer"),
        Page(2, 612, 792, failure="timed_out"),
        Page(3, 612, 792, LAST, "text", header=1, footer=1),
    ),
)


def source(path: Path, password: str | None = None) -> Source:
    """A file to be opened in a child; whatever is written goes beside it."""
    limits = Limits()
    end = time.monotonic() + limits.document_seconds
    return Source(path, kind_of(path.read_bytes()), path.parent, limits, end, password)


def written(writer: ModuleType, document: Document, original: Source | None = None) -> bytes:
    """What a format file writes of a document."""
    target = BytesIO()
    writer.write(document, original, target)
    return target.getvalue()


def pdftotext(path: Path, *options: str) -> str:
    """What poppler reads in a PDF."""
    command = ["pdftotext", *options, str(path), "-"]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()


def found(path: Path, *options: str) -> list[Word]:
    """The words poppler finds in a PDF, and where, on the page as displayed."""
    matches = _FOUND.finditer(pdftotext(path, "-bbox", "-cropbox", *options))
    return [Word(html.unescape(text), Box(*map(float, box))) for *box, text in (match.groups() for match in matches)]


def assert_same_places(ours: Sequence[Word], theirs: Sequence[Word], within: float = 0.5) -> None:
    """The words of both in any order, no edge further apart than so many points."""
    assert sorted(word.text for word in ours) == sorted(word.text for word in theirs)
    for word, other in zip(sorted(ours), sorted(theirs), strict=True):
        assert all(abs(a - b) <= within for a, b in zip(word.box, other.box, strict=True)), (word, other)
