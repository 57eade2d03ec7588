"""BERT (arXiv:1810.04805): transformers' BertModel, and BertForMaskedLM or BertForPreTraining with their head."""

from typing import Any

from models.published import Published, _tables


def describe(config: Any) -> Published:  # noqa: ANN401 (transformers' BertConfig)
    """Full attention over as many tokens as there are positions."""
    _tables.check_encoder(config)
    heads, unused = _tables.masked_head(config)
    sizes = _tables.sizes(config, config.max_position_embeddings)
    return Published(
        config={**sizes, **_tables.attention(config), "mixers": "full"},
        prefix="bert.",
        encoder=_tables.encoder(config, {**_tables.ATTENTION, **_tables.FEED_FORWARD}),
        positions=_tables.positions(),
        heads=heads,
        unused=unused,
    )
