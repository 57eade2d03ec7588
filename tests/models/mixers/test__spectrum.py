import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from models.mixers._spectrum import mix
from models.mixers.fourier import fourier
from models.mixers.hartley import hartley

SHAPES = [(1, 8), (2, 8), (3, 7), (37, 32), (64, 9), (101, 33)]


def by_matrices(hidden: Tensor) -> Tensor:
    """The 2-D Fourier transform written out: a matrix of e^(-2πi jk/n) on either side."""

    def matrix(n: int) -> Tensor:
        places = torch.arange(n, dtype=torch.float64)
        return torch.exp(-2j * torch.pi * places[:, None] * places / n)

    return matrix(hidden.shape[0]) @ hidden.to(torch.complex128) @ matrix(hidden.shape[1])


@pytest.mark.parametrize("shape", SHAPES)
def test_fourier_is_the_real_part(shape: tuple[int, int]) -> None:
    hidden = torch.randn(*shape, dtype=torch.float64)
    torch.testing.assert_close(fourier(hidden), by_matrices(hidden).real)


@pytest.mark.parametrize("shape", SHAPES)
def test_hartley_is_the_real_less_the_imaginary_part(shape: tuple[int, int]) -> None:
    hidden = torch.randn(*shape, dtype=torch.float64)
    whole = by_matrices(hidden)
    torch.testing.assert_close(hartley(hidden), whole.real - whole.imag)


@pytest.mark.parametrize("shape", SHAPES)
def test_hartley_undoes_itself(shape: tuple[int, int]) -> None:
    hidden = torch.randn(*shape, dtype=torch.float64)
    torch.testing.assert_close(hartley(hartley(hidden)) / hidden.numel(), hidden)


@pytest.mark.parametrize("transform", [fourier, hartley])
@pytest.mark.parametrize("lengths", [(7,), (1, 12, 5)])
def test_the_gradient_is_that_of_the_transform_written_out(
    transform: Callable[[Tensor], Tensor], lengths: tuple[int, ...]
) -> None:
    hidden = torch.randn(sum(lengths), 6, requires_grad=True)
    ends = torch.tensor([0, *lengths]).cumsum(0).tolist()
    windows = tuple(slice(a, b) for a, b in itertools.pairwise(ends))
    weights = torch.randn(sum(lengths), 6)
    [found] = torch.autograd.grad((mix(transform, hidden, windows) * weights).sum(), hidden)
    plain = torch.cat([transform(hidden[window]) for window in windows])
    [wanted] = torch.autograd.grad((plain * weights).sum(), hidden)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-4)


def test_half_precision_is_widened_inside() -> None:
    hidden = torch.randn(64, 32)
    found = mix(hartley, hidden.bfloat16(), (slice(0, 64),))
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.float(), hartley(hidden.bfloat16().float()), rtol=1e-2, atol=0)
