"""From an attention kind to arrays a kernel can use. numpy only: plans are made in DataLoader workers.

Queries go in blocks. The queries of a block share most of their neighbours, so the union of their keys is little
more than one query's own, and plain attention inside that union, with an exact mask, beats a gather per query.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.attention.kinds import Kind
from models.attention.layout import Layout

# Where blocks would visit more than this share of all pairs, one dense block is quicker (measured from 512 to 1,536
# tokens).
DENSE_SHARE = 0.75
# A union this close to a run of neighbouring tokens is widened to it: a run needs no copy of its keys and values.
_WIDEN = 1.25


@dataclass(frozen=True)
class Pairs:
    """For a block of R queries, M pairs each of a token that is scored and a token whose value the score weighs.

    values: (V,) int64, ascending indices into the window, all tokens whose values are wanted.
    scored: (R, M) int64, indices into the block's keys.  weighed: (R, M) int64, indices into `values`.
    """

    values: NDArray[np.int64]
    scored: NDArray[np.int64]
    weighed: NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """Query rows start…stop-1 and the keys that they need among them.

    keys: (U,) int64, ascending indices into the window; a few may be wanted by none.
    mask: (stop - start, U) bool, which of those keys each query may see, or (G, stop - start, U) where G groups of
        heads differ; None where every query sees every key.
    pairs: where scores and values come from different tokens; mask is None then.
    """

    start: int
    stop: int
    keys: NDArray[np.int64]
    mask: NDArray[np.bool_] | None
    pairs: Pairs | None = None


@dataclass(frozen=True)
class Plan:
    """One window's attention: blocks that cover its rows in order, and the rows that are global.

    A global row stands in the blocks as a key only. As a query it needs every key, which would make its block as wide
    as the window; the kernel gives those few rows attention of their own.
    """

    length: int
    blocks: tuple[Block, ...]
    global_rows: NDArray[np.int64]


def make_plan(layout: Layout, kind: Kind, block: int = 128, dense_share: float = DENSE_SHARE) -> Plan:
    """The plan of a window, in blocks of `block` queries, or in one where those would visit over `dense_share` of all
    pairs, as in a short window."""
    bounds = [(start, min(start + block, layout.n)) for start in range(0, layout.n, block)]
    make = _masked if kind.allowed else _paired
    blocks = [make(layout, kind, start, stop) for start, stop in bounds]
    visited = sum((b.stop - b.start) * len(b.keys) for b in blocks)
    if kind.allowed and len(blocks) > 1 and visited > dense_share * layout.n**2:
        blocks = [_masked(layout, kind, 0, layout.n)]
    return Plan(layout.n, tuple(blocks), np.flatnonzero(layout.is_global))


def _masked(layout: Layout, kind: Kind, start: int, stop: int) -> Block:
    assert kind.allowed is not None
    seen = kind.allowed(layout, start, stop)
    seen[..., layout.is_global] = True
    keys = _widened(np.flatnonzero(seen.any(axis=tuple(range(seen.ndim - 1)))))
    mask = np.ascontiguousarray(seen[..., keys[0] : keys[-1] + 1] if _is_run(keys) else seen[..., keys])
    return Block(start, stop, keys, None if mask.all() else mask)


def _paired(layout: Layout, kind: Kind, start: int, stop: int) -> Block:
    assert kind.pairs is not None
    scored, weighed = kind.pairs(layout, start, stop)
    everywhere = np.broadcast_to(np.flatnonzero(layout.is_global), (stop - start, int(layout.is_global.sum())))
    scored, weighed = (np.concatenate([part, everywhere], axis=1) for part in (scored, weighed))
    (keys, scored), (values, weighed) = (_renumbered(part, layout.n) for part in (scored, weighed))
    return Block(start, stop, keys, None, Pairs(values, scored, weighed))


def _renumbered(tokens: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tokens there are, ascending, and for each token asked for its place among them."""
    there = np.zeros(n, dtype=bool)
    there[tokens] = True
    keys = _widened(np.flatnonzero(there))
    place = np.zeros(n, dtype=np.int64)
    place[keys] = np.arange(len(keys))
    return keys, place[tokens]


def _widened(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    near = keys[-1] + 1 - keys[0] <= _WIDEN * len(keys)
    return np.arange(keys[0], keys[-1] + 1) if near else keys


def _is_run(keys: NDArray[np.int64]) -> bool:
    return bool(keys[-1] - keys[0] + 1 == len(keys))
