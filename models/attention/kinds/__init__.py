"""Attention kinds: each file says which keys a query may see.

A kind is a function `allowed(layout, start, stop, **parameters)`: for the query rows start…stop-1 it gives a bool
array (stop - start, N), or (G, stop - start, N) where G equal groups of heads differ. Kinds add up: "distance+sliding"
allows what either allows. Global tokens are none of a kind's business: `models.attention.plan` adds them.

A kind that takes scores from some tokens and values from others is instead a function
`pairs(layout, start, stop, **parameters)`, two int64 arrays (stop - start, M): the tokens each query scores, and the
tokens whose values those scores weigh. It stands alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.attention.layout import Layout
from models.registry import pick

Allowed = Callable[[Layout, int, int], NDArray[np.bool_]]
Paired = Callable[[Layout, int, int], tuple[NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True)
class Kind:
    """An attention kind with its parameters bound: one of the two is not None. It can be pickled."""

    allowed: Allowed | None = None
    pairs: Paired | None = None


def kind(name: str, parameters: Mapping[str, Mapping[str, Any]] | None = None) -> Kind:
    """The kind called `name`, e.g. "distance+sliding", with each part's own parameters.

    Raises ValueError for a part there is no file for, and for a kind of pairs among several.
    """
    bound = parameters or {}
    parts = name.split("+")
    modules = [(pick(__name__, part), bound.get(part, {})) for part in parts]
    paired = [partial(module.pairs, **given) for module, given in modules if hasattr(module, "pairs")]
    if not paired:
        return Kind(allowed=partial(_any_of, [partial(module.allowed, **given) for module, given in modules]))
    if len(parts) > 1:
        raise ValueError(f"the kind {name!r} adds up what cannot be added: values that come from other tokens")
    return Kind(pairs=paired[0])


def _any_of(parts: list[Allowed], layout: Layout, start: int, stop: int) -> NDArray[np.bool_]:
    return reduce(np.logical_or, (part(layout, start, stop) for part in parts))
