import numpy as np

from models.attention.kinds.dilated import allowed
from tests.models.attention.dense import layout


def test_each_group_of_heads_has_its_own_window() -> None:
    """Against every query and key, one by one."""
    window, dilations = 3, (1, 2, 5)
    seen = allowed(layout(60), 0, 60, window=window, dilations=dilations)
    assert seen.shape == (3, 60, 60)
    for group, dilation in enumerate(dilations):
        for query in range(60):
            places = [query + step * dilation for step in range(-window, window + 1)]
            assert np.flatnonzero(seen[group, query]).tolist() == [place for place in places if 0 <= place < 60]


def test_the_last_sixth_of_the_heads_looks_twice_as_far_by_default() -> None:
    seen = allowed(layout(2000), 1000, 1001)
    assert [np.flatnonzero(rows[0])[[0, -1]].tolist() for rows in seen] == [[744, 1256]] * 5 + [[488, 1512]]
    assert (seen.sum(-1) == 513).all()
