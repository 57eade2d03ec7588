"""Random blocks (BigBird, arXiv:2007.14062 section 2): each block of queries sees a few blocks drawn at random."""

import numpy as np
from numpy.typing import NDArray

from models.attention.layout import Layout


def allowed(
    layout: Layout, start: int, stop: int, *, blocks: int = 3, block: int = 64, seed: int | None = 0
) -> NDArray[np.bool_]:
    """Keys of `blocks` random blocks of `block` tokens, the same for all queries of a block, (stop - start, N).

    The draw depends on the seed and the query block's place alone, so a window is read alike in training and after, and
    whatever it is batched with; with seed None every plan draws anew.
    """
    there = -(-layout.n // block)
    rows = np.arange(start, stop) // block
    chosen = np.zeros((rows[-1] - rows[0] + 1, there), dtype=bool)
    for i, row in enumerate(range(rows[0], rows[-1] + 1)):
        draw = np.random.default_rng(None if seed is None else (seed, row))
        chosen[i, draw.choice(there, size=min(blocks, there), replace=False)] = True
    return np.repeat(chosen, block, axis=1)[rows - rows[0], : layout.n]
