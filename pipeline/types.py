"""The types a document passes through, one per stage. Frozen and free of torch.

    bytes → Document → EncodedDocument(s) → Batch → Prediction(s) or Summary

`EncodedDocument` lives beside its maker in `pipeline.encode`, `Batch` in `models.batch`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, Literal, NamedTuple

Source = Literal["text", "ocr", "none"]
Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
_TASKS = {"classify": "classify", "label": "extract", "generate": "summarize"}  # what a head of each kind is for


def tasks_of(heads: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What a model with these heads can do, sorted."""
    return tuple(sorted({_TASKS[head["kind"]] for head in heads if head["kind"] in _TASKS}))


class Box(NamedTuple):
    """A rectangle in points (1/72 inch), origin top-left, on the page as displayed; x0 ≤ x1 and y0 ≤ y1."""

    x0: float
    y0: float
    x1: float
    y1: float


def around(boxes: Iterable[Box]) -> Box:
    """The box around some boxes, at least one."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return Box(min(x0), min(y0), max(x1), max(y1))


class Word(NamedTuple):
    """One word as it stands on the page; confidence is 1.0 from a text layer, the engine's own (0–1) from OCR."""

    text: str
    box: Box
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Page:
    """One page in reading order.

    number: counted from 1.  width, height: in points, as displayed.
    source, reason: where the words came from and why ("text layer", "no text layer", "garbled text layer", …).
    failure: an error code where the page could not be read; such a page has no words and still counts.
    header, footer: how many of the first and of the last words run on from page to page.
    rotation: degrees clockwise (0, 90, 180 or 270) by which the scan had to be turned to be read; boxes are not turned.
    skew: degrees by which the scan's lines fall to the right of level (clockwise), which was undone likewise.
    notes: what else was done so that the page could be read, or was left out, in a few words each.
    part: the attachment the page belongs to, where the file is a mail.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...] = ()
    source: Source = "none"
    reason: str = ""
    failure: str | None = None
    header: int = 0
    footer: int = 0
    rotation: int = 0
    skew: float = 0.0
    notes: tuple[str, ...] = ()
    part: str | None = None

    @property
    def upright_size(self) -> tuple[float, float]:
        """Width and height, in points, once it is turned so that it can be read."""
        return (self.height, self.width) if self.rotation % 180 else (self.width, self.height)

    def upright(self, box: Box) -> Box:
        """The box on the page once it is turned so that it can be read."""
        match self.rotation:
            case 90:
                return Box(self.height - box.y1, box.x0, self.height - box.y0, box.x1)
            case 180:
                return Box(self.width - box.x1, self.height - box.y1, self.width - box.x0, self.height - box.y0)
            case 270:
                return Box(box.y0, self.width - box.x1, box.y1, self.width - box.x0)
            case _:
                return box


@dataclass(frozen=True)
class Document:
    """A whole document: every page of the file, in order, the unreadable ones included.

    notes: what had to be done to the file as a whole ("repaired", …), in a few words each.
    """

    name: str
    sha256: str
    pages: tuple[Page, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def offsets(self) -> tuple[float, ...]:
        """Where each page begins in document coordinates: the heights of the pages before it, upright, in points."""
        ends = accumulate((page.upright_size[1] for page in self.pages), initial=0.0)
        return tuple(islice(ends, len(self.pages)))

    @property
    def pages_failed(self) -> int:
        """How many pages could not be read."""
        return sum(page.failure is not None for page in self.pages)

    @property
    def pages_read(self) -> int:
        """How many pages were read; with `pages_failed` this makes up all of them."""
        return len(self.pages) - self.pages_failed


class WordRef(NamedTuple):
    """A word of a document: indices (from 0) into `document.pages` and into that page's `words`."""

    page: int
    word: int


class Value(NamedTuple):
    """A normalised value: its one written form ("2017-02-10", "7 years"), and its parts where it has any."""

    text: str
    parts: Mapping[str, Json] | None = None


class PageBox(NamedTuple):
    """A box and the number (from 1) of the page it is on."""

    page: int
    box: Box


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing the document says, and where.

    text: as it stands in the document.  value: normalised, None where the normaliser could not read it.
    boxes: one per line of text.  confidence: 0–1.
    """

    label: str
    text: str
    value: Value | None
    confidence: float
    boxes: tuple[PageBox, ...]

    @property
    def page(self) -> int:
        """The page (from 1) it begins on."""
        return self.boxes[0].page


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the document the answer rests on: `pages_read + pages_failed == pages`."""

    pages: int
    pages_read: int
    pages_failed: int
    tokens: int
    windows: int


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was found in one document.

    scores: every class's probability, best first; empty where no class was asked for.
    multi_label: whether the model may give a document several classes or none; each probability is then its own.
    schema: the extraction schema used, None where no entities were asked for or the class has none.
    """

    name: str
    sha256: str
    coverage: Coverage
    scores: Mapping[str, float]
    schema: str | None
    entities: tuple[Entity, ...]
    model: str
    seconds: float
    multi_label: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The document's classes: the likeliest, or where it may have several all that are likelier than not."""
        if self.multi_label:
            return tuple(label for label, score in self.scores.items() if score > 0.5)
        return tuple(islice(self.scores, 1))

    @property
    def label(self) -> str | None:
        """The one class of the document; None where it may have several."""
        return None if self.multi_label else next(iter(self.scores), None)

    @property
    def confidence(self) -> float | None:
        """The probability of `label`."""
        return None if self.label is None else self.scores[self.label]


@dataclass(frozen=True, slots=True)
class Summary:
    """A document in short, as a model put it into words; it may be wrong. text: empty for a document without words."""

    name: str
    sha256: str
    coverage: Coverage
    text: str
    model: str
    seconds: float
