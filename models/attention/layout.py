"""What an attention kind may look at: where the tokens of one window lie, and which of them are global."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Layout:
    """The tokens of one window.

    centres: (N, 2) float32, the middle of each token's box in document coordinates (points; y grows down through the
        pages, so a neighbour may lie across a page break).
    is_global: (N,) bool; a global token sees all tokens and all tokens see it (Longformer, arXiv:2004.05150 section
        3.1).
    """

    centres: NDArray[np.float32]
    is_global: NDArray[np.bool_]

    @property
    def n(self) -> int:
        """The number of tokens."""
        return len(self.centres)
