from typing import Any

import pytest
import torch
from torch import Tensor, nn

from models.batch import Batch
from models.registry import names, pick
from pipeline.dataset import collate
from tests import tiny

OPTIONS: dict[str, dict[str, Any]] = {
    "classify": {"labels": ["a", "b", "c"]},
    "label": {"entities": {"party": {}, "term": {}}},
    "mlm": {},
    "generate": {"max_length": 8, "start": 2, "stop": 3, "pad": 0},
}
KINDS = names("models.heads")
BATCH: Batch = collate(tiny.windows(tiny.config(), "this agreement", "", "Acme"))
TOKENS = len(BATCH.input_ids)


def head(kind: str) -> nn.Module:
    torch.manual_seed(0)
    return pick("models.heads", kind).Head(tiny.config(), OPTIONS[kind]).eval()


def targets(kind: str, windows: tuple[int, ...] = (0, 1, 2)) -> Tensor:
    """Something to learn in those windows alone."""
    shape = {"classify": (3,), "generate": (3, 4)}.get(kind, (TOKENS,))
    said = torch.full(shape, -100)
    for at in windows:
        said[BATCH.windows[at] if shape == (TOKENS,) else at] = 1
    return said


def read(kind: str, said: Tensor | None, hidden: Tensor | None = None) -> tuple[nn.Module, Tensor, Tensor]:
    """A head, what it was given for three windows (T, 32), and its logits."""
    made = head(kind)
    words = nn.Embedding(tiny.config().vocab_size, 32)
    given = torch.randn(TOKENS, 32, requires_grad=True) if hidden is None else hidden
    return made, given, made(given, BATCH, said, words)


@pytest.mark.parametrize("kind", KINDS)
def test_a_loss_is_finite_and_teaches(kind: str) -> None:
    made, given, logits = read(kind, targets(kind))
    loss = made.loss(logits, targets(kind))
    loss.backward()
    assert loss.shape == ()
    assert loss > 0
    assert given.grad.any()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_labelled_does_not_count(kind: str) -> None:
    said = targets(kind, (1,))
    made, given, logits = read(kind, said)
    loss = made.loss(logits, said)
    changed = given.detach().clone()
    changed[BATCH.windows[0]] += 1
    changed[BATCH.windows[2]] -= 1
    torch.testing.assert_close(made.loss(read(kind, said, changed)[2], said), loss)
    changed[BATCH.windows[1]] += torch.randn(BATCH.windows[1].stop - BATCH.windows[1].start, 32)
    assert not torch.allclose(made.loss(read(kind, said, changed)[2], said), loss)


@pytest.mark.parametrize("kind", KINDS)
def test_where_nothing_is_labelled_the_loss_is_zero(kind: str) -> None:
    made, given, logits = read(kind, targets(kind, ()))
    loss = made.loss(logits, targets(kind, ()))
    loss.backward()
    assert loss == 0
    assert not given.grad.any()


@pytest.mark.parametrize("kind", KINDS)
def test_without_targets_there_are_finite_logits(kind: str) -> None:
    assert read(kind, None)[2].isfinite().all()


def test_there_are_options_for_every_head() -> None:
    assert set(OPTIONS) == set(KINDS)
