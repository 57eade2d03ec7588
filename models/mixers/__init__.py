"""Mixers: each file is a way for the tokens of a window to exchange what they know, one sublayer of a block.

A file holds a class `Mixer(config)`:

    forward(hidden, batch, kind) → (T, hidden_size)       hidden (T, hidden_size) float; kind: the attention kind

"attention" mixes by a plan of `batch.plans`; the others take its place, need no plan and have the name of their file.
"""

from torch import nn

from models.config import LongleafConfig
from models.registry import names, pick


def make_mixer(config: LongleafConfig, name: str) -> nn.Module:
    """The mixer for an entry of `LongleafConfig.mixers`: a mixer's own name, or else an attention kind."""
    made: nn.Module = pick(__name__, name if name in names(__name__) else "attention").Mixer(config)
    return made
