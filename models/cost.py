"""What a model costs, from its configuration alone: parameters, and floating-point operations of reading."""

import math

import numpy as np
import torch
from torch import nn

from models.attention.kinds import kind
from models.attention.layout import Layout
from models.attention.plan import make_plan
from models.config import LongleafConfig
from models.encoder import Encoder
from models.registry import names, pick

# A typed letter page: 54 lines of 78 columns, which are some 16 tokens of English.
_LINE_TOKENS, _LINE_WIDTH, _LINE_HEIGHT, _PAGE_LINES, _PAGE_HEIGHT = 16, 468.0, 12.0, 54, 792.0


def parameters(config: LongleafConfig) -> int:
    """Numbers the model learns, those of its heads among them."""
    with torch.device("meta"):
        heads = [pick("models.heads", head["kind"]).Head(config, head) for head in config.heads.values()]
        parts = [Encoder(config), *heads]
    return sum(weight.numel() for part in parts for weight in part.parameters())


def flops(config: LongleafConfig, tokens: int) -> float:
    """Floating-point operations of the encoder over one window of `tokens` tokens, a multiply-add counted as two.

    Linear layers; attention as the kernel does it, over all keys of each block of a typed page's plan; transforms as
    2.5 n log2 n for n real numbers, half of the 5 n log2 n usual for complex ones. What is done to each number by
    itself is left out: norms, activations, softmax.
    """
    each = {mixer: _mixing(config, mixer, tokens) for mixer in set(config.layer_mixers)}
    return 2 * tokens * _weights(config) + sum(each[mixer] for mixer in config.layer_mixers)


def _weights(config: LongleafConfig) -> int:
    """How many every token is multiplied with."""
    size = config.hidden_size
    with torch.device("meta"):
        layout = pick("models.layouts", config.layout).Layout(size)
    of_layout = sum(layer.weight.numel() for layer in layout.modules() if isinstance(layer, nn.Linear))
    attending = sum(mixer in config.attention_kinds for mixer in config.layer_mixers)
    squares = 4 * attending + config.embedding_projection
    return of_layout + squares * size**2 + 2 * config.num_hidden_layers * size * config.intermediate_size


def _mixing(config: LongleafConfig, mixer: str, tokens: int) -> float:
    """One layer's exchange between tokens, without the projections around it."""
    size = config.hidden_size
    if mixer in names("models.mixers"):
        return 2.5 * tokens * size * math.log2(tokens * size)
    plan = make_plan(_typed(tokens, config.global_tokens), kind(mixer, config.kinds))
    visited = sum((b.stop - b.start) * (len(b.keys) + len(b.pairs.values if b.pairs else b.keys)) for b in plan.blocks)
    return 2 * size * visited + _global(config, len(plan.global_rows), tokens)


def _global(config: LongleafConfig, count: int, tokens: int) -> float:
    """The attention of `count` global tokens over all tokens, with their own projections where they have some."""
    size, heads = config.hidden_size, config.num_attention_heads
    if not config.global_projections:
        return 4 * count * tokens * size
    if count * heads > size:  # see `attend_unprojected`
        return 2 * count * size**2 + 4 * tokens * size**2 + 4 * count * tokens * size
    return 6 * count * size**2 + 4 * count * heads * tokens * size


def _typed(tokens: int, global_tokens: int) -> Layout:
    """A text on typed pages, as many tokens on every line."""
    line, place = np.divmod(np.arange(tokens), _LINE_TOKENS)
    page, row = np.divmod(line, _PAGE_LINES)
    centres = np.stack([place * _LINE_WIDTH / _LINE_TOKENS, page * _PAGE_HEIGHT + row * _LINE_HEIGHT], axis=1)
    return Layout(centres.astype(np.float32), np.arange(tokens) < global_tokens)
