import pytest
import torch
from torch import Tensor

from models.attention import flex
from models.attention.attend import attend
from models.attention.flex import TILE, block_mask, tiles
from models.attention.flex import attend as flexed
from models.attention.pack import PackedPlan
from tests.models.attention.dense import ADDABLE, HEADS, gradients, layout, planned, random_parts

pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
COMBINED = [*ADDABLE, "distance+sliding", "sliding+dilated"]
# Longer than a tile, and neither blocks nor windows begin where tiles do.
WINDOWS = [layout(n, (0, 20), seed=n) for n in (37, 1, 300, 16, 129)]


def seen(plan: PackedPlan) -> Tensor:
    """(G, T, T) bool, of local rows."""
    length = plan.blocks[-1].rows.stop
    groups = max(b.mask.shape[0] if b.mask is not None and b.mask.ndim == 3 else 1 for b in plan.blocks)
    whole = torch.zeros(groups, length, length, dtype=torch.bool)
    for block in plan.blocks:
        whole[:, block.rows, block.keys] = True if block.mask is None else block.mask
    return whole


@pytest.mark.parametrize("name", COMBINED)
def test_it_gives_the_numbers_of_the_plain_kernel(name: str, device: str) -> None:
    """And the gradients, where there are any: on the CPU FlexAttention has none."""
    for windows in (WINDOWS, WINDOWS[:1], [layout(TILE, (5,))]):
        plan = planned(windows, name, device=device)
        parts = random_parts(sum(w.n for w in windows), device, torch.float32, channels=16)
        given = [part.detach() for part in parts] if device == "cpu" else parts
        found, wanted = flexed(*given, plan), attend(*given, plan)
        torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5)
        if device != "cpu":
            torch.testing.assert_close(gradients(found, parts), gradients(wanted, parts), rtol=0, atol=1e-4)


@pytest.mark.parametrize("block", [16, TILE, 500])
@pytest.mark.parametrize("name", COMBINED)
def test_tiles_hold_exactly_what_is_seen(name: str, block: int) -> None:
    plan = planned(WINDOWS, name, block=block)
    tiled, wanted = tiles(plan), seen(plan)
    length = wanted.shape[1]
    whole = tiled.tile[tiled.at].transpose(2, 3).flatten(3).flatten(1, 2)  # (G, n TILE, n TILE)
    assert torch.equal(whole[:, :length, :length], wanted)
    assert not whole[:, length:].any()
    assert not whole[:, :, length:].any()
    some = tiled.tile[2:].sum((1, 2))
    assert ((some > 0) & (some < TILE**2)).all()


@pytest.mark.parametrize("name", ["full", "sliding+dilated"])
def test_tiles_that_are_not_seen_are_passed_over(name: str) -> None:
    plan = planned([layout(700), layout(300)], name, block=TILE)
    mask, wanted = block_mask(plan, HEADS), seen(plan)
    padded = torch.nn.functional.pad(wanted, (0, 24, 0, 24)).unflatten(2, (8, TILE)).unflatten(1, (8, TILE))
    assert torch.equal(mask.to_dense()[0].bool(), padded.any(4).any(2))
    assert mask.full_kv_num_blocks is not None
    assert torch.equal(mask.full_kv_num_blocks[0], padded.all(4).all(2).sum(2).int())
    assert mask.seq_lengths == (1000, 1000)


def test_a_plan_is_tiled_once_for_all_layers() -> None:
    plan = planned(WINDOWS[:1], "sliding")
    q, k, v = (part.detach() for part in random_parts(37, dtype=torch.float32))
    flexed(q, k, v, plan)
    held = flex._masks[plan][HEADS]
    flexed(q, k, v, plan)
    assert flex._masks[plan][HEADS] is held


def test_what_it_cannot_do_is_told() -> None:
    parts = [part.detach() for part in random_parts(37)]
    with pytest.raises(ValueError, match="scores of other tokens"):
        flexed(*parts, planned(WINDOWS[:1], "distance-sw"))
    with pytest.raises(ValueError, match="dropout"):
        flexed(*parts, planned(WINDOWS[:1], "sliding"), dropout=0.1)
