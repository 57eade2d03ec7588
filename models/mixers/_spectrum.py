"""The two-dimensional discrete Fourier transform of real hidden states, over (sequence, hidden), at half the work.

A real input's spectrum mirrors itself, F[k, l] = conj F[-k, -l], so one half of the hidden frequencies tells the other.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from models.batch import Batch
from models.config import LongleafConfig

Transform = Callable[[Tensor], Tensor]


def half_spectrum(hidden: Tensor) -> tuple[Tensor, Tensor]:
    """The real and imaginary parts of the transform of hidden (N, C), those of its first C // 2 + 1 columns."""
    spectrum = torch.fft.rfft2(hidden)
    return spectrum.real, spectrum.imag


def whole(half: Tensor, mirrored: Tensor, channels: int) -> Tensor:
    """(N, channels): `half` (N, channels // 2 + 1), then at [k, l] of the other columns `mirrored` at [-k, -l]."""
    known = half.shape[1]
    joined = half.new_empty(half.shape[0], channels)
    joined[:, :known] = half
    joined[:, known:] = mirrored[:, 1 : 1 + channels - known].flip(0, 1).roll(1, 0)
    return joined


def mix(transform: Transform, hidden: Tensor, windows: tuple[slice, ...]) -> Tensor:
    """`transform` of each window of hidden (T, C) alone, over its true length; float32 inside, whatever autocast does.

    The transform's matrix must be symmetric, as the Fourier and Hartley transforms' are: it is its own gradient.
    """
    mixed: Tensor = _Mix.apply(transform, hidden, windows)  # type: ignore[no-untyped-call]
    return mixed


class TransformMixer(nn.Module):
    """A mixer by a transform of its own; it has no weights."""

    transform: Transform

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()

    def forward(self, hidden: Tensor, batch: Batch, kind: str) -> Tensor:
        """(T, hidden) → (T, hidden), each window over its own length."""
        return mix(self.transform, hidden, batch.windows)


class _Mix(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, transform: Transform, hidden: Tensor, windows: tuple[slice, ...]) -> Tensor:  # noqa: ANN401
        ctx.transform, ctx.windows = transform, windows
        return _each(transform, hidden, windows)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        return None, _each(ctx.transform, grad, ctx.windows), None


def _each(transform: Transform, hidden: Tensor, windows: tuple[slice, ...]) -> Tensor:
    return torch.cat([transform(hidden[window].float()) for window in windows]).to(hidden.dtype)
