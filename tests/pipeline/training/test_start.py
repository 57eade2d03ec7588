from pathlib import Path

import pytest
import torch

from models.checkpoint import warm_start
from models.presets import preset
from pipeline.training.start import is_longleaf, warm
from tests import tiny
from tests.models.published import peers


def test_two_kinds_of_starts(tmp_path: Path) -> None:
    assert is_longleaf(tiny.model_folder(tmp_path / "ours"))
    assert not is_longleaf(tiny.bert_folder(tmp_path / "bert"))
    with pytest.raises(OSError, match="holds no model"):
        is_longleaf(tmp_path)


def test_a_checkpoint_gives_weights_and_sizes(tmp_path: Path) -> None:
    start = tiny.bert_folder(tmp_path / "bert")
    made = warm(start, "sw", heads=tiny.HEADS)
    assert made.config.mixers == "sliding"
    assert list(made.heads) == list(tiny.HEADS)
    wanted = warm_start(start, preset("sw", "tiny", vocab_size=made.config.vocab_size))
    for name, weight in wanted.state_dict().items():
        assert torch.equal(made.state_dict()[name], weight)
    with pytest.raises(ValueError, match="'spiral'"):
        warm(start, "spiral")


def test_what_is_no_checkpoint_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="holds no model"):
        warm(tmp_path, "sw")
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(ValueError, match="'gpt2' cannot be read"):
        warm(tmp_path, "sw")


def test_a_checkpoint_brings_its_activation_and_its_tables(tmp_path: Path) -> None:
    peers.peer("layoutlm", hidden_act="relu").save_pretrained(tmp_path)
    made = warm(tmp_path, "sw")
    assert (made.config.hidden_act, made.config.layout, made.config.mixers) == ("relu", "tables", "sliding")
    assert made.encoder.embeddings.layout.x.weight.any()
    peers.peer("led").save_pretrained(tmp_path)
    made = warm(tmp_path, "hnet-4096")
    assert (made.config.hidden_size, made.config.layout, made.config.mixers) == (32, "fourier", "hartley")
