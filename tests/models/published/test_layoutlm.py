from pathlib import Path

import pytest
import torch

from models.published import describe
from tests.models.published import peers


@torch.no_grad()
def test_boxes_count(tmp_path: Path) -> None:
    published = peers.peer("layoutlm", with_head=False)
    ours, _ = peers.imported(published, tmp_path)
    tokens, boxes = peers.ids(21), peers.boxes(21)
    elsewhere = boxes.flip(0)
    for places in (boxes, elsewhere):
        wanted = peers.ask("layoutlm", published, [tokens], bbox=places[None]).last_hidden_state[0]
        peers.close(ours(peers.batch(ours.config, [tokens], boxes=places)).hidden_states, wanted)


def test_tables_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="512 places; here they have 1024"):
        describe({"model_type": "layoutlm", "max_2d_position_embeddings": 512})
