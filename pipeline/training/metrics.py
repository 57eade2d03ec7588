"""Measures of document-level answers.

Value F1 is that of Kleister: over all (entity type, value) pairs of all documents, upper-cased, spaces as underscores.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypedDict

Pairs = Iterable[tuple[str, str]]


class Scores(TypedDict):
    """Shares between 0 and 1."""

    f1: float
    precision: float
    recall: float


class ValueScores(Scores):
    """The scores over all pairs, and those of each entity type."""

    per_key: dict[str, Scores]


def value_f1(gold: Sequence[Pairs], predicted: Sequence[Pairs]) -> ValueScores:
    """Compare the values said of each document, document by document; a pair said twice counts twice.

    ValueError if the two differ in their number of documents.
    """
    hits: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for gold_pairs, predicted_pairs in zip(gold, predicted, strict=True):
        expected, answered = Counter(map(_comparable, gold_pairs)), Counter(map(_comparable, predicted_pairs))
        for counter, pairs in ((hits, expected & answered), (wanted, expected), (given, answered)):
            for (key, _), count in pairs.items():
                counter[key] += count
    keys = sorted(wanted | given)
    per_key = {key: _scores(hits[key], wanted[key], given[key]) for key in keys}
    return {**_scores(hits.total(), wanted.total(), given.total()), "per_key": per_key}


def accuracy(gold: Sequence[str], predicted: Sequence[str | None]) -> float:
    """The share of documents given their own class; ValueError if there are none or the numbers differ."""
    if not gold:
        raise ValueError("no documents to measure on")
    return sum(a == b for a, b in zip(gold, predicted, strict=True)) / len(gold)


def _comparable(pair: tuple[str, str]) -> tuple[str, str]:
    key, value = pair
    return key, "_".join(value.replace("_", " ").split()).upper()


def _scores(hits: int, wanted: int, given: int) -> Scores:
    precision, recall = hits / given if given else 0.0, hits / wanted if wanted else 0.0
    f1 = 2 * hits / (wanted + given) if wanted + given else 0.0
    return {"f1": f1, "precision": precision, "recall": recall}
