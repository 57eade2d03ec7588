"""Named models, as differences from the base configuration of `LongleafConfig`."""

from dataclasses import dataclass, field
from typing import Any

from models.config import LongleafConfig

_FNET: dict[str, Any] = {"mixers": "fourier", "hidden_act": "gelu_pytorch_tanh", "embedding_projection": True}
_HNET: dict[str, Any] = {**_FNET, "mixers": "hartley"}
_LONGFORMER: dict[str, Any] = {"mixers": "sliding", "global_projections": True}
_LONG: dict[str, Any] = {"max_tokens": 8192}
# The ids of BERT's vocabulary; training puts in those of the tokenizer it is given.
_SUMMARY: dict[str, Any] = {
    "heads": {"summary": {"kind": "generate", "max_length": 512, "start": 101, "stop": 102, "pad": 0}}
}


@dataclass(frozen=True)
class Preset:
    """A named model.  paper: where it comes from.  changes: what differs from `LongleafConfig`'s defaults."""

    paper: str
    changes: dict[str, Any] = field(default_factory=dict)


_POSITION_AWARE = "Understanding Long Documents with Different Position-Aware Attentions"
PRESETS: dict[str, Preset] = {
    "longleaf": Preset(f"union of two of {_POSITION_AWARE}", {"mixers": "distance+sliding"}),
    "bert-layout": Preset(
        "LayoutLM, arXiv:1912.13318", {"mixers": "full", "layout": "tables", "max_tokens": 512, "overlap": 64}
    ),
    "sw": Preset(_POSITION_AWARE, {"mixers": "sliding"}),
    "sw-rand": Preset(
        _POSITION_AWARE,
        {"mixers": "sliding+random", "kinds": {"sliding": {"window": 128, "block": 64}, "random": {"blocks": 3}}},
    ),
    "distance": Preset(_POSITION_AWARE, {"mixers": "distance"}),
    "distance-sw": Preset(_POSITION_AWARE, {"mixers": "distance-sw", "kinds": {"distance-sw": {"neighbours": 512}}}),
    "longformer": Preset("Longformer, arXiv:2004.05150", _LONGFORMER),
    "bigbird-like": Preset(
        "BigBird, arXiv:2007.14062",
        {
            "mixers": "sliding+random",
            "kinds": {"sliding": {"window": 64, "block": 64}, "random": {"blocks": 3}},
            "global_tokens": 64,
        },
    ),
    "fnet-4096": Preset("FNet, arXiv:2105.03824", _FNET),
    "fnet-8192": Preset("FNet, arXiv:2105.03824", {**_FNET, **_LONG}),
    "hnet-4096": Preset("Legal-HNet", _HNET),
    "raed-fnet": Preset("Legal-HNet", {**_FNET, **_LONG, **_SUMMARY}),
    "raed-hnet": Preset("Legal-HNet", {**_HNET, **_LONG, **_SUMMARY}),
    "led": Preset("Longformer, arXiv:2004.05150 section 7", {**_LONGFORMER, **_LONG, **_SUMMARY}),
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
    for asked, known in ((name, list(PRESETS)), (size, list(SIZES))):
        if asked not in known:
            raise ValueError(f"no preset {asked!r}; there are: {', '.join(known)}")
    return LongleafConfig(**{**SIZES[size], **PRESETS[name].changes, **changes})
