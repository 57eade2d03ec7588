from pathlib import Path

import pytest
import torch

from models.published import describe
from tests.models.published import peers

LONG = 701  # planned in blocks, and no multiple of the window
GLOBAL = [(0,), (0, 1, 5), (4,), ()]  # the first token, several, one in the middle, none


@pytest.mark.parametrize("is_global", GLOBAL)
@torch.no_grad()
def test_global_tokens_anywhere(is_global: tuple[int, ...], tmp_path: Path) -> None:
    published = peers.peer("longformer", max_position_embeddings=LONG + 2)
    ours, _ = peers.imported(published, tmp_path)
    for length in (6, peers.WINDOW, 2 * peers.WINDOW, 29, LONG):
        tokens = peers.ids(length)
        wanted = peers.ask("longformer", published, [tokens], is_global)
        batch = peers.batch(ours.config, [tokens], is_global)
        assert (len(batch.plans["sliding"].blocks) > 1) == (length == LONG)
        found = ours(batch)
        peers.close(found.hidden_states, wanted.hidden_states[-1][0])
        peers.close(found.logits["mlm"], wanted.logits[0])


@torch.no_grad()
def test_padding_beside_global_tokens(tmp_path: Path) -> None:
    published = peers.peer("longformer", with_head=False)
    ours, _ = peers.imported(published, tmp_path)
    windows = [peers.ids(length, seed=length) for length in (9, 41, 16)]
    wanted = peers.ask("longformer", published, windows, (0, 3, 8)).last_hidden_state
    batch = peers.batch(ours.config, windows, (0, 3, 8))
    found = ours(batch).hidden_states
    for rows, tokens, its in zip(batch.windows, windows, wanted, strict=True):
        peers.close(found[rows], its[: len(tokens)])


@pytest.mark.parametrize("length", [29, LONG])
def test_it_learns_as_theirs_does(length: int, tmp_path: Path) -> None:
    """Through every layer and the projections of global tokens."""
    published = peers.peer("longformer", with_head=False, max_position_embeddings=LONG + 2).train()
    ours, _ = peers.imported(published, tmp_path)
    tokens, is_global = peers.ids(length), (0, 3, 20)
    pull = torch.linspace(-1, 1, length * 32).reshape(length, 32) / length**0.5
    (peers.ask("longformer", published, [tokens], is_global).last_hidden_state[0] * pull).sum().backward()
    (ours.train()(peers.batch(ours.config, [tokens], is_global)).hidden_states * pull).sum().backward()
    compared = {name: (found, wanted) for name, found, wanted in peers.gradients(ours, published)}
    assert sum("_global." in name for name in compared) == 12
    for name, (found, wanted) in compared.items():
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4, msg=lambda told, name=name: f"{name}: {told}")


def test_a_window_is_half_on_either_side() -> None:
    told = describe({"model_type": "longformer", "attention_window": [512] * 12})
    assert told.config["kinds"] == {"sliding": {"window": 256}}


@pytest.mark.parametrize(
    ("window", "named"), [([512, 256], r"windows of \[256, 512\] tokens"), (7, "window of 7 tokens"), ([], "windows")]
)
def test_windows_that_ours_cannot_have(window: object, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        describe({"model_type": "longformer", "attention_window": window})
