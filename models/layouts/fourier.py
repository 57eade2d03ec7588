"""Fourier features of the box: sines and cosines of its sides, width and height at eight frequencies, projected."""

import math

import torch
from torch import Tensor, nn

_FREQUENCIES = 8


class Layout(nn.Module):
    """Zero at the start, which leaves a warm-started encoder undisturbed.

    On FUNSD, layout added at full rate cost a third of the accuracy that text alone had reached.
    """

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.projection = nn.Linear(6 * 2 * _FREQUENCIES, hidden_size, bias=False)

    def start_gently(self) -> None:
        """Zero."""
        nn.init.zeros_(self.projection.weight)

    def forward(self, boxes: Tensor) -> Tensor:
        """(T, 4) on a 0–1000 grid → (T, hidden)."""
        box = boxes / 1000
        sides = torch.cat([box, box[:, 2:] - box[:, :2]], dim=1)  # (T, 6): x0 y0 x1 y1 width height
        frequencies = math.pi * 2.0 ** torch.arange(_FREQUENCIES, device=boxes.device)
        angles = sides[:, :, None] * frequencies  # (T, 6, F)
        features = torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (T, 12 F)
        projected: Tensor = self.projection(features.to(self.projection.weight.dtype))
        return projected
