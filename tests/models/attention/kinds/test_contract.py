import pickle

import numpy as np
import pytest
from numpy.typing import NDArray

from models.attention.kinds import kind
from models.attention.layout import Layout
from tests.models.attention.dense import ADDABLE, KINDS, LENGTHS, PARAMETERS, layout

COMBINED = [*ADDABLE, *(f"{a}+{b}" for a in ADDABLE for b in ADDABLE if a != b)]
PAIRED = [name for name in KINDS if name not in ADDABLE]


def seen(name: str, window: Layout, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
    return kind(name, PARAMETERS).allowed(window, start, window.n if stop is None else stop)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", COMBINED)
def test_rows_are_the_same_however_they_are_asked_for(name: str, length: int) -> None:
    window = layout(length, (0,))
    whole = seen(name, window)
    assert whole.shape[-2:] == (length, length)
    assert whole.dtype == bool
    for size in (1, 16, 64):
        parts = [seen(name, window, a, min(a + size, length)) for a in range(0, length, size)]
        assert (np.concatenate(parts, axis=-2) == whole).all()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", PAIRED)
def test_pairs_are_the_same_however_they_are_asked_for(name: str, length: int) -> None:
    window, pairs = layout(length, (0, 3)), kind(name, PARAMETERS).pairs
    for whole, *parts in zip(pairs(window, 0, length), *(pairs(window, i, i + 1) for i in range(length)), strict=True):
        assert whole.shape[0] == length
        assert (np.concatenate(parts) == whole).all()


@pytest.mark.parametrize("name", [name for name in COMBINED if name != "random"])
def test_every_local_query_sees_itself(name: str) -> None:
    """At most 9 tokens share a place here, so that even the nearest 9 hold the query."""
    window = layout(101, (0, 50))
    local = np.flatnonzero(~window.is_global)
    assert seen(name, window)[..., local, local].all()


@pytest.mark.parametrize("name", COMBINED)
def test_what_is_asked_is_not_changed(name: str) -> None:
    window = layout(64, (3,))
    centres, is_global = window.centres.copy(), window.is_global.copy()
    first = seen(name, window)
    first[:] = True  # planning writes into what it is given
    assert (window.centres == centres).all()
    assert (window.is_global == is_global).all()
    assert (seen(name, window) == seen(name, window)).all()


def test_kinds_add_up() -> None:
    window = layout(101, (0,))
    both = seen("distance", window) | seen("sliding", window)
    assert (seen("distance+sliding", window) == both).all()
    assert (seen("sliding+distance", window) == both).all()
    assert (seen("sliding+dilated", window) == (seen("dilated", window) | seen("sliding", window))).all()


@pytest.mark.parametrize("name", PAIRED)
def test_pairs_stand_alone(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be added"):
        kind(f"{name}+sliding")


@pytest.mark.parametrize("name", COMBINED)
def test_workers_can_be_sent_a_kind(name: str) -> None:
    window = layout(64)
    sent = pickle.loads(pickle.dumps(kind(name, PARAMETERS)))
    assert (sent.allowed(window, 0, 64) == seen(name, window)).all()


def test_an_unknown_part_is_named() -> None:
    with pytest.raises(ValueError, match=r"spiral.*distance.*full.*sliding"):
        kind("sliding+spiral")
