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


def test_places_may_be_counted_in_blocks() -> None:
    """All of the query's own block, and of as many on either side as the window holds."""
    seen = allowed(layout(50), 0, 50, window=16, block=8)
    for query in range(50):
        own = query // 8
        wanted = [key for key in range(50) if own - 2 <= key // 8 <= own + 2]
        assert np.flatnonzero(seen[query]).tolist() == wanted


def test_a_window_of_part_of_a_block_is_none() -> None:
    seen = allowed(layout(24), 8, 9, window=7, block=8)
    assert np.flatnonzero(seen[0]).tolist() == list(range(8, 16))
