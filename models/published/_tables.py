"""What several families have in common: BERT's names for embeddings, layers and the masked-language head."""

from collections.abc import Mapping
from typing import Any

from models.published import Head, Positions, Table, windows

_SIZES = (
    "vocab_size hidden_size num_hidden_layers intermediate_size hidden_act hidden_dropout_prob layer_norm_eps "
    "initializer_range"
).split()
_EMBEDDINGS = {
    "encoder.embeddings.word.weight": "embeddings.word_embeddings.weight",
    "encoder.embeddings.norm.weight": "embeddings.LayerNorm.weight",
    "encoder.embeddings.norm.bias": "embeddings.LayerNorm.bias",
}
_POSITIONS, _TOKEN_TYPES = "embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight"
_UNTIED = "its output weights are not the word embeddings"
FEED_FORWARD = {"up": "intermediate.dense", "down": "output.dense", "output_norm": "output.LayerNorm"}
ATTENTION = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
}
UNUSED = {
    "pooler.*": "there is no pooler here",
    "embeddings.position_ids": "it only counts 0, 1, 2, …",
    "embeddings.token_type_ids": "it is 0 everywhere",
    "cls.seq_relationship.*": "there is no head for next sentences here",
    "classifier.*": "it belongs to a task of its own",
    "qa_outputs.*": "it belongs to a task of its own",
}


def sizes(config: Any, length: int) -> dict[str, Any]:  # noqa: ANN401 (transformers' configuration, here and below)
    """The arguments of `LongleafConfig` that are named as in BERT's configuration, for windows of `length` tokens."""
    return {**{name: getattr(config, name) for name in _SIZES}, **windows(length)}


def attention(config: Any) -> dict[str, Any]:  # noqa: ANN401
    """The arguments of attention."""
    return {
        "num_attention_heads": config.num_attention_heads,
        "attention_probs_dropout_prob": config.attention_probs_dropout_prob,
    }


def sliding(config: Any) -> dict[str, Any]:  # noqa: ANN401
    """Longformer's attention: a window that transformers counts on both sides together, and global tokens.

    Raises ValueError where layers differ in their window, or it is odd.
    """
    given = config.attention_window
    found = {given} if isinstance(given, int) else set(given)
    if len(found) != 1:
        raise ValueError(f"its layers have windows of {sorted(found)} tokens; here all layers have the same")
    [window] = found
    if window % 2 or window <= 0:
        raise ValueError(f"its window of {window} tokens is not as long on either side")
    return {"mixers": "sliding", "kinds": {"sliding": {"window": window // 2}}, "global_projections": True}


def positions(skipped: int = 0) -> Positions:
    """BERT's positions and token types."""
    return Positions(_POSITIONS, skipped, _TOKEN_TYPES)


def check_encoder(config: Any) -> None:  # noqa: ANN401
    """Raise ValueError for a decoder, and for positions other than learned ones."""
    if config.is_decoder or config.add_cross_attention:
        raise ValueError("it is a decoder")
    kind = getattr(config, "position_embedding_type", "absolute")
    if kind != "absolute":
        raise ValueError(f"its positions are of type {kind!r}, not learned ones")


def encoder(config: Any, layer: Mapping[str, str], embeddings: Mapping[str, str] | None = None) -> Table:  # noqa: ANN401
    """BERT's embeddings and layers.  layer: the modules of a layer.  embeddings: further keys of the embeddings."""
    blocks = layers("encoder.blocks", "encoder.layer", layer, config.num_hidden_layers)
    return Table({**_EMBEDDINGS, **(embeddings or {}), **blocks})


def layers(ours: str, theirs: str, layer: Mapping[str, str], count: int) -> dict[str, str]:
    """The keys of so many layers.  layer: the modules of one."""
    parts = both(layer)
    return {f"{ours}.{i}.{mine}": f"{theirs}.{i}.{its}" for i in range(count) for mine, its in parts.items()}


def both(table: Mapping[str, str]) -> dict[str, str]:
    """Modules to their weight and bias."""
    return {f"{ours}.{part}": f"{theirs}.{part}" for ours, theirs in table.items() for part in ("weight", "bias")}


def masked_head(config: Any) -> tuple[dict[str, Head], dict[str, str]]:  # noqa: ANN401
    """BERT's masked-language head, "mlm", and what is not used."""
    table = _masked("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions")
    if not config.tie_word_embeddings:
        return {}, {**UNUSED, "cls.predictions.*": _UNTIED}
    return {"mlm": Head({"kind": "mlm"}, table)}, UNUSED


def lm_head(config: Any) -> tuple[dict[str, Head], dict[str, str]]:  # noqa: ANN401
    """RoBERTa's masked-language head, the same under other names, and what is not used."""
    table = _masked("lm_head.dense", "lm_head.layer_norm", "lm_head")
    if not config.tie_word_embeddings:
        return {}, {**UNUSED, "lm_head.*": _UNTIED}
    if config.hidden_act != "gelu":
        return {}, {**UNUSED, "lm_head.*": f"its activation is GELU, that of the layers {config.hidden_act}"}
    return {"mlm": Head({"kind": "mlm"}, table)}, UNUSED


def _masked(dense: str, norm: str, output: str) -> Table:
    keys = {**both({"heads.mlm.dense": dense, "heads.mlm.norm": norm}), "heads.mlm.bias": f"{output}.bias"}
    return Table(
        keys,
        {
            f"{output}.decoder.weight": _EMBEDDINGS["encoder.embeddings.word.weight"],
            f"{output}.decoder.bias": f"{output}.bias",
        },
    )
