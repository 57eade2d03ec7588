from typing import Any

import pytest
import torch
from torch import Tensor, nn

from models.registry import names, pick
from pipeline.dataset import collate
from tests import tiny

OPTIONS: dict[str, dict[str, Any]] = {
    "classify": {"labels": ["a", "b", "c"]},
    "label": {"entities": {"party": {}, "term": {}}},
}
KINDS = names("models.heads")


def head(kind: str) -> nn.Module:
    torch.manual_seed(0)
    return pick("models.heads", kind).Head(tiny.config(), OPTIONS[kind]).eval()


def read(kind: str) -> tuple[nn.Module, Tensor, Tensor]:
    """A head, what it was given for three windows (T, 32), and its logits."""
    batch = collate(tiny.windows(tiny.config(), "this agreement", "", "Acme"))
    torch.manual_seed(1)
    given = torch.randn(len(batch.input_ids), 32, requires_grad=True)
    made = head(kind)
    return made, given, made(given, batch)


@pytest.mark.parametrize("kind", KINDS)
def test_a_loss_is_finite_and_teaches(kind: str) -> None:
    made, given, logits = read(kind)
    loss = made.loss(logits, torch.zeros(len(logits), dtype=torch.int64))
    loss.backward()
    assert loss.shape == ()
    assert loss > 0
    assert given.grad.any()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_labelled_does_not_count(kind: str) -> None:
    made, _, logits = read(kind)
    targets = torch.full((len(logits),), -100)
    targets[1] = 2
    loss = made.loss(logits, targets)
    torch.testing.assert_close(loss, made.loss(logits[1:2], targets[1:2]))
    torch.testing.assert_close(torch.autograd.grad(loss, logits)[0][[0, 2]], torch.zeros(2, logits.shape[1]))


@pytest.mark.parametrize("kind", KINDS)
def test_where_nothing_is_labelled_the_loss_is_zero(kind: str) -> None:
    made, given, logits = read(kind)
    loss = made.loss(logits, torch.full((len(logits),), -100))
    loss.backward()
    assert loss == 0
    assert not given.grad.any()


@pytest.mark.parametrize("kind", KINDS)
def test_starting_gently_leaves_finite_logits(kind: str) -> None:
    made, _, before = read(kind)
    made.start_gently()
    assert read(kind)[2].shape == before.shape
    assert before.isfinite().all()


def test_there_are_options_for_every_head() -> None:
    assert set(OPTIONS) == set(KINDS)
