"""Masked language modelling: which word stood here (BERT, arXiv:1810.04805 section 3.1)."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear
from transformers.activations import ACT2FN

from models.batch import Batch
from models.config import LongleafConfig


class Head(nn.Module):
    """BERT's: a dense layer, the encoder's activation and norm, then the word embeddings as output weights.

    Targets: (T,) int64, the token that stood there; -100 at tokens that were not chosen. With targets there are logits
    of the chosen tokens alone, in order: over 30,000 words those of all tokens would fill the memory.
    """

    def __init__(self, config: LongleafConfig, options: dict[str, Any]) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = ACT2FN[config.hidden_act]
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden: Tensor, batch: Batch, targets: Tensor | None, words: nn.Embedding) -> Tensor:
        """(T, hidden) → logits (chosen, vocab), or (T, vocab) without targets."""
        if targets is not None:
            hidden = hidden[targets != -100]
        return linear(self.norm(self.activation(self.dense(hidden))), words.weight, self.bias)

    def loss(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Mean cross-entropy of the chosen tokens; 0 where none is."""
        chosen = targets[targets != -100]
        return cross_entropy(logits.float(), chosen, reduction="sum") / max(len(chosen), 1)
