"""What training starts from: a folder with a published checkpoint or a Longleaf model, and its tokenizer."""

from pathlib import Path
from typing import Any

from models.checkpoint import published_config, warm_start
from models.config import LongleafConfig
from models.model import LongleafModel
from models.presets import preset

# What its weights would be worth nothing without.
_TAKEN = (
    "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size hidden_act layer_norm_eps "
    "embedding_projection layout"
).split()


def is_longleaf(start: Path) -> bool:
    """Whether the folder holds a Longleaf model. Raises OSError where it holds none at all."""
    if not (start / "config.json").is_file():
        raise FileNotFoundError(f"{start} holds no model: it has no config.json.")
    found: object = LongleafConfig.get_config_dict(start)[0].get("model_type")
    return found == LongleafConfig.model_type


def warm(start: Path, preset_name: str, **changes: Any) -> LongleafModel:  # noqa: ANN401 (any config value)
    """A model of the preset on the weights of a published checkpoint, in the checkpoint's size.

    Raises OSError where there is none, ValueError for an unknown preset or a checkpoint that does not fit it.
    """
    published = published_config(start)
    taken = {name: published[name] for name in _TAKEN if name in published}
    return warm_start(start, preset(preset_name, **taken, **changes))
