"""Sliding window (Longformer, arXiv:2004.05150 section 3.1): a query sees `window` tokens on either side of it."""

import numpy as np
from numpy.typing import NDArray

from models.attention.layout import Layout


def allowed(layout: Layout, start: int, stop: int, *, window: int = 256) -> NDArray[np.bool_]:
    """Keys at most `window` places away in reading order, (stop - start, N)."""
    gap = np.arange(start, stop)[:, None] - np.arange(layout.n)
    seen: NDArray[np.bool_] = np.abs(gap) <= window
    return seen
