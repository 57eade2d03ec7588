import numpy as np

from models.attention.kinds.sliding import allowed
from tests.models.attention.dense import layout


def test_a_query_sees_the_window_on_either_side() -> None:
    seen = allowed(layout(50), 20, 22, window=3)
    assert [np.flatnonzero(row).tolist() for row in seen] == [list(range(17, 24)), list(range(18, 25))]


def test_the_ends_of_the_text_cut_the_window() -> None:
    seen = allowed(layout(10), 0, 10, window=3)
    assert np.flatnonzero(seen[0]).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(seen[9]).tolist() == [6, 7, 8, 9]
