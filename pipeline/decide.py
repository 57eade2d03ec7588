"""Whether the text layer of a page is to be trusted, or the page is to be read by OCR; and why."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal
from unicodedata import normalize

from pipeline.misread import is_misread
from pipeline.types import Word

_MAX_UNMAPPED = 0.2
_MAX_MEANINGLESS = 0.1
_MAX_GLYPH_NAMES = 0.3
# Pages in European languages reach 0.73 and more, the best of all alphabets shifted by some letters 0.67. Other
# languages in Latin letters may come as low as 0.6; most alphabets mixed up at random stay below.
_MIN_LIKENESS = 0.68
_MIN_ANY_LIKENESS = 0.58
_SHIFTED_BACK = 0.8
_SCAN = 0.5
_HEADER_WORDS = 60
_HEADER_COVERAGE = 0.02
_HIDDEN = 0.5
POOR_LAYER = "poor OCR layer"
STAMPED = "scan with a header, footer or stamp only"

# How often each letter occurs in a thousand, English, German, French and Spanish averaged.
_FREQUENCIES = dict(
    zip("abcdefghijklmnopqrstuvwxyz", (
        84, 16, 31, 41, 151, 12, 17, 27, 75, 3, 6, 46, 26, 81, 65, 21, 4, 68, 72, 72, 36, 12, 9, 2, 9, 5
    ), strict=True)
)  # fmt: skip
_ALPHABET = "".join(_FREQUENCIES)

# What programs write for a glyph whose letter they do not know: (cid:12), /g32, G21, glyph7, uni0041, and /T/h/e.
_GLYPH_NAME = re.compile(r"\((?:cid|gid):\d+\)|/[A-Za-z]{1,8}\d{1,5}\b|(?:/[A-Za-z]\b){2,}")
_GLYPH_NAME_WORD = re.compile(r"(?:/?(?:[gG]|[gc]id|glyph|index)\d{1,5}|/?uni[0-9A-F]{4})+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as its file gives it, before it is decided where its words come from.

    width, height: in points, as displayed; 0 where they are not known.  words: of the text layer, in reading order.
    Shares (0–1) of its characters: unmapped, whose font does not say which letter they are; private_use, which mean
    what their font likes; replacements, U+FFFD; controls, NUL among them; invisible, which are written and not drawn.
    images: share (0–1) of the page under images.  marks: whether anything but text is drawn on it.
    failure: the error code where its text layer could not be read.
    """

    number: int
    width: float = 0.0
    height: float = 0.0
    words: tuple[Word, ...] = ()
    unmapped: float = 0.0
    private_use: float = 0.0
    replacements: float = 0.0
    controls: float = 0.0
    invisible: float = 0.0
    images: float = 1.0
    marks: bool = True
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a page's words come from, and why in a few words."""

    source: Literal["text", "ocr", "none"]
    reason: str


def decide(
    draft: Draft, ocr: Literal["auto", "always", "never"], hidden: Literal["trust", "redo"] = "redo"
) -> Decision:
    """The source of the page's words under the setting `ocr`.

    hidden: what becomes of an invisible OCR layer of poor quality.
    """
    if ocr == "always":
        return Decision("ocr", "OCR asked for")
    fault = fault_of(draft)
    if fault is None and hidden == "redo" and draft.invisible >= _HIDDEN and is_misread(_texts(draft)):
        fault = POOR_LAYER
    if fault is None:
        return Decision("text", "text layer")
    if fault == "blank page":
        return Decision("none", fault)
    if ocr == "never":
        return Decision("text" if draft.words else "none", f"{fault}, OCR switched off")
    return Decision("ocr", fault)


def fault_of(draft: Draft) -> str | None:
    """What is wrong with the page's text layer, however it came to be; None where it is good."""
    if draft.failure:
        return "unreadable text layer"
    if not draft.words and not draft.controls:
        return "no text layer" if draft.marks else "blank page"
    garbled = _meaningless(draft) or garbled_by(_texts(draft), draft.unmapped)
    if garbled:
        return f"garbled text layer: {garbled}"
    if _is_stamped_scan(draft):
        return STAMPED
    return None


def garbled_by(words: Sequence[str], unmapped: float = 0.0) -> str | None:
    """What shows that the text is not what stands on the page; None where nothing does.

    Text whose characters were guessed (`unmapped`, 0–1) has to prove itself, any other is believed until there is
    proof against it, by how often each letter occurs. Few letters prove nothing.
    """
    text = "".join(words)
    if _glyph_names(words) > _MAX_GLYPH_NAMES * len(text):
        return "glyph names"
    letters = Counter(filter(str.isalpha, _without_accents(text.lower())))
    likeness = _likeness(letters)
    if unmapped > _MAX_UNMAPPED and (letters.total() < 12 or likeness < _MIN_LIKENESS):
        return "no Unicode mapping"
    if letters.total() < 150 or not _is_latin(letters) or likeness >= _MIN_LIKENESS:
        return None
    if _is_shifted(text):
        return "shifted letters"
    return "improbable letters" if likeness < _MIN_ANY_LIKENESS else None


def _texts(draft: Draft) -> list[str]:
    return [word.text for word in draft.words]


def _meaningless(draft: Draft) -> str | None:
    """What most of the characters are that stand for no letter or sign, if there are many of these."""
    shares = {
        "private-use characters": draft.private_use,
        "replacement characters": draft.replacements,
        "NUL or control characters": draft.controls,
    }
    if sum(shares.values()) <= _MAX_MEANINGLESS:
        return None
    return "no Unicode mapping" if draft.unmapped > _MAX_UNMAPPED else max(shares, key=shares.__getitem__)


def _glyph_names(words: Sequence[str]) -> int:
    """How many of the words' characters belong to names of glyphs."""
    found = 0
    for word in words:
        if _GLYPH_NAME_WORD.fullmatch(word):
            found += len(word)
        elif "/" in word or "(" in word:
            found += sum(len(name) for name in _GLYPH_NAME.findall(word))
    return found


def _without_accents(text: str) -> str:
    """The text with é taken apart into e and its accent, which is no letter."""
    return text if text.isascii() else normalize("NFD", text)


def _likeness(letters: Counter[str]) -> float:
    """Cosine (0–1) between how often each letter occurs and how often it does in European languages."""
    product = sum(_FREQUENCIES.get(letter, 0) * count for letter, count in letters.items())
    length = sqrt(sum(count**2 for count in letters.values())) * sqrt(sum(f**2 for f in _FREQUENCIES.values()))
    return product / length if length else 0.0


def _is_latin(letters: Counter[str]) -> bool:
    """Whether most of the letters are plain Latin ones."""
    return sum(letters[letter] for letter in _FREQUENCIES) > 0.6 * letters.total()


def _is_shifted(text: str) -> bool:
    """Whether it is text once every character is moved on by some places, of the code or of the alphabet."""
    codes = Counter(map(ord, text))
    letters = Counter(character for character in text.lower() if character in _FREQUENCIES)
    moved = [_moved(codes, by) for by in range(-31, 32)]
    turned = [_renamed(letters, _ALPHABET[by:] + _ALPHABET[:by]) for by in range(1, 26)]
    return max(map(_likeness, moved + turned)) >= _SHIFTED_BACK


def _moved(codes: Counter[int], by: int) -> Counter[str]:
    """The letters among the characters whose codes are `by` higher."""
    letters: Counter[str] = Counter()
    for code, count in codes.items():
        if code + by > 0 and chr(code + by).isalpha():
            letters[chr(code + by).lower()] += count
    return letters


def _renamed(letters: Counter[str], alphabet: str) -> Counter[str]:
    """The letters, each under the name that it has in another alphabet."""
    return Counter({alphabet[_ALPHABET.index(letter)]: count for letter, count in letters.items()})


def _is_stamped_scan(draft: Draft) -> bool:
    """Whether the page is a picture and its words are only what was added to that: a header, a footer, a stamp."""
    if draft.images < _SCAN or len(draft.words) >= _HEADER_WORDS:
        return False
    return _is_in_margins(draft) or (draft.invisible < _HIDDEN and _coverage(draft) < _HEADER_COVERAGE * draft.images)


def _is_in_margins(draft: Draft) -> bool:
    """Whether nearly all words lie in the top or bottom of the page."""
    middle = [word for word in draft.words if 0.15 * draft.height < word.box.y0 < 0.85 * draft.height]
    return len(middle) <= 0.2 * len(draft.words)


def _coverage(draft: Draft) -> float:
    """Share (0–1) of the page under words."""
    covered = sum((box.x1 - box.x0) * (box.y1 - box.y0) for _, box, _ in draft.words)
    return covered / (draft.width * draft.height or 1.0)
