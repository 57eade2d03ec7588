import torch
from torch import nn

from models.heads.mlm import Head
from pipeline.dataset import collate
from tests import tiny


def test_chosen_tokens_have_the_logits_they_have_among_all() -> None:
    batch = collate(tiny.windows(tiny.config(), "this agreement", "party"))
    head, words = Head(tiny.config(), {}).eval(), nn.Embedding(tiny.config().vocab_size, 32)
    hidden = torch.randn(len(batch.input_ids), 32)
    targets = torch.full((len(hidden),), -100)
    targets[[1, 4]] = torch.tensor([7, 9])
    chosen, every = head(hidden, batch, targets, words), head(hidden, batch, None, words)
    torch.testing.assert_close(chosen, every[[1, 4]])
    torch.testing.assert_close(head.loss(chosen, targets), nn.functional.cross_entropy(chosen, torch.tensor([7, 9])))


def test_the_output_weights_are_the_word_embeddings() -> None:
    batch = collate(tiny.windows(tiny.config(), "this"))
    head, words = Head(tiny.config(), {}).eval(), nn.Embedding(tiny.config().vocab_size, 32)
    head(torch.randn(3, 32), batch, None, words).sum().backward()
    assert words.weight.grad.any()
    assert "weight" not in {name for name, _ in head.named_parameters(recurse=False)}
