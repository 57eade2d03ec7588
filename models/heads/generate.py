"""A text about the window, written word by word by an attention decoder: what makes the encoder RAED or LED."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from models.batch import Batch
from models.config import LongleafConfig
from models.decoder import Decoder, memory_of, shifted


class Head(nn.Module):
    """A decoder over the encoder's hidden states; the word embeddings are its input and its output weights.

    Options: `max_length`, the most tokens it writes; `start`, `stop`, `pad`, ids of the tokens that mean so; `layers`,
    as many as the encoder's by default.
    Targets: (B, L) int64, each window's text, its last token `stop`, filled up with -100.
    """

    def __init__(self, config: LongleafConfig, options: dict[str, Any]) -> None:
        super().__init__()
        self.options = options
        self.decoder = Decoder(config, options.get("layers", config.num_hidden_layers), options["max_length"])
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden: Tensor, batch: Batch, targets: Tensor | None, words: nn.Embedding) -> Tensor:
        """(T, hidden) → logits (B, L, vocab), each token's from those before it. L is 0 without targets: then a text is
        written by `models.seq2seq.generate`."""
        if targets is None:
            return hidden.new_zeros(len(batch.first), 0, len(self.bias))
        memory, mask = memory_of(hidden, batch.windows)
        return self.logits(self.decoder(shifted(targets, self.options), memory, mask, words), words)

    def logits(self, decoded: Tensor, words: nn.Embedding) -> Tensor:
        """The decoder's hidden states (B, L, hidden) → logits (B, L, vocab)."""
        return linear(decoded, words.weight, self.bias)

    def loss(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Mean cross-entropy of the texts' tokens; 0 where there are none."""
        total = cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="sum")
        return total / (targets != -100).sum().clamp(min=1)
