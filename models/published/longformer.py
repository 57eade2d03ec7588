"""Longformer (arXiv:2004.05150): transformers' LongformerModel, and LongformerForMaskedLM with its head."""

from typing import Any

from models.published import Published, _tables

_GLOBAL = {f"attention.{part}_global": f"attention.self.{part}_global" for part in ("query", "key", "value")}


def describe(config: Any) -> Published:  # noqa: ANN401 (transformers' LongformerConfig)
    """RoBERTa with a sliding window and global tokens; here the first token is one."""
    heads, unused = _tables.lm_head(config)
    skipped = config.pad_token_id + 1
    sizes = _tables.sizes(config, config.max_position_embeddings - skipped)
    return Published(
        config={**sizes, **_tables.attention(config), **_tables.sliding(config)},
        prefix="longformer.",
        encoder=_tables.encoder(config, {**_tables.ATTENTION, **_GLOBAL, **_tables.FEED_FORWARD}),
        positions=_tables.positions(skipped),
        heads=heads,
        unused=unused,
    )
