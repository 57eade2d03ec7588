"""Whether the text layer of a page is to be trusted, or the page is to be read by OCR; and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.types import Word

_MAX_UNMAPPED = 0.2
_MAX_BAD_CHARACTERS = 0.05
_MIN_LETTERS = 150
_SCAN = 0.5
_HEADER_WORDS = 60


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as its file gives it, before it is decided where its words come from.

    width, height: in points, as displayed.  words: of the text layer, in reading order.
    unmapped: share (0–1) of characters whose font says not which letter they are.
    images: share (0–1) of the page under images.  marks: whether anything but text is drawn on it.
    failure: error code where the reader could not read it.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...] = ()
    unmapped: float = 0.0
    images: float = 1.0
    marks: bool = True
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a page's words come from, and why in a few words."""

    source: Literal["text", "ocr", "none"]
    reason: str


def decide(draft: Draft, ocr: Literal["auto", "always", "never"]) -> Decision:
    """The source of the page's words under the setting `ocr`."""
    if ocr == "always":
        return Decision("ocr", "OCR asked for")
    fault = fault_of(draft)
    if fault is None:
        return Decision("text", "text layer")
    if fault == "blank page":
        return Decision("none", fault)
    if ocr == "never":
        return Decision("text" if draft.words else "none", f"{fault}, OCR switched off")
    return Decision("ocr", fault)


def fault_of(draft: Draft) -> str | None:
    """What is wrong with the page's text layer; None where it is good."""
    if not draft.words:
        return "no text layer" if draft.marks else "blank page"
    if draft.unmapped > _MAX_UNMAPPED or is_garbled([word.text for word in draft.words]):
        return "garbled text layer"
    if draft.images >= _SCAN and len(draft.words) < _HEADER_WORDS and _covers_little(draft):
        return "scan with a header or footer only"
    return None


def is_garbled(words: Sequence[str]) -> bool:
    """Whether the text cannot be what stands on the page: characters of no meaning, or letters no language has so."""
    text = "".join(words)
    bad = sum(character == "\ufffd" or "\ue000" <= character <= "\uf8ff" for character in text)
    return bad > _MAX_BAD_CHARACTERS * len(text)


def _covers_little(draft: Draft) -> bool:
    """Whether the words lie in the top and bottom margins only, or cover next to nothing of the page."""
    middle = [word for word in draft.words if 0.15 * draft.height < word.box.y0 < 0.85 * draft.height]
    return len(middle) <= 0.2 * len(draft.words)
