from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from models.attention import flex
from models.attention.kinds import kind
from models.attention.pack import pack_plans
from models.attention.plan import make_plan
from models.mixers.attention import Mixer, use_kernel
from pipeline.dataset import collate
from tests import tiny
from tests.models.attention.dense import PARAMETERS, dense_mask, layout

LENGTHS = (101, 1, 37)
GLOBALS = {"first": (0,), "anywhere": (3, 36, 100), "many": tuple(range(1, 101, 4)), "none": ()}


def mixer(**changes: object) -> Mixer:
    torch.manual_seed(0)
    return Mixer(tiny.config(global_projections=True, **changes)).double().eval()


def attention(q: Tensor, k: Tensor, v: Tensor, seen: Tensor) -> Tensor:
    """Written out: q, k, v (N, C) in 4 heads, seen (G, N, N)."""
    q, k, v = (x.unflatten(1, (4, -1)).transpose(0, 1) for x in (q, k, v))
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    hidden = ~seen.repeat_interleave(4 // len(seen), dim=0)
    return (scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v).transpose(0, 1).flatten(1)


@pytest.mark.parametrize("name", ["distance+sliding", "dilated"])
@pytest.mark.parametrize("global_tokens", GLOBALS.values(), ids=GLOBALS)
def test_global_tokens_anywhere_have_projections_of_their_own(
    global_tokens: tuple[int, ...], name: str, device: str
) -> None:
    """Of whichever windows they stand in; more than channels / heads of them are computed another way."""
    windows, made = [layout(n, global_tokens, seed=n) for n in LENGTHS], mixer().to(device)
    plan = pack_plans([make_plan(w, kind(name, PARAMETERS), block=16) for w in windows]).to(device)
    batch = replace(collate(tiny.windows(tiny.config(), "")), plans={name: plan})  # attention sees no more of it
    hidden = torch.randn(sum(LENGTHS), 32, dtype=torch.float64, device=device, requires_grad=True)
    found = made(hidden, batch, name)

    rows = []
    for window, part in zip(windows, hidden.split(LENGTHS), strict=True):
        seen = dense_mask(window, name).to(device)
        local = attention(made.query(part), made.key(part), made.value(part), seen)
        own = attention(made.query_global(part), made.key_global(part), made.value_global(part), torch.ones_like(seen))
        is_global = torch.from_numpy(window.is_global).to(device)
        rows.append(torch.where(is_global[:, None], own, local))
    wanted = made.output(torch.cat(rows))
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-12)
    learning = [hidden, *made.parameters()]
    weights = torch.linspace(-1, 1, found.numel(), dtype=torch.float64, device=device).view_as(found)
    ours, theirs = (torch.autograd.grad((x * weights).sum(), learning, materialize_grads=True) for x in (found, wanted))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-11)


def test_they_begin_as_the_others() -> None:
    made = mixer()
    nn.init.normal_(made.query.bias)
    made.start_gently()
    for own, other in (("query_global", "query"), ("key_global", "key"), ("value_global", "value")):
        before, after = made.get_submodule(other).state_dict(), made.get_submodule(own).state_dict()
        assert all(torch.equal(before[name], after[name]) for name in before)


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("global_projections", [False, True])
def test_another_kernel_can_be_put_in(global_projections: bool, device: str) -> None:
    model = tiny.model(mixers="sliding", global_projections=global_projections).to(device)
    batch = collate(tiny.windows(model.config, "this agreement", tiny.long_text(12))).to(device)
    called = []

    def kernel(*given: Tensor) -> Tensor:
        called.append(given)
        return flex.attend(*given)

    with torch.no_grad():
        usual = model(batch).hidden_states
        use_kernel(model, kernel)
        torch.testing.assert_close(model(batch).hidden_states, usual, rtol=0, atol=1e-4)
    assert len(called) == model.config.num_hidden_layers
