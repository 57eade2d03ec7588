"""FNet (arXiv:2105.03824): transformers' FNetModel, and FNetForMaskedLM or FNetForPreTraining with their head."""

from typing import Any

from models.published import Published, _tables

_MIXING = {"attention_norm": "fourier.output.LayerNorm"}
_PROJECTION = _tables.both({"encoder.embeddings.projection": "embeddings.projection"})
# The same function, computed at once.
_ACTIVATIONS = {"gelu_new": "gelu_pytorch_tanh"}


def describe(config: Any) -> Published:  # noqa: ANN401 (transformers' FNetConfig)
    """BERT with Fourier transforms in attention's place, over the tokens there are: transformers' takes padding in."""
    heads, unused = _tables.masked_head(config)
    sizes = _tables.sizes(config, config.max_position_embeddings)
    sizes["hidden_act"] = _ACTIVATIONS.get(config.hidden_act, config.hidden_act)
    return Published(
        config={**sizes, "mixers": "fourier", "embedding_projection": True},
        prefix="fnet.",
        encoder=_tables.encoder(config, {**_MIXING, **_tables.FEED_FORWARD}, _PROJECTION),
        positions=_tables.positions(),
        heads=heads,
        unused=unused,
    )
