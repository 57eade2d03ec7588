"""Measures of document-level answers.

Value F1 is that of Kleister: over all (entity type, value) pairs of all documents, upper-cased, spaces as underscores.
Class F1 is that of LexGLUE (arXiv:2110.00976): micro over all decisions, macro the mean over the classes.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score

Pairs = Iterable[tuple[str, str]]
Labels = Sequence[str]


class Scores(TypedDict):
    """Shares between 0 and 1."""

    f1: float
    precision: float
    recall: float


class ValueScores(Scores):
    """The scores over all pairs, and those of each entity type."""

    per_key: dict[str, Scores]


class ClassScores(TypedDict):
    """Shares between 0 and 1. accuracy: of documents answered quite rightly.  per_class: of one class per document the
    share of its documents found, of several its F1."""

    accuracy: float
    micro_f1: float
    macro_f1: float
    per_class: dict[str, float]


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


def class_scores(gold: Sequence[str], given: Sequence[str | None]) -> ClassScores:
    """Of documents with one class each; None is no answer, which is wrong. Micro F1 is then the accuracy.

    Macro F1 is over the classes that occur in the data or the answers. ValueError if there are no documents or the
    numbers differ.
    """
    right = [one == other for one, other in _pairs(gold, given)]
    shares = {
        label: float(np.mean([ok for ok, one in zip(right, gold, strict=True) if one == label]))
        for label in sorted(set(gold))
    }
    classes = sorted({*gold, *filter(None, given)})
    macro = f1_score(gold, [label or "" for label in given], labels=classes, average="macro", zero_division=0)
    accuracy = float(np.mean(right))
    return {"accuracy": accuracy, "micro_f1": accuracy, "macro_f1": float(macro), "per_class": shares}


def multi_label_scores(gold: Sequence[Labels], given: Sequence[Labels | None], known: Sequence[str]) -> ClassScores:
    """Of documents with several classes or none, of the known ones and any other that occurs; None is no answer.

    Where some documents have no class, having none is a class more, for the data and the answers alike, as in LexGLUE's
    UNFAIR-ToS and ECtHR (task A). (The first version of LexGLUE's own script took that class's answers from the data.)
    ValueError if there are no documents or the numbers differ.
    """
    pairs = _pairs(gold, given)
    classes = sorted({*known, *(label for labels in gold for label in labels)})
    rows = [_rows(side, classes) for side in (gold, given)]
    if not rows[0][:, -1].any():
        rows = [side[:, :-1] for side in rows]
    each = f1_score(*rows, average=None, zero_division=0)
    return {
        "accuracy": float(np.mean([other is not None and set(one) == set(other) for one, other in pairs])),
        "micro_f1": float(f1_score(*rows, average="micro", zero_division=0)),
        "macro_f1": float(np.mean(each)),
        "per_class": dict(zip([*classes, "none"], map(float, each), strict=False)),
    }


def _rows(side: Sequence[Labels | None], classes: Sequence[str]) -> NDArray[np.bool_]:
    """(documents, classes + 1): the classes of each, and at the end whether it has none; no answer is all False."""
    nothing = [False] * (len(classes) + 1)
    return np.array([nothing if row is None else [*(label in row for label in classes), not row] for row in side])


def _pairs(gold: Sequence[Any], given: Sequence[Any]) -> list[tuple[Any, Any]]:
    if not gold:
        raise ValueError("no documents to measure on")
    return list(zip(gold, given, strict=True))


def _comparable(pair: tuple[str, str]) -> tuple[str, str]:
    key, value = pair
    return key, "_".join(value.replace("_", " ").split()).upper()


def _scores(hits: int, wanted: int, given: int) -> Scores:
    precision, recall = hits / given if given else 0.0, hits / wanted if wanted else 0.0
    f1 = 2 * hits / (wanted + given) if wanted + given else 0.0
    return {"f1": f1, "precision": precision, "recall": recall}
