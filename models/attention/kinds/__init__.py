"""Attention kinds: each file says which keys a query may see.

A kind is a function `allowed(layout, start, stop, **parameters)`: for the query rows start…stop-1 it gives a bool
array (stop - start, N). Kinds add up: "distance+sliding" allows what either allows. Global tokens are none of a
kind's business: `models.attention.plan` adds them.
"""

from collections.abc import Callable, Mapping
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from models.attention.layout import Layout
from models.registry import pick

Allowed = Callable[[Layout, int, int], NDArray[np.bool_]]


def kind(name: str, parameters: Mapping[str, Mapping[str, int]] | None = None) -> Allowed:
    """The kind called `name`, e.g. "distance+sliding", with each part's own parameters bound. It can be pickled.

    Raises ValueError for a part there is no file for.
    """
    bound = parameters or {}
    return partial(_any_of, [partial(pick(__name__, part).allowed, **bound.get(part, {})) for part in name.split("+")])


def _any_of(parts: list[Allowed], layout: Layout, start: int, stop: int) -> NDArray[np.bool_]:
    return reduce(np.logical_or, (part(layout, start, stop) for part in parts))
