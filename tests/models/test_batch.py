from dataclasses import fields, replace

import pytest
import torch
from torch import Tensor

from models.batch import Batch
from pipeline.dataset import collate
from tests import tiny


@pytest.fixture
def batch() -> Batch:
    made = collate(tiny.windows(tiny.config(mixers=["distance", "full"]), "This Agreement", "by Acme Inc."))
    return replace(made, targets={"nda": torch.zeros(len(made.input_ids), dtype=torch.int64)})


def tensors(batch: Batch) -> list[Tensor]:
    """All there are, those of plans among them."""
    plain = [getattr(batch, f.name) for f in fields(batch) if isinstance(getattr(batch, f.name), Tensor)]
    blocks = [block for plan in batch.plans.values() for block in plan.blocks]
    parts = [part for block in blocks for part in (block.keys, block.mask) if isinstance(part, Tensor)]
    rows = [rows for plan in batch.plans.values() for _, rows in plan.windows]
    return [*plain, *batch.targets.values(), *parts, *rows]


def test_everything_moves(batch: Batch) -> None:
    """The meta device stands for one that is not the CPU."""
    assert {part.device.type for part in tensors(batch)} == {"cpu"}
    moved = batch.to("meta")
    assert {part.device.type for part in tensors(moved)} == {"meta"}
    assert len(tensors(moved)) == len(tensors(batch))
    assert {part.device.type for part in tensors(batch)} == {"cpu"}


def test_where_it_is_already_nothing_changes(batch: Batch) -> None:
    same = batch.to("cpu")
    assert all(torch.equal(a, b) for a, b in zip(tensors(same), tensors(batch), strict=True))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="memory is page-locked for CUDA")
def test_everything_is_page_locked(batch: Batch) -> None:
    assert all(part.is_pinned() for part in tensors(batch.pin_memory()))
