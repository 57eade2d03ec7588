import numpy as np
import pytest

from models.attention.kinds import sliding
from models.attention.kinds.distance_sw import pairs
from models.attention.layout import Layout
from tests.models.attention.dense import layout


def one_line(length: int, global_tokens: tuple[int, ...] = ()) -> Layout:
    """Tokens at equal distances on one line."""
    is_global = np.zeros(length, dtype=bool)
    is_global[list(global_tokens)] = True
    return Layout(np.stack([10.0 * np.arange(length), np.zeros(length)], axis=1).astype(np.float32), is_global)


@pytest.mark.parametrize("neighbours", [1, 7, 8])
def test_on_one_line_it_is_a_sliding_window(neighbours: int) -> None:
    """Each value is weighed by its own score; but at the ends, where `sliding` has fewer keys, the window is pushed
    inside."""
    scored, weighed = pairs(one_line(60), 0, 60, neighbours=neighbours)
    assert (scored == weighed).all()
    assert scored.shape == (60, neighbours)
    if neighbours % 2:
        slid = sliding.allowed(one_line(60), 0, 60, window=neighbours // 2)
        for query in range(neighbours // 2, 60 - neighbours // 2):
            assert scored[query].tolist() == np.flatnonzero(slid[query]).tolist()
    assert scored[0].tolist() == list(range(neighbours))
    assert scored[-1].tolist() == list(range(60 - neighbours, 60))


def test_elsewhere_scores_are_of_the_nearest_and_values_of_the_window() -> None:
    """Two columns that are read one after the other: what is nearest is beside, not before and after."""
    centres = np.array([(x, 12 * y) for x in (0, 1) for y in range(20)], dtype=np.float32)
    scored, weighed = pairs(Layout(centres, np.zeros(40, dtype=bool)), 5, 6, neighbours=2)
    assert scored.tolist() == [[5, 25]]
    assert weighed.tolist() == [[4, 5]]


def test_global_tokens_are_in_neither() -> None:
    for part in pairs(one_line(30, (0, 11)), 0, 30, neighbours=5):
        assert not np.isin(part, [0, 11]).any()
        assert (np.diff(part, axis=1) > 0).all()


def test_a_short_document_has_as_many_pairs_as_tokens() -> None:
    for part in pairs(layout(7, (0,)), 0, 7, neighbours=9):
        assert part.tolist() == [[1, 2, 3, 4, 5, 6]] * 7
