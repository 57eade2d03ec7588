"""FNet's mixing (arXiv:2105.03824 section 3): the real part of the Fourier transform over sequence and hidden."""

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
        return mix(fourier, hidden, batch.windows)


def fourier(hidden: Tensor) -> Tensor:
    """The real part of the 2-D Fourier transform, (N, C) → (N, C), unscaled."""
    real, _ = half_spectrum(hidden)
    return whole(real, real, hidden.shape[1])
