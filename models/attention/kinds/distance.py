"""Spatial neighbours: a query sees the `neighbours` tokens nearest to it on the page, itself among them.

The "distance" pattern of *Understanding Long Documents with Different Position-Aware Attentions*. Exact: Euclidean
distance between token centres; of tokens equally far, those that come first in reading order. Global tokens have no
place on the page and take none of the places.
"""

import numpy as np
from numpy.typing import NDArray

from models.attention.layout import Layout


def allowed(layout: Layout, start: int, stop: int, *, neighbours: int = 512) -> NDArray[np.bool_]:
    """The `neighbours` nearest keys, (stop - start, N).

    Squared distances of a block of queries to the tokens that can be near, then a partial sort: at 4,096 tokens 4 to 8
    times faster than a k-d tree (scikit-learn, SciPy), which the tests hold it against, since a query wants an eighth
    of all tokens.
    """
    placed = ~layout.is_global
    if neighbours >= placed.sum():
        return np.broadcast_to(placed, (stop - start, layout.n)).copy()
    candidates = np.flatnonzero(placed & _in_reach(layout, start, stop, neighbours))
    squared = _squared(layout, slice(start, stop), candidates)
    farthest = np.partition(squared, neighbours - 1, axis=1)[:, neighbours - 1 : neighbours]
    near = squared <= farthest
    tied = np.flatnonzero(near.sum(axis=1) > neighbours)
    near[tied] = _without_later_ties(squared[tied], farthest[tied], neighbours)
    seen = np.zeros((stop - start, layout.n), dtype=bool)
    seen[:, candidates] = near
    return seen


def _without_later_ties(
    squared: NDArray[np.float32], farthest: NDArray[np.float32], neighbours: int
) -> NDArray[np.bool_]:
    """The nearest of each row, of those as far as the farthest the first ones."""
    nearer, ties = squared < farthest, squared == farthest
    left = neighbours - nearer.sum(axis=1, keepdims=True)
    first: NDArray[np.bool_] = nearer | (ties & (np.cumsum(ties, axis=1) <= left))
    return first


def _squared(layout: Layout, rows: slice, columns: NDArray[np.int64]) -> NDArray[np.float32]:
    """Squared distances between two sets of tokens, (rows, columns)."""
    x, y = layout.centres[:, 0], layout.centres[:, 1]
    squared: NDArray[np.float32] = np.square(x[rows, None] - x[columns]) + np.square(y[rows, None] - y[columns])
    return squared


def _in_reach(layout: Layout, start: int, stop: int, neighbours: int) -> NDArray[np.bool_]:
    """The tokens that can be among the nearest of some query of the block, (N,).

    Any `neighbours` tokens bound a query's distance to its farthest neighbour from above; those around it in reading
    order bound it well. Whatever is farther off than that in height alone is out, so the work grows with the tokens of
    a few pages, not of the window.
    """
    around = np.flatnonzero(~layout.is_global)
    middle = int(np.searchsorted(around, (start + stop) // 2))
    first = min(max(0, middle - neighbours), max(0, len(around) - 2 * neighbours))
    near = _squared(layout, slice(start, stop), around[first : first + 2 * neighbours])
    reach = np.sqrt(np.partition(near, neighbours - 1, axis=1)[:, neighbours - 1].max()) * 1.0001
    y = layout.centres[:, 1]
    within: NDArray[np.bool_] = (y >= y[start:stop].min() - reach) & (y <= y[start:stop].max() + reach)
    return within
