from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from models.attention.attend import _all_at_once, _every_block, attend, attend_global, attend_unprojected
from models.attention.pack import PackedPlan
from tests.models.attention.dense import (
    CHANNELS,
    HEADS,
    KINDS,
    LENGTHS,
    dense,
    gradients,
    in_blocks,
    layout,
    planned,
    random_parts,
)

COMBINED = (*KINDS, "distance+sliding", "sliding+random", "sliding+dilated", "sliding+distance+full")
GLOBALS = {"none": (), "first": (0,), "anywhere": (3, 40, 100)}


def padded(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan) -> Tensor:
    """The way of a device, on the CPU."""
    if plan.is_paired:
        return attend_global(q, k, v, plan, _every_block(q, k, v, plan, 0.0))
    return attend_global(q, k, v, plan, _all_at_once(q, k, v, plan, 0.0))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("global_tokens", GLOBALS.values(), ids=GLOBALS)
@pytest.mark.parametrize("name", COMBINED)
@pytest.mark.parametrize("way", [in_blocks, padded])
def test_both_ways_give_the_numbers_and_gradients_of_dense_attention(
    way: Callable[..., Tensor], name: str, global_tokens: tuple[int, ...], length: int, device: str
) -> None:
    window = layout(length, global_tokens)
    parts = random_parts(length, device)
    found, wanted = way(*parts, planned([window], name, device=device)), dense(*parts, [window], name)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-12)
    torch.testing.assert_close(gradients(found, parts), gradients(wanted, parts), rtol=0, atol=1e-12)


@pytest.mark.parametrize("way", [in_blocks, padded])
def test_packed_windows_are_what_each_is_alone(way: Callable[..., Tensor], device: str) -> None:
    windows = [layout(n, (0, 20), seed=n) for n in (37, 1, 101, 16, 7)]
    bounds = torch.tensor([0, *(w.n for w in windows)]).cumsum(0).tolist()
    parts = random_parts(bounds[-1], device)
    together = way(*parts, planned(windows, "distance+sliding", device=device))
    gradient = gradients(together, parts)
    torch.testing.assert_close(together, dense(*parts, windows, "distance+sliding"), rtol=0, atol=1e-12)
    wanted = gradients(dense(*parts, windows, "distance+sliding"), parts)
    torch.testing.assert_close(gradient, wanted, rtol=0, atol=1e-12)
    for window, start, stop in zip(windows, bounds, bounds[1:], strict=False):
        q, k, v = (part[start:stop] for part in parts)
        alone = way(q, k, v, planned([window], "distance+sliding", device=device))
        torch.testing.assert_close(together[start:stop], alone, rtol=0, atol=1e-12)


def test_keys_in_one_run_are_cut_out_and_others_gathered(device: str) -> None:
    windows = [layout(40), layout(60, (0,))]
    plan = planned(windows, "sliding", device=device)
    assert {isinstance(block.keys, slice) for block in plan.blocks} == {True, False}
    gathered = replace(plan, blocks=tuple(replace(b, keys=_numbers(b.keys).to(device)) for b in plan.blocks))
    parts = random_parts(100, device)
    found, wanted = in_blocks(*parts, gathered), in_blocks(*parts, plan)
    torch.testing.assert_close(found, wanted, rtol=0, atol=0)
    torch.testing.assert_close(gradients(found, parts), gradients(wanted, parts), rtol=0, atol=1e-15)


def _numbers(keys: Tensor | slice) -> Tensor:
    return torch.arange(keys.start, keys.stop) if isinstance(keys, slice) else keys


@pytest.mark.parametrize("name", ["distance+sliding", "distance-sw", "dilated"])
@pytest.mark.parametrize("global_tokens", [(), (0, 9)])
def test_backward_drops_what_forward_dropped(global_tokens: tuple[int, ...], name: str, device: str) -> None:
    window = layout(20, global_tokens)
    plan = planned([window], name, device=device)
    parts = random_parts(20, device)

    def dropped(*qkv: Tensor) -> Tensor:
        torch.manual_seed(1)
        return in_blocks(*qkv, plan, dropout=0.4)

    assert not torch.allclose(dropped(*parts), in_blocks(*parts, plan))
    # A device adds up in no fixed order.
    assert torch.autograd.gradcheck(dropped, parts, fast_mode=True, nondet_tol=0 if device == "cpu" else 1e-9)


def test_backward_leaves_the_random_generator_where_it_was(device: str) -> None:
    plan = planned([layout(20)], "sliding", device=device)
    parts = random_parts(20, device)
    out = attend(*parts, plan, dropout=0.4)
    torch.rand(3)
    before = torch.get_rng_state()
    gradients(out, parts)
    assert torch.equal(torch.get_rng_state(), before)


def test_dropout_keeps_the_mean(device: str) -> None:
    plan = planned([layout(30, (0,))], "full", device=device)
    parts = [part.detach() for part in random_parts(30, device)]
    mean = sum(in_blocks(*parts, plan, dropout=0.3) for _ in range(400)) / 400
    assert (mean - in_blocks(*parts, plan)).abs().max() < 0.25


def test_a_layout_of_memory_other_than_the_usual_is_as_good(device: str) -> None:
    plan = planned([layout(50, (0,))], "distance", device=device)
    parts = random_parts(50, device)
    turned = [part.transpose(0, 1).contiguous().transpose(0, 1) for part in parts]
    torch.testing.assert_close(in_blocks(*turned, plan), in_blocks(*parts, plan), rtol=0, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_global_attention_need_not_project_all_tokens(count: int, device: str) -> None:
    """Up to two queries of two heads here are taken to the unprojected tokens; more have the tokens projected."""
    torch.manual_seed(0)
    key, value = nn.Linear(4, 8).double().to(device), nn.Linear(4, 8).double().to(device)
    hidden = torch.randn(11, 4, dtype=torch.float64, device=device, requires_grad=True)
    q = torch.randn(count, HEADS, CHANNELS, dtype=torch.float64, device=device, requires_grad=True)
    k, v = (layer(hidden).unflatten(1, (HEADS, CHANNELS)) for layer in (key, value))
    weights = (torch.einsum("ghd,nhd->hgn", q, k) / CHANNELS**0.5).softmax(-1)
    wanted = torch.einsum("hgn,nhd->ghd", weights, v)
    found = attend_unprojected(q, hidden, key, value)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-12)
    wanted_by = [q, hidden, *key.parameters(), *value.parameters()]
    ours, theirs = (torch.autograd.grad(x.square().sum(), wanted_by) for x in (found, wanted))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
