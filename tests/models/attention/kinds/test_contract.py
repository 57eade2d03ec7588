import pickle

import numpy as np
import pytest

from models.attention.kinds import kind
from models.registry import names
from tests.models.attention.dense import LENGTHS, PARAMETERS, layout

KINDS = names("models.attention.kinds")
COMBINED = [*KINDS, *(f"{a}+{b}" for a in KINDS for b in KINDS if a != b)]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", COMBINED)
def test_rows_are_the_same_however_they_are_asked_for(name: str, length: int) -> None:
    window, allowed = layout(length, (0,)), kind(name, PARAMETERS)
    whole = allowed(window, 0, length)
    assert whole.shape == (length, length)
    assert whole.dtype == bool
    for size in (1, 16, 64):
        parts = [allowed(window, a, min(a + size, length)) for a in range(0, length, size)]
        assert (np.concatenate(parts) == whole).all()


@pytest.mark.parametrize("name", COMBINED)
def test_every_local_query_sees_itself(name: str) -> None:
    """At most 9 tokens share a place here, so that even the nearest 9 hold the query."""
    window = layout(101, (0, 50))
    local = np.flatnonzero(~window.is_global)
    assert kind(name, PARAMETERS)(window, 0, 101)[local, local].all()


@pytest.mark.parametrize("name", COMBINED)
def test_what_is_asked_is_not_changed(name: str) -> None:
    window = layout(64, (3,))
    centres, is_global = window.centres.copy(), window.is_global.copy()
    first = kind(name, PARAMETERS)(window, 0, 64)
    first[:] = True  # planning writes into what it is given
    assert (window.centres == centres).all()
    assert (window.is_global == is_global).all()
    assert (kind(name, PARAMETERS)(window, 0, 64) == kind(name, PARAMETERS)(window, 0, 64)).all()


def test_kinds_add_up() -> None:
    window = layout(101, (0,))
    both = kind("distance", PARAMETERS)(window, 0, 101) | kind("sliding", PARAMETERS)(window, 0, 101)
    assert (kind("distance+sliding", PARAMETERS)(window, 0, 101) == both).all()
    assert (kind("sliding+distance", PARAMETERS)(window, 0, 101) == both).all()


@pytest.mark.parametrize("name", COMBINED)
def test_workers_can_be_sent_a_kind(name: str) -> None:
    window = layout(64)
    sent = pickle.loads(pickle.dumps(kind(name, PARAMETERS)))
    assert (sent(window, 0, 64) == kind(name, PARAMETERS)(window, 0, 64)).all()


def test_an_unknown_part_is_named() -> None:
    with pytest.raises(ValueError, match=r"spiral.*distance, full, sliding"):
        kind("sliding+spiral")
