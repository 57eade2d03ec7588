"""Full attention: a query sees every token."""

import numpy as np
from numpy.typing import NDArray

from models.attention.layout import Layout


def allowed(layout: Layout, start: int, stop: int) -> NDArray[np.bool_]:
    """Every key, (stop - start, N)."""
    return np.ones((stop - start, layout.n), dtype=bool)
