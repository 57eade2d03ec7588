"""The whole model: one encoder, any number of heads."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from models.batch import Batch
from models.config import LongleafConfig
from models.encoder import Encoder
from models.registry import pick


@runtime_checkable
class StartsGently(Protocol):
    """A part that sets weights of its own after all have been drawn, so as not to disturb what is there already."""

    def start_gently(self) -> None:
        """Called once on a new model."""


@dataclass(frozen=True)
class Output:
    """hidden_states: (T, hidden).  logits: each head's, as the head defines them.  loss: summed over the heads with
    targets in the batch, None where none had any."""

    hidden_states: Tensor
    logits: dict[str, Tensor]
    loss: Tensor | None


class LongleafModel(PreTrainedModel):  # type: ignore[no-untyped-call]  # transformers' __init_subclass__
    """A layout-aware long-document encoder with task heads."""

    config_class = LongleafConfig
    base_model_prefix = "encoder"
    config: LongleafConfig

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__(config)
        self.encoder = Encoder(config)
        self.heads = nn.ModuleDict(
            {name: pick("models.heads", head["kind"]).Head(config, head) for name, head in config.heads.items()}
        )
        self.post_init()  # type: ignore[no-untyped-call]
        # Last: transformers initialises each weight once and keeps it.
        for module in self.modules():
            if isinstance(module, StartsGently):
                module.start_gently()

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=self.config.initializer_range)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=self.config.initializer_range)
        elif isinstance(module, nn.LayerNorm):
            nn.init.ones_(module.weight)
            nn.init.zeros_(module.bias)

    def forward(self, batch: Batch, heads: Iterable[str] | None = None) -> Output:
        """Run the encoder and the named heads, all of them by default."""
        hidden = self.encoder(batch)
        names = list(self.heads) if heads is None else list(heads)
        words = self.encoder.embeddings.word
        logits = {name: self.heads[name](hidden, batch, batch.targets.get(name), words) for name in names}
        losses = [self._loss(name, logits[name], target) for name, target in batch.targets.items() if name in logits]
        return Output(hidden, logits, torch.stack(losses).sum() if losses else None)

    def _loss(self, head: str, logits: Tensor, targets: Tensor) -> Tensor:
        loss: Tensor = self.heads[head].loss(logits, targets)  # type: ignore[operator]  # a head's, see models.heads
        return loss
