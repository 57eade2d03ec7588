import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from models.heads.classify import Head
from pipeline.dataset import collate
from tests import tiny

WORDS = nn.Embedding(1, 32)


def test_a_window_is_judged_by_its_first_token_and_its_mean() -> None:
    config = tiny.config()
    batch = collate(tiny.windows(config, "this agreement", "party"))
    hidden = torch.randn(len(batch.input_ids), 32)
    head = Head(config, {"labels": ["a", "b"]}).eval()
    wanted = [head.output(torch.cat([part[0], part.mean(0)])) for part in (hidden[:4], hidden[4:])]
    torch.testing.assert_close(head(hidden, batch, None, WORDS), torch.stack(wanted))


def test_the_mean_of_many_half_precision_numbers_is_exact() -> None:
    config = tiny.config(max_tokens=4096, kinds={"sliding": {"window": 1}}, mixers="sliding")
    head = Head(config, {"labels": ["a", "b"]}).eval().bfloat16()
    few, many = (collate(tiny.windows(config, tiny.long_text(n, known=tiny.WHOLE))) for n in (1, 4000))
    logits = [head(torch.full((len(b.input_ids), 32), 0.7, dtype=torch.bfloat16), b, None, WORDS) for b in (few, many)]
    assert torch.equal(*logits)


def test_each_class_of_a_multi_label_window_is_judged_by_itself() -> None:
    head = Head(tiny.config(), {"labels": ["a", "b", "c"], "multi": True})
    logits = torch.randn(4, 3, requires_grad=True)
    targets = torch.tensor([[1, 0, 1], [0, 0, 0], [-100, -100, -100], [0, 1, 0]])
    known = [0, 1, 3]
    loss = head.loss(logits, targets)
    torch.testing.assert_close(loss, binary_cross_entropy_with_logits(logits[known], targets[known].float()))
    loss.backward()
    assert not logits.grad[2].any()
    assert logits.grad[known].all()


def test_where_no_multi_label_window_is_labelled_the_loss_is_zero() -> None:
    head = Head(tiny.config(), {"labels": ["a", "b"], "multi": True})
    logits = torch.randn(2, 2, requires_grad=True)
    loss = head.loss(logits, torch.full((2, 2), -100))
    loss.backward()
    assert loss == 0
    assert not logits.grad.any()
