import itertools

import pytest
import torch
from torch import Tensor, nn
from transformers import DynamicCache, EncoderDecoderCache

from models.decoder import Decoder, memory_of, shifted
from tests import tiny

OPTIONS = {"start": 2, "stop": 3, "pad": 0}


def decoder() -> tuple[Decoder, nn.Embedding]:
    torch.manual_seed(0)
    made = Decoder(tiny.config(), 2, 16).eval()
    for name, weight in made.named_parameters():
        nn.init.normal_(weight, mean=float("norm.weight" in name), std=0.3)
    return made, nn.Embedding(50, 32)


def given(lengths: tuple[int, ...] = (9, 4)) -> tuple[Tensor, Tensor, Tensor]:
    """Ids (B, 7), memory and mask."""
    torch.manual_seed(1)
    ends = torch.tensor([0, *lengths]).cumsum(0).tolist()
    hidden = torch.randn(ends[-1], 32)
    memory, mask = memory_of(hidden, tuple(slice(a, b) for a, b in itertools.pairwise(ends)))
    return torch.randint(50, (len(lengths), 7)), memory, mask


def test_a_token_knows_those_before_it_alone() -> None:
    made, words = decoder()
    ids, memory, mask = given()
    usual = made(ids, memory, mask, words)
    changed = ids.clone()
    changed[:, 4] = (changed[:, 4] + 1) % 50
    found = made(changed, memory, mask, words)
    torch.testing.assert_close(found[:, :4], usual[:, :4])
    assert not torch.allclose(found[:, 4:], usual[:, 4:], atol=1e-3)


def test_with_a_cache_step_by_step_is_all_at_once() -> None:
    made, words = decoder()
    ids, memory, mask = given()
    cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
    steps = [made(part, memory, mask, words, cache) for part in (ids[:, :3], ids[:, 3:4], ids[:, 4:])]
    torch.testing.assert_close(torch.cat(steps, dim=1), made(ids, memory, mask, words), rtol=0, atol=1e-5)


@pytest.mark.parametrize("at", [0, 1])
def test_padding_of_the_memory_is_not_read(at: int) -> None:
    made, words = decoder()
    ids, memory, mask = given()
    length = int(mask[at].sum())
    alone = made(ids[at : at + 1], memory[at : at + 1, :length], mask[at : at + 1, :length], words)
    torch.testing.assert_close(made(ids, memory, mask, words)[at], alone[0], rtol=0, atol=1e-5)


def test_what_is_put_in_is_what_comes_out_one_later() -> None:
    targets = torch.tensor([[7, 8, 3, -100], [9, 3, -100, -100]])
    assert shifted(targets, OPTIONS).tolist() == [[2, 7, 8, 3], [2, 9, 3, 0]]
