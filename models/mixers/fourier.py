"""FNet's mixing (arXiv:2105.03824 section 3): the real part of the Fourier transform over sequence and hidden."""

from torch import Tensor

from models.mixers._spectrum import TransformMixer, half_spectrum, whole


def fourier(hidden: Tensor) -> Tensor:
    """The real part of the 2-D Fourier transform, (N, C) → (N, C), unscaled."""
    real, _ = half_spectrum(hidden)
    return whole(real, real, hidden.shape[1])


class Mixer(TransformMixer):
    """FNet's."""

    transform = staticmethod(fourier)
