"""Sliding window (Longformer, arXiv:2004.05150 section 3.1): a query sees `window` tokens on either side of it."""

import numpy as np
from numpy.typing import NDArray

from models.attention.layout import Layout


def allowed(layout: Layout, start: int, stop: int, *, window: int = 256, block: int = 1) -> NDArray[np.bool_]:
    """Keys at most `window` places away in reading order, (stop - start, N).

    block: places are counted in blocks of so many tokens: with 64 a query sees all of its own block and of the
    window // 64 blocks on either side (BigBird, arXiv:2007.14062 appendix D).
    """
    reach = window // block
    rows, first = np.arange(start, stop) // block, max(0, (start // block - reach) * block)
    columns = np.arange(first, min(layout.n, ((stop - 1) // block + reach + 1) * block))  # the others are out of reach
    seen = np.zeros((stop - start, layout.n), dtype=bool)
    seen[:, columns[0] : columns[-1] + 1] = np.abs(rows[:, None] - columns // block) <= reach
    return seen
