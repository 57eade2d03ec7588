"""Whether the text layer of a page is to be trusted, or the page is to be read by OCR; and why."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from pipeline.types import Word

_MAX_UNMAPPED = 0.2
_MAX_MEANINGLESS = 0.1
# Real pages reach 0.73 and more, the best of all alphabets shifted by some letters 0.63.
_MIN_LIKENESS = 0.68
_SCAN = 0.5
_HEADER_WORDS = 60

# How often each letter occurs in a thousand, English, German, French and Spanish averaged.
_FREQUENCIES = dict(
    zip("abcdefghijklmnopqrstuvwxyz", (
        84, 16, 31, 41, 151, 12, 17, 27, 75, 3, 6, 46, 26, 81, 65, 21, 4, 68, 72, 72, 36, 12, 9, 2, 9, 5
    ), strict=True)
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as its file gives it, before it is decided where its words come from.

    width, height: in points, as displayed; 0 where they are not known.  words: of the text layer, in reading order.
    unmapped: share (0–1) of characters whose font does not say which letter they are.
    meaningless: share (0–1) of characters that stand for no letter or sign.
    images: share (0–1) of the page under images.  marks: whether anything but text is drawn on it.
    failure: the error code where its text layer could not be read.
    """

    number: int
    width: float = 0.0
    height: float = 0.0
    words: tuple[Word, ...] = ()
    unmapped: float = 0.0
    meaningless: float = 0.0
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
    if draft.failure:
        return "unreadable text layer"
    if not draft.words:
        return "no text layer" if draft.marks or draft.meaningless else "blank page"
    if draft.meaningless > _MAX_MEANINGLESS or is_garbled([word.text for word in draft.words], draft.unmapped):
        return "garbled text layer"
    if draft.images >= _SCAN and len(draft.words) < _HEADER_WORDS and _is_in_margins(draft):
        return "scan with a header or footer only"
    return None


def is_garbled(words: Sequence[str], unmapped: float) -> bool:
    """Whether the text is not what stands on the page: its letters are not distributed as in any European language.

    Text whose characters were guessed (`unmapped`, 0–1) has to prove itself, any other is believed until there is
    proof against it: few letters prove nothing.
    """
    characters = Counter("".join(words).lower())
    letters = Counter({character: count for character, count in characters.items() if character.isalpha()})
    likeness = _likeness(letters)
    if unmapped > _MAX_UNMAPPED:
        return letters.total() < 12 or likeness < _MIN_LIKENESS
    return letters.total() >= 150 and _is_latin(letters) and likeness < _MIN_LIKENESS


def _likeness(letters: Counter[str]) -> float:
    """Cosine (0–1) between how often each letter occurs and how often it does in European languages."""
    product = sum(_FREQUENCIES.get(letter, 0) * count for letter, count in letters.items())
    length = sqrt(sum(count**2 for count in letters.values())) * sqrt(sum(f**2 for f in _FREQUENCIES.values()))
    return product / length if length else 0.0


def _is_latin(letters: Counter[str]) -> bool:
    """Whether most of the letters are plain Latin ones."""
    return sum(letters[letter] for letter in _FREQUENCIES) > 0.6 * letters.total()


def _is_in_margins(draft: Draft) -> bool:
    """Whether nearly all words lie in the top or bottom of the page."""
    middle = [word for word in draft.words if 0.15 * draft.height < word.box.y0 < 0.85 * draft.height]
    return len(middle) <= 0.2 * len(draft.words)
