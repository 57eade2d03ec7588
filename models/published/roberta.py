"""RoBERTa (arXiv:1907.11692): transformers' RobertaModel, and RobertaForMaskedLM with its head."""

from typing import Any

from models.published import Published, _tables


def describe(config: Any) -> Published:  # noqa: ANN401 (transformers' RobertaConfig)
    """BERT, but the first token's position is the row after that of padding."""
    _tables.check_encoder(config)
    heads, unused = _tables.lm_head(config)
    skipped = config.pad_token_id + 1
    sizes = _tables.sizes(config, config.max_position_embeddings - skipped)
    return Published(
        config={**sizes, **_tables.attention(config), "mixers": "full"},
        prefix="roberta.",
        encoder=_tables.encoder(config, {**_tables.ATTENTION, **_tables.FEED_FORWARD}),
        positions=_tables.positions(skipped),
        heads=heads,
        unused=unused,
    )
