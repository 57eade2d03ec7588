"""Windows of documents packed into batches of as many tokens as there is room for.

A `Batch` has its windows end to end, without padding, and none sees another; so short texts share a step without
contaminating each other (arXiv:2107.02027).
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from pipeline.encode import window_bounds

SPECIAL = 2  # [CLS] and [SEP]


class Window(NamedTuple):
    """Tokens start…stop-1 of a document, as they are masked in one pass over all documents."""

    document: int
    turn: int
    start: int
    stop: int

    @property
    def size(self) -> int:
        """Its tokens in the model, [CLS] and [SEP] included."""
        return self.stop - self.start + SPECIAL


def pack(windows: Sequence[Window], budget: int) -> list[list[Window]]:
    """Batches of at most `budget` tokens, by best fit: the longest first, each into the fullest batch that can take it.

    Unlike filling batches in order this leaves next to nothing empty (arXiv:2404.10830 section 2.2).
    """
    batches: list[list[Window]] = []
    room: list[tuple[int, int]] = []  # (tokens left, batch), sorted
    for window in sorted(windows, key=lambda window: -window.size):
        place = bisect_left(room, (window.size, 0))
        if place == len(room):
            left, number = budget, len(batches)
            batches.append([])
        else:
            left, number = room.pop(place)
        batches[number].append(window)
        insort(room, (left - window.size, number))
    return batches


def windows_of(lengths: Sequence[int], window: int, turn: int = 0) -> list[Window]:
    """Windows of at most `window` tokens over documents of these lengths, without overlap."""
    return [
        Window(document, turn, *bounds)
        for document, length in enumerate(lengths)
        for bounds in window_bounds(length, window, 0)
    ]


def passes(lengths: Sequence[int], window: int, budget: int, seed: int) -> Iterator[list[Window]]:
    """Batches without end: pass after pass over the documents, each packed and ordered anew."""
    for turn in count():
        draw = np.random.default_rng([seed, turn])
        windows = windows_of(lengths, window, turn)
        batches = pack([windows[i] for i in draw.permutation(len(windows))], budget)
        yield from (batches[i] for i in draw.permutation(len(batches)))


def lay_out(
    lengths: Sequence[int], window: int, budget: int, tokens: int, seed: int, group: int = 1
) -> list[list[Window]]:
    """The batches of a whole run of at most `tokens` tokens, in order: a multiple of `group`, those of a step.

    Raises ValueError where the tokens do not suffice for one step.
    """
    laid: list[list[Window]] = []
    total = 0
    for batch in passes(lengths, window, budget, seed):
        total += sum(part.size for part in batch)
        if total > tokens:
            break
        laid.append(batch)
    whole = len(laid) // group * group
    if not whole:
        raise ValueError(f"{tokens} tokens do not suffice for one step.")
    return laid[:whole]
