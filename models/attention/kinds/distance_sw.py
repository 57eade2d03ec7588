"""Distance+SW of *Understanding Long Documents with Different Position-Aware Attentions*: scores over the spatial
neighbours' keys, values from the sliding window.

The paper leaves open which score weighs which value. Here both go in reading order: the score of a query's m-th
neighbour weighs the value of the m-th token of its window. So where the nearest tokens are the window, as in a document
of one line, this is ordinary attention over it.
"""

import numpy as np
from numpy.typing import NDArray

from models.attention.kinds import distance
from models.attention.layout import Layout


def pairs(
    layout: Layout, start: int, stop: int, *, neighbours: int = 512
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The `neighbours` nearest tokens, and as many around the query in the text, each (stop - start, M).

    Near the ends of the document the window is pushed inside, so that it is as long everywhere; M is less only where
    the document has fewer tokens. Global tokens are in neither.
    """
    placed = np.flatnonzero(~layout.is_global)
    count = min(neighbours, len(placed))
    near = distance.allowed(layout, start, stop, neighbours=neighbours)
    scored = np.nonzero(near)[1].reshape(stop - start, count)
    first = np.searchsorted(placed, np.arange(start, stop)) - count // 2
    first = first.clip(0, len(placed) - count)
    weighed = placed[first[:, None] + np.arange(count)]
    return scored, weighed
