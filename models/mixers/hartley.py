"""HNet's mixing (Legal-HNet): the Hartley transform over sequence and hidden, Fourier's real less its imaginary part.

Unlike Fourier's real part alone it loses nothing of its input, and costs the same.
"""

from torch import Tensor

from models.mixers._spectrum import TransformMixer, half_spectrum, whole


def hartley(hidden: Tensor) -> Tensor:
    """The 2-D Hartley transform, (N, C) → (N, C), unscaled."""
    real, imag = half_spectrum(hidden)
    return whole(real - imag, real + imag, hidden.shape[1])


class Mixer(TransformMixer):
    """HNet's."""

    transform = staticmethod(hartley)
