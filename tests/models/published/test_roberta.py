from pathlib import Path

import torch

from tests.models.published import peers


def test_the_first_token_has_the_third_position(tmp_path: Path) -> None:
    published = peers.peer("roberta", with_head=False)
    ours, _ = peers.imported(published, tmp_path)
    embeddings = published.embeddings
    wanted = embeddings.position_embeddings.weight[2:] + embeddings.token_type_embeddings.weight[0]
    assert torch.equal(ours.encoder.embeddings.position.weight, wanted)


def test_a_head_with_another_activation_than_the_layers_is_left_behind(tmp_path: Path) -> None:
    model, account = peers.imported(peers.peer("roberta", hidden_act="relu"), tmp_path)
    assert not model.heads
    assert account.unused["lm_head.bias"] == "its activation is GELU, that of the layers relu"
    assert model.config.hidden_act == "relu"
