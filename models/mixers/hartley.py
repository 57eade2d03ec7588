"""HNet's mixing (Legal-HNet): the Hartley transform over sequence and hidden, Fourier's real less its imaginary part.

Unlike Fourier's real part alone it loses nothing of its input, and costs the same.
"""

from torch import Tensor, nn

from models.batch import Batch
from models.config import LongleafConfig
from models.mixers._spectrum import half_spectrum, mix, whole


class Mixer(nn.Module):
    """Has no weights."""

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()

    def forward(self, hidden: Tensor, batch: Batch, kind: str) -> Tensor:
        """(T, hidden) → (T, hidden), each window over its own length."""
        return mix(hartley, hidden, batch.windows)


def hartley(hidden: Tensor) -> Tensor:
    """The 2-D Hartley transform, (N, C) → (N, C), unscaled."""
    real, imag = half_spectrum(hidden)
    return whole(real - imag, real + imag, hidden.shape[1])
