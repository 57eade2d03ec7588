"""One label for a window."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from models.batch import Batch
from models.config import LongleafConfig


class Head(nn.Module):
    """A linear layer over [CLS] and the mean of the window's hidden states.

    The mean is there because sentence encoders, the usual warm start, were trained through it.
    Options: `labels`, the classes in order. Targets: (B,) int64.
    """

    def __init__(self, config: LongleafConfig, options: dict[str, Any]) -> None:
        super().__init__()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.output = nn.Linear(2 * config.hidden_size, len(options["labels"]))

    def start_gently(self) -> None:
        """Drawn weights are a good start."""

    def forward(self, hidden: Tensor, batch: Batch) -> Tensor:
        """(T, hidden) → logits (B, classes)."""
        windows = len(batch.first)
        # float32 whatever autocast does: a sum of 4,096 half-precision numbers loses its small ones.
        total = torch.zeros(windows, hidden.shape[1], device=hidden.device)
        total = total.index_add(0, batch.window_of, hidden.float())
        count = torch.bincount(batch.window_of, minlength=windows)
        mean = (total / count[:, None]).to(hidden.dtype)
        logits: Tensor = self.output(self.dropout(torch.cat([hidden[batch.first], mean], dim=1)))
        return logits

    def loss(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Mean cross-entropy of the labelled windows; 0 where none is."""
        return cross_entropy(logits.float(), targets, reduction="sum") / (targets != -100).sum().clamp(min=1)
