from pathlib import Path

import torch

from tests.models.published import peers


@torch.no_grad()
def test_each_window_is_mixed_over_its_own_length(tmp_path: Path) -> None:
    """transformers' model, which takes padding for text, is asked about each alone."""
    published = peers.peer("fnet")
    ours, _ = peers.imported(published, tmp_path)
    windows = [peers.ids(length, seed=length) for length in (5, 40, 17, 1)]
    batch = peers.batch(ours.config, windows)
    found = ours(batch)
    for rows, tokens in zip(batch.windows, windows, strict=True):
        wanted = peers.ask("fnet", published, [tokens])
        peers.close(found.hidden_states[rows], wanted.hidden_states[-1][0])
        peers.close(found.logits["mlm"][rows], wanted.logits[0])


def test_it_needs_no_plans_of_attention(tmp_path: Path) -> None:
    ours, _ = peers.imported(peers.peer("fnet"), tmp_path)
    assert ours.config.attention_kinds == []
    assert ours.config.hidden_act == "gelu_pytorch_tanh"
