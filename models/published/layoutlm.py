"""LayoutLM (arXiv:1912.13318): transformers' LayoutLMModel, and LayoutLMForMaskedLM with its head."""

from typing import Any

from models.layouts.tables import PLACES
from models.published import Published, _tables

_TABLES = {
    f"encoder.embeddings.layout.{ours}.weight": f"embeddings.{theirs}_position_embeddings.weight"
    for ours, theirs in (("x", "x"), ("y", "y"), ("height", "h"), ("width", "w"))
}


def describe(config: Any) -> Published:  # noqa: ANN401 (transformers' LayoutLMConfig)
    """BERT with tables of places.

    Raises ValueError where those have other sizes than ours.
    """
    if config.max_2d_position_embeddings != PLACES:
        raise ValueError(f"its tables have {config.max_2d_position_embeddings} places; here they have {PLACES}")
    heads, unused = _tables.masked_head(config)
    sizes = _tables.sizes(config, config.max_position_embeddings)
    return Published(
        config={**sizes, **_tables.attention(config), "mixers": "full", "layout": "tables"},
        prefix="layoutlm.",
        encoder=_tables.encoder(config, {**_tables.ATTENTION, **_tables.FEED_FORWARD}, _TABLES),
        positions=_tables.positions(),
        heads=heads,
        unused=unused,
    )
