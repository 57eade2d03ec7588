import numpy as np
import pytest

from models.attention.kinds import kind
from models.attention.plan import Plan, make_plan
from tests.models.attention.dense import ADDABLE, KINDS, LENGTHS, PARAMETERS, dense_mask, layout

SLIDING = kind("sliding", PARAMETERS)


def seen_in(plan: Plan) -> np.ndarray:
    """(G, N, N) bool, put together again from the blocks."""
    groups = max(block.mask.shape[0] if block.mask is not None and block.mask.ndim == 3 else 1 for block in plan.blocks)
    seen = np.zeros((groups, plan.length, plan.length), dtype=bool)
    for block in plan.blocks:
        seen[:, block.start : block.stop, block.keys] = True if block.mask is None else block.mask
    return seen


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", [*KINDS, "distance+sliding"])
def test_blocks_cover_each_row_once_and_in_order(name: str, length: int) -> None:
    plan = make_plan(layout(length, (0,)), kind(name, PARAMETERS), block=16, dense_share=9)
    assert [row for block in plan.blocks for row in range(block.start, block.stop)] == list(range(length))
    assert max(block.stop - block.start for block in plan.blocks) <= 16


@pytest.mark.parametrize("name", [*ADDABLE, "distance+sliding"])
def test_local_rows_see_what_the_kind_allows_and_the_global_tokens(name: str) -> None:
    window = layout(101, (0, 50))
    seen = seen_in(make_plan(window, kind(name, PARAMETERS), block=16, dense_share=9))
    local = ~window.is_global
    assert (seen[:, local] == dense_mask(window, name).numpy()[:, local]).all()


@pytest.mark.parametrize("global_tokens", [(), (0,), (64,)])
def test_keys_are_those_needed_or_a_run_little_longer(global_tokens: tuple[int, ...]) -> None:
    for block in make_plan(layout(130, global_tokens), kind("distance", PARAMETERS), block=16, dense_share=9).blocks:
        steps = np.diff(block.keys)
        assert (steps > 0).all()
        needed = len(block.keys) if block.mask is None else block.mask.any(axis=0).sum()
        assert needed == len(block.keys) or ((steps == 1).all() and len(block.keys) <= 1.25 * needed)


def test_a_mask_that_hides_nothing_is_left_out() -> None:
    assert all(block.mask is None for block in make_plan(layout(40), kind("full"), 16, 9).blocks)
    assert all(block.mask is not None for block in make_plan(layout(40), SLIDING, 16, 9).blocks)


@pytest.mark.parametrize(("name", "length"), [("full", 700), ("sliding", 24), ("sliding", 16)])
def test_where_blocks_would_visit_nearly_all_pairs_there_is_one(name: str, length: int) -> None:
    [block] = make_plan(layout(length), kind(name, PARAMETERS), block=16).blocks
    assert (block.start, block.stop, len(block.keys)) == (0, length, length)


def test_a_long_window_has_blocks() -> None:
    assert len(make_plan(layout(101), SLIDING, block=16).blocks) == 7


def test_global_rows_are_named() -> None:
    plan = make_plan(layout(30, (0, 7)), SLIDING)
    assert (plan.length, plan.global_rows.tolist()) == (30, [0, 7])


def test_a_window_of_global_tokens_alone_has_a_plan() -> None:
    assert seen_in(make_plan(layout(3, (0, 1, 2)), kind("distance", PARAMETERS), dense_share=9)).all()


def test_an_empty_window_has_no_blocks() -> None:
    assert make_plan(layout(0), SLIDING).blocks == ()
