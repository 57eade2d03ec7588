from pathlib import Path

import pytest

from models.config import LongleafConfig
from tests import tiny


def test_what_is_written_is_read_again_in_its_order(tmp_path: Path) -> None:
    before = tiny.config(attention=["sliding", "distance+sliding"])
    before.save_pretrained(tmp_path)
    after = LongleafConfig.from_pretrained(tmp_path)
    for name in ("attention", "kinds", "heads", "schema_of_class", "max_tokens", "overlap", "version", "hidden_size"):
        assert repr(getattr(after, name)) == repr(getattr(before, name))


def test_every_layer_has_a_kind() -> None:
    assert tiny.config(attention="full").layer_kinds == ["full", "full"]
    assert tiny.config(attention=["sliding", "full"]).layer_kinds == ["sliding", "full"]
    with pytest.raises(ValueError, match="1 attention kinds for 2 layers"):
        _ = tiny.config(attention=["full"]).layer_kinds


def test_two_configurations_share_nothing() -> None:
    one, other = LongleafConfig(), LongleafConfig()
    one.kinds["sliding"]["window"] = 1
    one.heads["a"] = {}
    assert other.kinds["sliding"]["window"] == 256
    assert other.heads == {}
