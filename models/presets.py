"""Named models, as differences from the base configuration of `LongleafConfig`."""

from typing import Any

from models.config import LongleafConfig

PRESETS: dict[str, dict[str, Any]] = {
    "longleaf": {"attention": "distance+sliding"},
    "distance": {"attention": "distance"},
    "sw": {"attention": "sliding"},
    "full": {"attention": "full", "max_tokens": 512, "overlap": 64},
}
SIZES: dict[str, dict[str, int]] = {
    "tiny": {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64},
    "small": {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536},
    "base": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072},
}


def preset(name: str, size: str = "small", **changes: Any) -> LongleafConfig:  # noqa: ANN401 (any config value)
    """The configuration called `name` in a size, with further changes.

    Raises ValueError for a name or size there is not.
    """
    for asked, known in ((name, PRESETS), (size, SIZES)):
        if asked not in known:
            raise ValueError(f"no preset {asked!r}; there are: {', '.join(known)}")
    return LongleafConfig(**{**SIZES[size], **PRESETS[name], **changes})
