import pytest
import torch
from torch import Tensor

from models.model import LongleafModel
from models.presets import preset
from models.seq2seq import generate
from tests import tiny

OPTIONS = {"kind": "generate", "max_length": 12, "start": 2, "stop": 3, "pad": 0}


def model(name: str = "raed-hnet", **options: object) -> LongleafModel:
    vocabulary = tiny.tokenizer().get_vocab_size()
    config = preset(name, "tiny", vocab_size=vocabulary, max_tokens=64, heads={"summary": OPTIONS | options})
    return tiny.shaken(LongleafModel(config)).eval()


def memory(lengths: tuple[int, ...] = (20, 11)) -> tuple[Tensor, Tensor]:
    torch.manual_seed(3)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return torch.randn(len(lengths), max(lengths), 32) * mask[..., None], mask


def by_hand(made: LongleafModel, given: Tensor, mask: Tensor, steps: int) -> list[int]:
    """The likeliest token, time after time, with everything computed anew."""
    head, words = made.heads["summary"], made.encoder.embeddings.word
    ids = [OPTIONS["start"]]
    for _ in range(steps):
        decoded = head.decoder(torch.tensor([ids]), given, mask, words)
        ids.append(int(head.logits(decoded, words)[0, -1].argmax()))
        if ids[-1] == OPTIONS["stop"]:
            break
    return [token for token in ids if token not in (0, 2, 3)]


@torch.inference_mode()
def test_greedy_search_with_a_cache_writes_what_it_would_without() -> None:
    made = model()
    given, mask = memory()
    found = generate(made, "summary", given, mask, beams=1, max_new_tokens=8, no_repeat_ngram_size=0)
    assert found == [by_hand(made, given[i : i + 1], mask[i : i + 1], 8) for i in range(2)]
    assert any(found)


@torch.inference_mode()
@pytest.mark.parametrize("beams", [1, 4])
def test_a_text_does_not_depend_on_those_written_beside_it(beams: int) -> None:
    made = model()
    given, mask = memory()
    together = generate(made, "summary", given, mask, beams=beams, max_new_tokens=8)
    alone = [
        generate(made, "summary", given[i : i + 1, :n], mask[i : i + 1, :n], beams=beams, max_new_tokens=8)[0]
        for i, n in enumerate((20, 11))
    ]
    assert together == alone


@torch.inference_mode()
def test_each_step_computes_one_token_alone() -> None:
    made = model()
    lengths: list[int] = []
    decoder = made.heads["summary"].decoder
    decoder.register_forward_hook(lambda _, given, out: lengths.append(given[0].shape[1]))
    generate(made, "summary", *memory((9,)), beams=2, max_new_tokens=5, min_new_tokens=5)
    assert lengths == [1] * 5


@torch.inference_mode()
def test_beams_share_what_they_read() -> None:
    """Keys and values of a memory are computed once, and not once a beam."""
    made = model()
    read: list[tuple[int, ...]] = []
    for block in made.heads["summary"].decoder.blocks:
        block.cross_attention.key.register_forward_hook(lambda _, given, out: read.append(tuple(out.shape)))
    generate(made, "summary", *memory(), beams=4, max_new_tokens=5, min_new_tokens=5)
    assert read == [(2, 20, 32)] * 2


@torch.inference_mode()
def test_more_beams_find_no_less_likely_text() -> None:
    made = model()
    given, mask = memory((20,))

    def likelihood(ids: list[int]) -> float:
        head, words = made.heads["summary"], made.encoder.embeddings.word
        decoded = head.decoder(torch.tensor([[2, *ids[:-1]]]), given, mask, words)
        return float(head.logits(decoded, words)[0].log_softmax(-1)[range(len(ids)), ids].sum())

    exact = {"max_new_tokens": 4, "min_new_tokens": 4, "no_repeat_ngram_size": 0}
    texts = [generate(made, "summary", given, mask, beams=beams, **exact)[0] for beams in (1, 8)]
    assert likelihood(texts[1]) >= likelihood(texts[0])


@torch.inference_mode()
def test_no_more_is_written_than_there_are_positions() -> None:
    made = model(max_length=6)
    [text] = generate(made, "summary", *memory((9,)), max_new_tokens=100, min_new_tokens=100)
    assert len(text) <= 5


@torch.inference_mode()
def test_the_decoder_may_have_more_layers_than_the_encoder() -> None:
    made = model(layers=3)
    given, mask = memory((9,))
    found = generate(made, "summary", given, mask, beams=1, max_new_tokens=4, no_repeat_ngram_size=0)
    assert found == [by_hand(made, given, mask, 4)]
