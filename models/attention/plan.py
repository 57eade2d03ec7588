"""From an attention kind to arrays a kernel can use. numpy only: plans are made in DataLoader workers.

Queries go in blocks. The queries of a block share most of their neighbours, so the union of their keys is little
more than one query's own, and plain attention inside that union, with an exact mask, beats a gather per query.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.attention.kinds import Allowed
from models.attention.layout import Layout

# Up to this many tokens one dense block with a mask is no slower than block unions.
DENSE_BELOW = 1536
# A union this close to a run of neighbouring tokens is widened to it: a run needs no copy of its keys and values.
_WIDEN = 1.25


@dataclass(frozen=True)
class Block:
    """Query rows start…stop-1 and the keys that they need among them.

    keys: (U,) int64, ascending indices into the window; a few may be wanted by none.
    mask: (stop - start, U) bool, which of those keys each query may see; None where every query sees every key.
    """

    start: int
    stop: int
    keys: NDArray[np.int64]
    mask: NDArray[np.bool_] | None


@dataclass(frozen=True)
class Plan:
    """One window's attention: blocks that cover its rows in order, and the rows that are global.

    A global row stands in the blocks as a key only. As a query it needs every key, which would make its block as wide
    as the window; the kernel gives those few rows attention of their own.
    """

    length: int
    blocks: tuple[Block, ...]
    global_rows: NDArray[np.int64]


def make_plan(layout: Layout, allowed: Allowed, block: int = 128, dense_below: int = DENSE_BELOW) -> Plan:
    """The plan of a window; one dense block where the window is short."""
    size = layout.n if layout.n <= dense_below else block
    bounds = [(start, min(start + size, layout.n)) for start in range(0, layout.n, max(size, 1))]
    return Plan(
        length=layout.n,
        blocks=tuple(_block(layout, allowed, start, stop) for start, stop in bounds),
        global_rows=np.flatnonzero(layout.is_global),
    )


def _block(layout: Layout, allowed: Allowed, start: int, stop: int) -> Block:
    seen = allowed(layout, start, stop)
    seen[:, layout.is_global] = True
    keys = np.flatnonzero(seen.any(axis=0))
    if keys[-1] + 1 - keys[0] <= _WIDEN * len(keys):
        keys = np.arange(keys[0], keys[-1] + 1)
    mask = np.ascontiguousarray(seen[:, keys])
    return Block(start, stop, keys, None if mask.all() else mask)
