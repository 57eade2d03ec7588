"""Everything that fixes a model's shape. Saved beside the weights as config.json."""

import json
from functools import cache
from typing import Any

from transformers import PreTrainedConfig

from models.registry import names


class LongleafConfig(PreTrainedConfig):  # type: ignore[no-untyped-call]  # transformers' __init_subclass__
    """Sizes, what mixes the tokens in every layer, and the heads on the shared encoder.

    Sizes, dropouts and activation are named as in transformers. Beyond those:

    mixers: of every layer, or a list with one a layer: an attention kind, e.g. "distance+sliding", or a mixer that
        takes attention's place, "fourier" or "hartley" (`models.mixers`).
    kinds: parameters of the parts of a kind, e.g. {"sliding": {"window": 256}, "distance": {"neighbours": 512}};
        `window` counts tokens on either side.
    global_tokens: how many of a window's first tokens are global, [CLS] among them.
    global_projections: whether global tokens have query, key and value projections of their own, as in Longformer.
    layout: how boxes enter, a file of `models/layouts`.
    embedding_projection: whether a linear layer follows the embeddings, as in FNet.
    max_tokens: the longest window, in tokens; longer documents are read in overlapping windows.
    overlap: tokens two successive windows share.
    max_pages: page embeddings; later pages of a window share the last one.
    heads: for each head its kind (a file of `models/heads`) and what that kind needs, e.g.
        {"document_class": {"kind": "classify", "labels": ["annual_report", …]},
         "nda": {"kind": "label", "entities": {"party": {"normaliser": "name", "many": true}, …}}}
    version: the model's own, shown with every answer.
    schema_of_class: the labelling head that reads documents of a class, e.g. {"non_disclosure_agreement": "nda"}.
    """

    model_type = "longleaf"

    def __init__(
        self,
        vocab_size: int = 30522,
        hidden_size: int = 384,
        num_hidden_layers: int = 6,
        num_attention_heads: int = 12,
        intermediate_size: int = 1536,
        hidden_act: str = "gelu",
        hidden_dropout_prob: float = 0.1,
        attention_probs_dropout_prob: float = 0.0,
        layer_norm_eps: float = 1e-12,
        initializer_range: float = 0.02,
        max_tokens: int = 4096,
        overlap: int = 512,
        max_pages: int = 64,
        mixers: str | list[str] = "distance+sliding",
        kinds: dict[str, dict[str, Any]] | None = None,
        global_tokens: int = 1,
        global_projections: bool = False,
        layout: str = "fourier",
        embedding_projection: bool = False,
        version: str = "",
        heads: dict[str, dict[str, Any]] | None = None,
        schema_of_class: dict[str, str] | None = None,
        **kwargs: Any,  # noqa: ANN401 (transformers' own options)
    ) -> None:
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.intermediate_size = intermediate_size
        self.hidden_act = hidden_act
        self.hidden_dropout_prob = hidden_dropout_prob
        self.attention_probs_dropout_prob = attention_probs_dropout_prob
        self.layer_norm_eps = layer_norm_eps
        self.initializer_range = initializer_range
        self.max_tokens = max_tokens
        self.overlap = overlap
        self.max_pages = max_pages
        self.mixers = mixers
        self.kinds = kinds if kinds is not None else {"sliding": {"window": 256}, "distance": {"neighbours": 512}}
        self.global_tokens = global_tokens
        self.global_projections = global_projections
        self.layout = layout
        self.embedding_projection = embedding_projection
        self.version = version
        self.heads = heads or {}
        self.schema_of_class = schema_of_class or {}
        super().__init__(**kwargs)

    def to_json_string(self, use_diff: bool = True) -> str:
        """config.json with everything in the order it was given: a head's entity types are numbered by theirs, and
        transformers would sort them."""
        return json.dumps(self.to_diff_dict() if use_diff else self.to_dict(), indent=2) + "\n"

    @property
    def layer_mixers(self) -> list[str]:
        """What mixes the tokens in each layer.

        Raises ValueError where a list does not name one a layer.
        """
        if isinstance(self.mixers, str):
            return [self.mixers] * self.num_hidden_layers
        if len(self.mixers) != self.num_hidden_layers:
            raise ValueError(f"{len(self.mixers)} mixers for {self.num_hidden_layers} layers")
        return self.mixers

    @property
    def attention_kinds(self) -> list[str]:
        """The attention kinds among the mixers, each once, sorted: what a window needs plans for."""
        return sorted(set(self.layer_mixers) - _mixers())


@cache
def _mixers() -> frozenset[str]:
    return frozenset(names("models.mixers"))
