"""Word probabilities → entities with text, value, confidence and boxes."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.registry import pick
from pipeline.normalise import Found
from pipeline.text import Known, joined, known_in, normal, same_line, searchable
from pipeline.types import Document, Entity, PageBox, Word, WordRef, around

Probabilities = NDArray[np.float32]

# A word that is outside with this probability ends whatever came before it.
_SURELY_OUTSIDE = 0.98
_LEAST_CONFIDENCE = 0.5
# How many words around a span may belong to its value.
_NEIGHBOURS = 4


class Span(NamedTuple):
    """Words first…stop-1 of the document are one mention of entity type number `entity`; confidence: 0–1."""

    first: int
    stop: int
    entity: int
    confidence: float


def find_entities(
    document: Document,
    refs: Sequence[WordRef],
    probabilities: Probabilities,
    fields: Mapping[str, Mapping[str, Any]],
) -> tuple[Entity, ...]:
    """The entities of a document, one for each different value, in the order of the schema and then of the page.

    probabilities: (words, 1 + 2 × entity types): O, then B and I of each type.  fields: the schema's entity types with
    their `normaliser` and `many`.
    """
    labels = list(fields)
    known = known_in(document)
    mentions = [_entity(document, refs, span, labels[span.entity], fields, known) for span in spans(probabilities)]
    found: list[Entity] = []
    for label, field in fields.items():
        values = merge_mentions(mention for mention in mentions if mention.label == label)
        same = getattr(pick("pipeline.normalise", field["normaliser"]), "same", None)
        found += _chosen(merge_same(values, same) if same else values, bool(field["many"]))
    return tuple(found)


def spans(probabilities: Probabilities) -> list[Span]:
    """The likeliest valid BIO path as spans: I follows only B or I of its own type."""
    active = np.flatnonzero(probabilities[:, 0] < _SURELY_OUTSIDE)
    found: list[Span] = []
    for run in np.split(active, np.flatnonzero(np.diff(active) != 1) + 1):
        if len(run):
            found += _spans_of_path(_likeliest_path(probabilities[run]), int(run[0]), probabilities)
    return found


def _likeliest_path(probabilities: Probabilities) -> NDArray[np.int64]:
    """Viterbi over a run of words: the tag of each, (words,)."""
    scores = np.log(np.maximum(probabilities, 1e-12))
    allowed = _transitions(scores.shape[1])
    best = scores[0] + allowed[0]  # before the run stands O
    back = np.zeros(scores.shape, dtype=np.int64)
    for i in range(1, len(scores)):
        ways = best[:, None] + allowed
        back[i] = ways.argmax(axis=0)
        best = ways.max(axis=0) + scores[i]
    path = [int(best.argmax())]
    for i in range(len(scores) - 1, 0, -1):
        path.append(int(back[i, path[-1]]))
    return np.array(path[::-1])


def _transitions(tags: int) -> NDArray[np.float64]:
    """(from, to): 0 where allowed, -inf where I would follow something other than its own B or I."""
    allowed = np.zeros((tags, tags))
    for inside in range(2, tags, 2):
        allowed[:, inside] = -np.inf
        allowed[[inside - 1, inside], inside] = 0
    return allowed


def _spans_of_path(path: NDArray[np.int64], offset: int, probabilities: Probabilities) -> list[Span]:
    """The spans of a path. One that begins right after another of its type goes on with it: two values of a type do
    not stand side by side, while a young model often begins anew inside a value."""
    types = (path + 1) // 2  # 0 is outside, then the entity types from 1
    begins = [i for i, kind in enumerate(types) if kind and (i == 0 or types[i - 1] != kind)]
    found = []
    for begin in begins:
        entity = int(types[begin]) - 1
        stop = begin + 1
        while stop < len(path) and types[stop] == types[begin]:
            stop += 1
        inside = probabilities[offset + begin : offset + stop, 2 * entity + 1 : 2 * entity + 3].sum(axis=1)
        found.append(Span(offset + begin, offset + stop, entity, float(inside.mean())))
    return found


def _entity(
    document: Document,
    refs: Sequence[WordRef],
    span: Span,
    label: str,
    fields: Mapping[str, Mapping[str, Any]],
    known: Known,
) -> Entity:
    normaliser = pick("pipeline.normalise", str(fields[label]["normaliser"]))
    first, stop = span.first, span.stop
    text = joined(_words(document, refs[first:stop]), known)
    value = normaliser.normalise(normal(text))
    if value is None and hasattr(normaliser, "find"):
        first, stop = _widened(document, refs, span, normaliser.find, known)
        text = joined(_words(document, refs[first:stop]), known)
        value = normaliser.normalise(normal(text))
    return Entity(label, text, value, span.confidence, line_boxes(document, refs[first:stop]))


def _words(document: Document, refs: Sequence[WordRef]) -> list[Word]:
    return [document.pages[ref.page].words[ref.word] for ref in refs]


def _widened(
    document: Document, refs: Sequence[WordRef], span: Span, find: Callable[[str], Iterable[Found]], known: Known
) -> tuple[int, int]:
    """(first, stop) of the words of a value that the span is part of ("March 14," of "March 14, 2022").

    The value is looked for by its form among the span's neighbours; where there is none, the span as it is.
    """
    start, end = max(0, span.first - _NEIGHBOURS), min(len(refs), span.stop + _NEIGHBOURS)
    text, begins = searchable(_words(document, refs[start:end]), known)
    for found in find(text):
        first = bisect_right(begins, found.start) - 1 + start
        stop = bisect_right(begins, found.end - 1) + start
        if first < span.stop and stop > span.first:
            return min(first, span.first), max(stop, span.stop)
    return span.first, span.stop


def line_boxes(document: Document, refs: Sequence[WordRef]) -> tuple[PageBox, ...]:
    """One box for each line that consecutive words stand on."""
    words = _words(document, refs)
    upright = [
        word._replace(box=document.pages[ref.page].upright(word.box)) for ref, word in zip(refs, words, strict=True)
    ]
    breaks = [
        i
        for i, ((ref, word), (next_ref, next_word)) in enumerate(pairwise(zip(refs, upright, strict=True)), start=1)
        if ref.page != next_ref.page or not same_line(word, next_word)
    ]
    bounds = pairwise([0, *breaks, len(words)])
    return tuple(PageBox(document.pages[refs[a].page].number, around(w.box for w in words[a:b])) for a, b in bounds)


def merge_mentions(mentions: Iterable[Entity]) -> list[tuple[Entity, float]]:
    """For each different value its clearest mention, and the confidences of all its mentions added up.

    The confidence of the merged entity is that of the clearest mention; where none has a value, the text stands for it.
    """
    groups: dict[str, list[Entity]] = {}
    for mention in mentions:
        groups.setdefault(_written(mention).casefold(), []).append(mention)
    return [(max(group, key=_confidence), sum(map(_confidence, group))) for group in groups.values()]


def merge_same(values: Sequence[tuple[Entity, float]], same: Callable[[str, str], bool]) -> list[tuple[Entity, float]]:
    """Values that mean one thing made one: the one with the most support, given the support of the others. They come
    in the order of their first mentions."""
    kept: list[tuple[int, Entity, float]] = []
    for place, (entity, support) in sorted(enumerate(values), key=lambda pair: -pair[1][1]):
        for i, (first, other, other_support) in enumerate(kept):
            if same(_written(entity), _written(other)):
                kept[i] = (min(first, place), other, other_support + support)
                break
        else:
            kept.append((place, entity, support))
    return [(entity, support) for _, entity, support in sorted(kept, key=lambda group: group[0])]


def _written(entity: Entity) -> str:
    return entity.value.text if entity.value else entity.text


def _confidence(entity: Entity) -> float:
    return entity.confidence


def _chosen(values: list[tuple[Entity, float]], many: bool) -> list[Entity]:
    """All clear values; of a field that has one, the value with the most support, a normalised one before others."""
    if many:
        return [entity for entity, _ in values if entity.confidence >= _LEAST_CONFIDENCE]
    ranked = sorted(values, key=lambda pair: (pair[0].value is not None, pair[1]), reverse=True)
    return [entity for entity, _ in ranked[:1]]
