"""LED (arXiv:2004.05150 section 7): transformers' LEDForConditionalGeneration, or LEDModel."""

from typing import Any

from models.published import Head, Positions, Published, Table, _tables, windows

_WORDS = "shared.weight"
_ENCODER = {
    **{
        f"attention.{part}": f"self_attn.longformer_self_attn.{part}"
        for part in ("query", "key", "value", "query_global", "key_global", "value_global")
    },
    "attention.output": "self_attn.output",
}
_DECODER = {
    f"{ours}.{mine}": f"{theirs}.{its}"
    for ours, theirs in (("attention", "self_attn"), ("cross_attention", "encoder_attn"))
    for mine, its in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "out_proj"))
}
_BLOCK = {
    "attention_norm": "self_attn_layer_norm",
    "up": "fc1",
    "down": "fc2",
    "output_norm": "final_layer_norm",
}


def describe(config: Any) -> Published:  # noqa: ANN401 (transformers' LEDConfig)
    """Longformer's encoder, its positions not offset, and an attention decoder as the head "summary".

    What is trained further has neither the layers' nor the activations' own dropout. Raises ValueError where encoder
    and decoder differ in the sizes of their layers, and for output weights that are not the word embeddings.
    """
    for part, unit in (("ffn_dim", "feed-forward channels"), ("attention_heads", "attention heads")):
        sizes = [getattr(config, f"{side}_{part}") for side in ("encoder", "decoder")]
        if sizes[0] != sizes[1]:
            raise ValueError(f"its encoder has {sizes[0]} {unit} and its decoder {sizes[1]}; here they have as many")
    if not config.tie_word_embeddings:
        raise ValueError("its output weights are not the word embeddings")
    return Published(
        config={
            "vocab_size": config.vocab_size,
            "hidden_size": config.d_model,
            "num_hidden_layers": config.encoder_layers,
            "intermediate_size": config.encoder_ffn_dim,
            "hidden_act": config.activation_function,
            "hidden_dropout_prob": config.dropout,
            "layer_norm_eps": 1e-5,
            "initializer_range": config.init_std,
            **windows(config.max_encoder_position_embeddings),
            **_tables.attention(config),
            **_tables.sliding(config),
        },
        prefix="led.",
        encoder=_encoder(config),
        positions=Positions("encoder.embed_positions.weight"),
        heads={"summary": _summary(config)},
        unused={
            "classification_head.*": "it belongs to a task of its own",
            "qa_outputs.*": "it belongs to a task of its own",
        },
    )


def _encoder(config: Any) -> Table:  # noqa: ANN401
    keys = {
        "encoder.embeddings.word.weight": _WORDS,
        **_tables.both({"encoder.embeddings.norm": "encoder.layernorm_embedding"}),
        **_tables.layers("encoder.blocks", "encoder.layers", {**_ENCODER, **_BLOCK}, config.encoder_layers),
    }
    return Table(keys, tied={"encoder.embed_tokens.weight": _WORDS})


def _summary(config: Any) -> Head:  # noqa: ANN401
    ids = {"start": config.decoder_start_token_id, "stop": config.eos_token_id, "pad": config.pad_token_id}
    if not all(isinstance(number, int) for number in ids.values()):
        raise ValueError(f"a text of its decoder begins, ends and is filled up with one token each, not {ids}")
    block = {**_DECODER, **_BLOCK, "cross_norm": "encoder_attn_layer_norm"}
    keys = {
        "heads.summary.decoder.position.weight": "decoder.embed_positions.weight",
        **_tables.both({"heads.summary.decoder.norm": "decoder.layernorm_embedding"}),
        **_tables.layers("heads.summary.decoder.blocks", "decoder.layers", block, config.decoder_layers),
        "heads.summary.bias": "final_logits_bias",
    }
    length, tied = (
        config.max_decoder_position_embeddings,
        {"decoder.embed_tokens.weight": _WORDS, "lm_head.weight": _WORDS},
    )
    options = {"kind": "generate", "layers": config.decoder_layers, "max_length": length, **ids}
    return Head(options, Table(keys, tied, optional=frozenset({"final_logits_bias"})))
