from itertools import islice

import numpy as np
import pytest

from pipeline.training.packing import Window, lay_out, pack, passes, windows_of

LENGTHS = np.random.default_rng(0).integers(1, 900, 60).tolist()


def size(batch: list[Window]) -> int:
    return sum(window.size for window in batch)


def covered(windows: list[Window]) -> list[list[int]]:
    """The tokens of each document, as the windows have them."""
    found: list[list[int]] = [[] for _ in LENGTHS]
    for window in sorted(windows):
        found[window.document] += range(window.start, window.stop)
    return found


def test_windows_cover_each_document_once() -> None:
    windows = windows_of(LENGTHS, 128)
    assert covered(windows) == [list(range(length)) for length in LENGTHS]
    assert max(window.size for window in windows) == 128


def test_a_batch_is_filled_with_short_windows_and_holds_no_more_than_its_budget() -> None:
    windows = windows_of(LENGTHS, 128)
    batches = pack(windows, 512)
    assert sorted(window for batch in batches for window in batch) == sorted(windows)
    assert all(size(batch) <= 512 for batch in batches)
    assert len(batches) == -(-size(windows) // 512)  # none less would hold them


def test_the_fullest_batch_takes_a_window() -> None:
    made = [Window(i, 0, 0, length - 2) for i, length in enumerate((60, 50, 40, 30, 20))]
    assert [[window.document for window in batch] for batch in pack(made, 100)] == [[0, 2], [1, 3, 4]]


def test_passes_have_the_same_windows_in_another_order() -> None:
    in_all = len(pack(windows_of(LENGTHS, 128), 512))
    found = list(islice(passes(LENGTHS, 128, 512, seed=0), 2 * in_all))
    one, other = ([window for batch in half for window in batch] for half in (found[:in_all], found[in_all:]))
    assert {window.turn for window in one} == {0}
    assert {window.turn for window in other} == {1}
    assert covered(one) == covered(other)
    assert [window[::3] for window in one] != [window[::3] for window in other]


def test_a_run_keeps_to_its_tokens() -> None:
    for budget in (1000, 20_000, 100_000):
        laid = lay_out(LENGTHS, 128, 512, budget, seed=0)
        assert budget - 512 < sum(map(size, laid)) <= budget
    shorter = lay_out(LENGTHS, 128, 512, 20_000, seed=0)
    assert laid[: len(shorter)] == shorter
    assert lay_out(LENGTHS, 128, 512, 20_000, seed=1) != shorter


def test_a_run_has_whole_steps() -> None:
    assert len(lay_out(LENGTHS, 128, 512, 20_000, seed=0, group=4)) % 4 == 0
    with pytest.raises(ValueError, match="do not suffice for one step"):
        lay_out(LENGTHS, 128, 512, 1000, seed=0, group=4)
    with pytest.raises(ValueError, match="100 tokens do not suffice"):
        lay_out(LENGTHS, 128, 512, 100, seed=0)
