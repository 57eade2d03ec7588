"""The text of words: as a person reads it on, and as it is matched.

`Word.text` is what the file or the OCR engine gives: ligatures, soft hyphens and halves of divided words stay in it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain, pairwise

from pipeline.types import Document, Word

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_SOFT_HYPHEN = "\xad"
_HYPHENS = ("-", "\u2010", "\u2011", _SOFT_HYPHEN)
# Fonts with one glyph for both kinds of hyphen may say that it is the soft one.
_SEEN = re.compile(r"(?<=\d)\xad(?=\d)|^\xad+$")
_UNWRITTEN: dict[int, str | None] = {
    **dict.fromkeys((0xAD, 0x2060, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A))),
    **dict.fromkeys((0x2010, 0x2011), "-"),
}
_SUSPENDED = {"and", "or", "to", "und", "oder", "bis"}  # as in "two- and three-year"
_MARKS = ".,;:!?()[]\"'“”‘’"
_LAST_PART, _FIRST_PART = re.compile(r"[^\W_]+$"), re.compile(r"[^\W_]+")

Known = Callable[[str], bool]


def normal(text: str) -> str:
    """The text as it is matched: compatibility form (NFKC, so no ligatures), hyphens written one way, without soft
    hyphens and characters of no width."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _SEEN.sub("-", text)).translate(_UNWRITTEN)


def joined(words: Sequence[Word], known: Known = lambda text: False) -> str:
    """The text of consecutive words, those that were divided at the end of a line put together again.

    known: whether the document has a word, see `known_in`; it tells a hyphen that divides from one that is written.
    """
    return "".join(chain.from_iterable(_pieces(words, known)))


def searchable(words: Sequence[Word], known: Known = lambda text: False) -> tuple[str, list[int]]:
    """Their text as `joined` gives it in its `normal` form, and at which character each word begins."""
    pieces = [normal(text) + gap for text, gap in _pieces(words, known)]
    return "".join(pieces), list(accumulate(map(len, pieces[:-1]), initial=0))[: len(pieces)]


def known_in(document: Document) -> Known:
    """Whether a text (`normal`, case-folded) is a whole word of the document, second halves of divided ones aside."""

    @cache
    def vocabulary() -> frozenset[str]:
        words = [normal(word.text) for page in document.pages for word in page.words]
        return frozenset(
            word.casefold().strip(_MARKS) for before, word in pairwise(["", *words]) if not before.endswith(_HYPHENS)
        )

    return lambda text: text in vocabulary()


def same_line(word: Word, following: Word) -> bool:
    """Whether two words overlap by at least half the lower one's height, and the second goes on from the first."""
    a, b = word.box, following.box
    shared = min(a.y1, b.y1) - max(a.y0, b.y0)
    if shared < 0.5 * min(a.y1 - a.y0, b.y1 - b.y0):
        return False
    return b.x0 >= a.x0 or (b.x1 <= a.x1 and RIGHT_TO_LEFT.search(word.text + following.text) is not None)


def _pieces(words: Sequence[Word], known: Known) -> Iterator[tuple[str, str]]:
    """Of each word what is left of its text, and what stands between it and the next."""
    for word, following in pairwise(words):
        text = word.text
        divided = text.endswith(_HYPHENS) and len(text) > 1 and not same_line(word, following)
        yield _before(text, following.text, known) if divided else (text, " ")
    if words:
        yield words[-1].text, ""


def _before(text: str, following: str, known: Known) -> tuple[str, str]:
    """A text that ends a line with a hyphen, as it is written before the one that begins the next."""
    stem = text[:-1]
    if text.endswith(_SOFT_HYPHEN):
        return stem, ""
    if not (stem[-1].isalnum() and following[:1].isalnum()) or following in _SUSPENDED:
        return text, " "
    return (text if _is_written(stem, following, known) else stem), ""


def _is_written(stem: str, following: str, known: Known) -> bool:
    """Whether the hyphen between the two would stand there within a line too."""
    first, second = _LAST_PART.search(normal(stem).casefold()), _FIRST_PART.match(normal(following).casefold())
    if first is None or second is None or not (stem[-1].isalpha() and following[0].isalpha()):
        return True
    if known(first[0] + second[0]):
        return False
    if not following[0].islower() or any(hyphen in stem for hyphen in _HYPHENS):
        return True
    return known(f"{first[0]}-{second[0]}") or (known(first[0]) and known(second[0]))
