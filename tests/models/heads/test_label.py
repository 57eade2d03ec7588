import torch

from models.heads.label import Head
from tests import tiny

ENTITIES = {"party": {}, "term": {}}


def test_there_are_two_tags_a_type_and_one_for_outside() -> None:
    assert Head(tiny.config(), {"entities": ENTITIES}).output.out_features == 5


def test_it_begins_with_everything_outside() -> None:
    head = Head(tiny.config(), {"entities": ENTITIES}).eval()
    torch.nn.init.normal_(head.output.weight, std=0.02)
    head.start_gently()
    chance = head.output(torch.randn(50, 32)).softmax(-1)[:, 0]
    assert chance.min() > 0.9
