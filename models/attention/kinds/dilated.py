"""Dilated sliding window (Longformer, arXiv:2004.05150 section 3.1): a window with gaps, each head with its own."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.attention.layout import Layout


def allowed(
    layout: Layout, start: int, stop: int, *, window: int = 256, dilations: Sequence[int] = (1, 1, 1, 1, 1, 2)
) -> NDArray[np.bool_]:
    """`window` keys on either side, every d-th place in reading order, (G, stop - start, N).

    dilations: d of each of G equal groups of heads, the first heads first. By default the last sixth of them, two heads
    of twelve, looks twice as far, as in the paper's upper layers.
    """
    reach = window * max(dilations)
    first, last = max(0, start - reach), min(layout.n, stop + reach)  # the columns beyond are out of reach
    gap = np.abs(np.arange(start, stop)[:, None] - np.arange(first, last))
    seen = np.zeros((len(dilations), stop - start, layout.n), dtype=bool)
    for heads, d in zip(seen, dilations, strict=True):
        heads[:, first:last] = (gap % d == 0) & (gap <= window * d)
    return seen
