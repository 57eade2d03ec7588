import pytest

from models.attention.kinds import kind
from models.presets import PRESETS, SIZES, preset
from pipeline.encode import window_bounds


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("size", SIZES)
def test_every_preset_can_be_read_with(name: str, size: str) -> None:
    config = preset(name, size)
    assert config.hidden_size % config.num_attention_heads == 0
    for each in config.attention_kinds:
        kind(each, config.kinds)
    assert window_bounds(3 * config.max_tokens, config.max_tokens, config.overlap)[-1][1] == 3 * config.max_tokens


def test_changes_come_last() -> None:
    config = preset("bert-layout", "tiny", max_tokens=64, hidden_size=16)
    assert (config.max_tokens, config.hidden_size, config.mixers) == (64, 16, "full")


def test_unknown_names_are_told_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'spiral'.*longleaf"):
        preset("spiral")
    with pytest.raises(ValueError, match=r"'vast'.*small"):
        preset("longleaf", "vast")
