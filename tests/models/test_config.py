from pathlib import Path

import pytest

from models.config import LongleafConfig
from tests import tiny


def test_what_is_written_is_read_again_in_its_order(tmp_path: Path) -> None:
    before = tiny.config(mixers=["sliding", "distance+sliding"])
    before.save_pretrained(tmp_path)
    after = LongleafConfig.from_pretrained(tmp_path)
    for name in ("mixers", "kinds", "heads", "schema_of_class", "max_tokens", "overlap", "version", "hidden_size"):
        assert repr(getattr(after, name)) == repr(getattr(before, name))


def test_every_layer_has_a_kind() -> None:
    assert tiny.config(mixers="full").layer_mixers == ["full", "full"]
    assert tiny.config(mixers=["sliding", "full"]).layer_mixers == ["sliding", "full"]
    with pytest.raises(ValueError, match="1 mixers for 2 layers"):
        _ = tiny.config(mixers=["full"]).layer_mixers


def test_plans_are_needed_for_attention_alone() -> None:
    config = tiny.config(mixers=["fourier", "sliding", "hartley", "sliding", "full"], num_hidden_layers=5)
    assert config.attention_kinds == ["full", "sliding"]


def test_two_configurations_share_nothing() -> None:
    one, other = LongleafConfig(), LongleafConfig()
    one.kinds["sliding"]["window"] = 1
    one.heads["a"] = {}
    assert other.kinds["sliding"]["window"] == 256
    assert other.heads == {}
