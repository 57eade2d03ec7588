import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from models.attention.kinds import kind
from models.attention.pack import pack_plans
from models.attention.plan import make_plan
from models.batch import Batch
from models.config import LongleafConfig
from models.cost import _typed, flops, parameters
from models.model import LongleafModel
from models.presets import PRESETS, preset


def counted(config: LongleafConfig, tokens: int) -> int:
    """The operations of matrix products that torch counts while a model of that configuration reads."""
    layout = _typed(tokens, config.global_tokens)
    plans = {name: pack_plans([make_plan(layout, kind(name, config.kinds))]) for name in config.attention_kinds}
    ids = torch.zeros(tokens, dtype=torch.int64)
    batch = Batch(ids, ids, torch.zeros(tokens, 4), ids, ids, ids, ids[:1], plans, {})
    model = LongleafModel(config).eval()
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        model.encoder(batch)
    return counter.get_total_flops()


@pytest.mark.parametrize("name", PRESETS)
def test_parameters_are_those_of_the_model(name: str) -> None:
    config = preset(name, "tiny")
    assert parameters(config) == LongleafModel(config).num_parameters()


@pytest.mark.parametrize("tokens", [9, 1500])
@pytest.mark.parametrize("name", [name for name in PRESETS if preset(name).attention_kinds])
def test_operations_are_those_that_are_run(name: str, tokens: int) -> None:
    config = preset(name, "tiny", max_tokens=2048)
    assert flops(config, tokens) == counted(config, tokens)


def test_many_global_tokens_have_all_others_projected() -> None:
    config = preset("longformer", "tiny", global_tokens=9)
    assert flops(config, 100) == counted(config, 100)


def test_transforms_are_counted_beside_linear_layers() -> None:
    config = preset("hnet-4096", "tiny")
    numbers = 64 * 32
    assert flops(config, 64) == counted(config, 64) + 2 * 2.5 * numbers * 11


def test_layers_may_differ() -> None:
    mixed, slid, whole = (preset("sw", "tiny", mixers=mixers) for mixers in (["sliding", "full"], "sliding", "full"))
    assert flops(mixed, 4096) == (flops(slid, 4096) + flops(whole, 4096)) / 2
    assert flops(slid, 4096) < flops(whole, 4096)
