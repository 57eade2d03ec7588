import pytest
import torch
from torch import nn

from models.registry import names, pick

LAYOUTS = names("models.layouts")
BOXES = torch.tensor([[0, 0, 0, 0], [10, 20, 300, 40], [999, 999, 1000, 1000], [0.4, 0.6, 999.9, 1000]])


def layout(name: str) -> nn.Module:
    torch.manual_seed(0)
    return pick("models.layouts", name).Layout(16)


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_side_of_a_box_counts(name: str) -> None:
    made = layout(name)
    usual = made(BOXES)
    assert usual.shape == (4, 16)
    for side in range(4):
        moved = BOXES.clone()
        moved[1, side] += 5
        found = made(moved)
        assert not torch.allclose(found[1], usual[1], atol=1e-3)
        assert torch.equal(found[0], usual[0])


@pytest.mark.parametrize("name", LAYOUTS)
def test_started_gently_it_adds_nothing_and_can_learn(name: str) -> None:
    made = layout(name)
    made.start_gently()
    found = made(BOXES)
    assert not found.any()
    found.sum().backward()
    assert all(weight.grad.any() for weight in made.parameters())
