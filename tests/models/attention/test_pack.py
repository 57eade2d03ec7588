import pickle
from dataclasses import fields

import pytest
import torch

from models.attention.pack import PackedBlock, PackedPlan
from tests.models.attention.dense import ADDABLE, BLOCK, KINDS, layout, planned

WINDOWS = [layout(n, (0, 9), seed=n) for n in (37, 5, 101)]


def parts(block: PackedBlock) -> list[object]:
    pairs = block.pairs
    return [block.keys, block.mask, block.values, pairs and pairs.scored, pairs and pairs.weighed]


def test_windows_lie_end_to_end() -> None:
    plan = planned(WINDOWS, "distance+sliding")
    assert [row for block in plan.blocks for row in range(block.rows.start, block.rows.stop)] == list(range(143))
    assert [(w.start, w.stop, rows.tolist()) for w, rows in plan.windows] == [
        (0, 37, [0, 9]),
        (37, 42, [37]),
        (42, 143, [42, 51]),
    ]


def test_no_block_looks_into_another_window() -> None:
    for block in planned(WINDOWS, "distance+sliding").blocks:
        first, last = (0, 37) if block.rows.start < 37 else (37, 42) if block.rows.start < 42 else (42, 143)
        keys = block.keys
        low, high = (keys.start, keys.stop - 1) if isinstance(keys, slice) else (int(keys[0]), int(keys[-1]))
        assert first <= low <= high < last


def test_windows_without_global_tokens_are_not_listed() -> None:
    assert planned([layout(10), layout(12, (3,))], "full").windows[0][0] == slice(10, 22)


@pytest.mark.parametrize("name", ADDABLE)
def test_the_padded_blocks_hold_every_row_once_and_no_empty_row(name: str) -> None:
    plan = planned(WINDOWS, name)
    padded = plan.padded
    assert padded.queries.shape == (len(plan.blocks), BLOCK)
    assert padded.mask.shape[::2] == padded.queries.shape
    assert padded.queries.flatten()[padded.real].tolist() == list(range(143))
    assert padded.mask.any(-1).all()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("global_tokens", [(), (0,)])
def test_all_tensors_go_to_the_device_asked_for(name: str, global_tokens: tuple[int, ...]) -> None:
    """The meta device stands for one that is not the CPU."""
    plan: PackedPlan = planned([layout(33, global_tokens)], name).to("meta")
    held = [rows for _, rows in plan.windows]
    if not plan.is_paired:
        held += [getattr(plan.padded, field.name) for field in fields(plan.padded)]
    held += [part for b in plan.blocks for part in parts(b) if isinstance(part, torch.Tensor)]
    assert {part.device.type for part in held} == {"meta"}


@pytest.mark.parametrize("name", KINDS)
def test_another_process_gets_the_same_plan(name: str) -> None:
    plan = planned(WINDOWS, name)
    if not plan.is_paired:
        _ = plan.padded
    sent = pickle.loads(pickle.dumps(plan))
    assert [b.rows for b in sent.blocks] == [b.rows for b in plan.blocks]
    for block, same in zip(plan.blocks, sent.blocks, strict=True):
        for part, other in zip(parts(block), parts(same), strict=True):
            assert torch.equal(part, other) if isinstance(part, torch.Tensor) else part == other
    assert [(w, rows.tolist()) for w, rows in sent.windows] == [(w, rows.tolist()) for w, rows in plan.windows]
    assert plan.is_paired or torch.equal(sent.padded.mask, plan.padded.mask)
