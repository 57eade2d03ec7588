import numpy as np
import pytest

from models.attention.kinds.random import allowed
from tests.models.attention.dense import layout


def test_queries_of_a_block_see_so_many_whole_blocks() -> None:
    seen = allowed(layout(203), 0, 203, blocks=3, block=16)
    for start in range(0, 203, 16):
        rows = seen[start : start + 16]
        assert (rows == rows[0]).all()
        chosen = np.unique(np.flatnonzero(rows[0]) // 16)
        assert len(chosen) == 3
        assert rows[0].sum() == sum(min(16, 203 - 16 * i) for i in chosen)


def test_blocks_differ_in_what_they_see() -> None:
    seen = allowed(layout(1024), 0, 1024, blocks=3, block=16)[::16]
    assert len(np.unique(seen, axis=0)) > 48


def test_where_there_are_fewer_blocks_all_are_seen() -> None:
    assert allowed(layout(30), 0, 30, blocks=3, block=16).all()


@pytest.mark.parametrize("seed", [0, 7])
def test_a_seed_draws_the_same_every_time(seed: int) -> None:
    first, second = (allowed(layout(640), 0, 640, blocks=2, block=16, seed=seed) for _ in range(2))
    assert (first == second).all()
    assert (first != allowed(layout(640), 0, 640, blocks=2, block=16, seed=seed + 1)).any()


def test_without_a_seed_every_plan_draws_anew() -> None:
    first, second = (allowed(layout(640), 0, 640, blocks=2, block=16, seed=None) for _ in range(2))
    assert (first != second).any()
