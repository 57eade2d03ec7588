"""A BIO tag for every token."""

from typing import Any

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from models.batch import Batch
from models.config import LongleafConfig

# Nearly all tags are O and easy, so their mean loss is small; unweighted, a classification head beside it drowns it.
_WEIGHT = 5.0


class Head(nn.Module):
    """A linear layer over every token's hidden state.

    Options: `entities`, the entity types in order. The tags are O, then B and I of each type: 1 + 2 × types.
    Targets: (T,) int64, labelled at the first token of each word.
    """

    def __init__(self, config: LongleafConfig, options: dict[str, Any]) -> None:
        super().__init__()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.output = nn.Linear(config.hidden_size, 1 + 2 * len(options["entities"]))

    def start_gently(self) -> None:
        """Begin with the belief that nearly every word is outside.

        Otherwise the first steps teach all tokens just that, through the encoder, and make them alike.
        """
        nn.init.zeros_(self.output.bias)
        nn.init.constant_(self.output.bias[:1], 5.0)

    def forward(self, hidden: Tensor, batch: Batch, targets: Tensor | None, words: nn.Embedding) -> Tensor:
        """(T, hidden) → logits (T, tags)."""
        logits: Tensor = self.output(self.dropout(hidden))
        return logits

    def loss(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Mean cross-entropy of the labelled tokens, times `_WEIGHT`; 0 where none is."""
        total = cross_entropy(logits.float(), targets, reduction="sum")
        return _WEIGHT * total / (targets != -100).sum().clamp(min=1)
