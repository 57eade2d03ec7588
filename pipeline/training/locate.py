"""Find where a document says the values it is known to hold, so that a model can learn to see them there.

Values that a normaliser can find by form (dates, durations, jurisdictions) are mentions that normalise to the value.
All others are runs of words that spell the value, but for case, punctuation and a few wrong letters.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import ModuleType
from typing import NamedTuple

from rapidfuzz import fuzz, process

from models.registry import pick
from pipeline.normalise import Found
from pipeline.normalise.name import legal_form
from pipeline.text import known_in, normal, searchable
from pipeline.types import Document, WordRef

_POSSESSIVE = re.compile(r"['’]s\b\W*$")
_LEAST_RATIO = 90.0  # of 100; two wrong letters in twenty
_SLACK = 0.2  # how much longer or shorter a spelling of that ratio can be
_LEAST_LETTERS = 3  # a shorter spelling is found everywhere


@dataclass(frozen=True)
class Located:
    """One mention of a value: consecutive words in reading order; score: 0–1, how surely this is a mention of it."""

    label: str
    value: str
    words: tuple[WordRef, ...]
    score: float


class _Mention(NamedTuple):
    """Words first (inclusive) to last (exclusive) of the whole document."""

    first: int
    last: int
    score: float


def locate(document: Document, values: Sequence[tuple[str, str]], normaliser_of: Mapping[str, str]) -> list[Located]:
    """Every mention of the (entity type, value) pairs, in reading order; where two overlap, the longer one.

    normaliser_of: the normaliser of each entity type; KeyError for a type it lacks.
    """
    text = _Text(document)
    found: list[tuple[_Mention, str, str]] = []
    for label, value in dict.fromkeys(values):
        normaliser = pick("pipeline.normalise", normaliser_of[label])
        normalised = normaliser.normalise(normal(value))
        wanted = normalised.text if normalised else value
        mentions = text.by_form(normaliser, wanted) if hasattr(normaliser, "find") else text.by_spelling(wanted)
        found += [(mention, label, value) for mention in mentions]
    return [
        Located(label, value, tuple(text.refs[mention.first : mention.last]), mention.score)
        for mention, label, value in _longest(found)
    ]


class _Text:
    """The words of a document in a row, and what searching them needs."""

    def __init__(self, document: Document) -> None:
        pages = document.pages
        self.refs = [WordRef(p, w) for p, page in enumerate(pages) for w in range(len(page.words))]
        words = [word for page in pages for word in page.words]
        self.words = [word.text for word in words]
        self.joined, self.starts = searchable(words, known_in(document))
        self._spelt = [spelling(word) for word in self.words]
        self._letters = "".join(self._spelt)
        self._ends = [0, *accumulate(map(len, self._spelt))]
        self._beginning: dict[str, list[int]] = {}
        for index, word in enumerate(self._spelt):
            self._beginning.setdefault(word[:1], []).append(index)
        self._by_normaliser: dict[str, list[Found]] = {}

    def by_form(self, normaliser: ModuleType, value: str) -> list[_Mention]:
        """Mentions that normalise to the value; of these the ones whose surroundings are clearest."""
        if normaliser.__name__ not in self._by_normaliser:
            self._by_normaliser[normaliser.__name__] = list(normaliser.find(self.joined))
        hits = [hit for hit in self._by_normaliser[normaliser.__name__] if hit.value.text == value]
        clearest = max((hit.weight for hit in hits), default=0.0)
        return [self._mention(hit) for hit in hits if hit.weight == clearest]

    def _mention(self, hit: Found) -> _Mention:
        return _Mention(bisect_right(self.starts, hit.start) - 1, bisect_left(self.starts, hit.end), hit.weight)

    def by_spelling(self, value: str) -> list[_Mention]:
        """Runs of words that spell the value, with the value's legal form at the end if any such run has it."""
        wanted = "".join(spelling(word) for word in value.split())
        if len(wanted) < _LEAST_LETTERS:
            return []
        runs = self._runs(wanted)
        spelt = [self._letters[self._ends[first] : self._ends[last]] for first, last in runs]
        hits = process.extract(wanted, spelt, scorer=fuzz.ratio, processor=None, score_cutoff=_LEAST_RATIO, limit=None)
        mentions = [_Mention(*runs[index], score / 100) for _, score, index in hits]
        form = legal_form(value.split()[-1])
        with_form = [mention for mention in mentions if legal_form(self.words[mention.last - 1]) == form]
        return _closest(with_form or mentions)

    def _runs(self, wanted: str) -> list[tuple[int, int]]:
        """Runs of words about as long as the wanted letters that share the first and the last of them.

        Both are asked of a wrong spelling too: without that, runs with a word too many or too few come out close.
        """
        shortest, longest = int(len(wanted) * (1 - _SLACK)), int(len(wanted) * (1 + _SLACK)) + 1
        return [
            (first, last)
            for first in self._beginning.get(wanted[0], ())
            for last in range(
                bisect_left(self._ends, self._ends[first] + shortest),
                bisect_right(self._ends, self._ends[first] + longest),
            )
            if first < last and self._spelt[last - 1].endswith(wanted[-1])
        ]


def spelling(word: str) -> str:
    """A word's letters and digits in lower case, without a possessive; legal forms and "&" written one way."""
    word = normal(word)
    form = legal_form(word)
    if form:
        return form.rstrip(".").lower()
    return "".join(filter(str.isalnum, _POSSESSIVE.sub("", word.casefold()).replace("&", "and")))


def _closest(mentions: list[_Mention]) -> list[_Mention]:
    """No two overlapping: the higher score first, then the earlier."""
    kept: list[_Mention] = []
    for mention in sorted(mentions, key=lambda m: (-m.score, m.first)):
        if all(mention.last <= other.first or other.last <= mention.first for other in kept):
            kept.append(mention)
    return kept


def _longest(found: list[tuple[_Mention, str, str]]) -> list[tuple[_Mention, str, str]]:
    """No two overlapping: the longer first, then the surer; in reading order."""
    kept: list[tuple[_Mention, str, str]] = []
    taken: set[int] = set()
    for entry in sorted(found, key=lambda e: (e[0].first - e[0].last, -e[0].score, e[0].first)):
        words = range(entry[0].first, entry[0].last)
        if taken.isdisjoint(words):
            kept.append(entry)
            taken.update(words)
    return sorted(kept, key=lambda entry: entry[0].first)
