"""All a model is given."""

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from models.attention.pack import PackedPlan


@dataclass(frozen=True)
class Batch:
    """B windows laid end to end as T tokens. There is no padding, so what a window is batched with cannot change it.

    input_ids: (T,) int64, tokens of the vocabulary.
    positions: (T,) int64, place in the window.
    boxes: (T, 4) float32, x0, y0, x1, y1 on a 0–1000 grid of the token's page.
    pages: (T,) int64, the token's page counted from the window's first, from 0.
    shapes: (T,) int64, the written shape of the token's word (`pipeline.encode.word_shape`).
    window_of: (T,) int64, the window (0…B-1) a token belongs to.
    first: (B,) int64, the row of each window's [CLS].
    plans: for each attention kind in use, where each query block looks.
    targets: for each head with something to learn: its labels, as that head defines them; -100 is "not labelled".
    """

    input_ids: Tensor
    positions: Tensor
    boxes: Tensor
    pages: Tensor
    shapes: Tensor
    window_of: Tensor
    first: Tensor
    plans: dict[str, PackedPlan]
    targets: dict[str, Tensor]

    @cached_property
    def windows(self) -> tuple[slice, ...]:
        """The rows of each window; found once a batch, for on a device it waits for the device."""
        return tuple(slice(*ends) for ends in pairwise([*self.first.tolist(), len(self.input_ids)]))

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "Batch":
        """The same batch on `device`."""
        return self._each(lambda part: part.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> "Batch":
        """The same batch in page-locked memory; torch's DataLoader calls this where there is CUDA."""
        return self._each(lambda part: part.pin_memory())

    def _each(self, change: Any) -> "Batch":  # noqa: ANN401 (Tensor → Tensor and PackedPlan → PackedPlan)
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            many = isinstance(value, dict)
            changed[field.name] = {key: change(part) for key, part in value.items()} if many else change(value)
        return Batch(**changed)
