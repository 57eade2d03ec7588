import pytest
import torch
from torch import nn

from models.mixers import make_mixer
from models.registry import names
from pipeline.dataset import collate
from tests import tiny

CONFIG = tiny.config(max_tokens=256)
MIXERS = [*(name for name in names("models.mixers") if name != "attention"), "distance+sliding"]
TEXTS = ("this agreement", tiny.long_text(70), "", tiny.long_text(9, seed=1))


def mixer(name: str) -> nn.Module:
    torch.manual_seed(0)
    return make_mixer(CONFIG, name).eval()


@pytest.mark.parametrize("name", MIXERS)
def test_a_window_is_mixed_by_itself_over_its_true_length(name: str) -> None:
    windows = tiny.windows(CONFIG, *TEXTS)
    batch, made = collate(windows), mixer(name)
    hidden = torch.randn(len(batch.input_ids), 32)
    together = made(hidden, batch, name)
    assert together.shape == hidden.shape
    for window, rows in zip(windows, batch.windows, strict=True):
        alone = made(hidden[rows], collate([window]), name)
        torch.testing.assert_close(together[rows], alone, rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", MIXERS)
def test_every_token_of_a_window_is_heard_by_another(name: str) -> None:
    batch, made = collate(tiny.windows(CONFIG, "this agreement is made")), mixer(name)
    hidden = torch.randn(len(batch.input_ids), 32)
    usual = made(hidden, batch, name)
    for token in range(len(hidden)):
        changed = hidden.clone()
        changed[token] += 1
        moved = (made(changed, batch, name) - usual).abs().amax(1) > 1e-4
        assert moved.sum() > 1
