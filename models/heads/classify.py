"""Labels for a window: the one it has, or each that it has."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from models.batch import Batch
from models.config import LongleafConfig


class Head(nn.Module):
    """A linear layer over [CLS] and the mean of the window's hidden states.

    The mean is there because sentence encoders, the usual warm start, were trained through it.
    Options: `labels`, the classes in order; `multi`, true where a window may have several of them or none.
    Targets: (B,) int64; of a multi-label head (B, classes) int64, 1 for each class it has and 0 for the others.
    """

    def __init__(self, config: LongleafConfig, options: dict[str, Any]) -> None:
        super().__init__()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.output = nn.Linear(2 * config.hidden_size, len(options["labels"]))
        self.multi = bool(options.get("multi"))

    def forward(self, hidden: Tensor, batch: Batch, targets: Tensor | None, words: nn.Embedding) -> Tensor:
        """(T, hidden) → logits (B, classes): softmax reads them, of a multi-label head sigmoid each."""
        windows = len(batch.first)
        # float32 whatever autocast does: a sum of 4,096 half-precision numbers loses its small ones.
        total = torch.zeros(windows, hidden.shape[1], device=hidden.device)
        total = total.index_add(0, batch.window_of, hidden.float())
        count = torch.bincount(batch.window_of, minlength=windows)
        mean = (total / count[:, None]).to(hidden.dtype)
        logits: Tensor = self.output(self.dropout(torch.cat([hidden[batch.first], mean], dim=1)))
        return logits

    def loss(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Mean cross-entropy of the labelled windows, or of all their classes; 0 where none is labelled."""
        if not self.multi:
            return cross_entropy(logits.float(), targets, reduction="sum") / (targets != -100).sum().clamp(min=1)
        labelled = (targets != -100).float()
        total = binary_cross_entropy_with_logits(logits.float(), targets.float() * labelled, labelled, reduction="sum")
        return total / labelled.sum().clamp(min=1)
