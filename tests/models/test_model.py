from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from models.attention.kinds import kind
from models.attention.layout import Layout
from models.attention.plan import make_plan
from models.batch import Batch
from models.checkpoint import load, save
from models.model import LongleafModel, Output
from models.presets import PRESETS, preset
from pipeline.dataset import collate
from pipeline.encode import EncodedDocument
from tests import tiny

SHORT, MIDDLE, LONG = 9, 333, 601  # tokens; the last is planned in blocks
ODD = (1, 2, 3, 101, 127, 128, 129, 641)  # tokens; 128 queries are a block
DROPOUTS = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}


HEADS = {
    **tiny.HEADS,
    "words": {"kind": "mlm"},
    "summary": {"kind": "generate", "max_length": 8, "start": 2, "stop": 3, "pad": 0},
}
KINDS = {
    "sliding": {"window": 20},
    "distance": {"neighbours": 40},
    "distance-sw": {"neighbours": 40},
    "random": {"blocks": 2, "block": 16},
}


def made(name: str, **changes: object) -> LongleafModel:
    """A preset in size tiny, with the heads of `tests.tiny`, in which everything counts."""
    common = {"vocab_size": tiny.tokenizer().get_vocab_size(), "heads": HEADS, "max_tokens": 1024}
    return tiny.shaken(LongleafModel(preset(name, "tiny", **{**common, "kinds": KINDS, **changes}))).eval()


def window(model: LongleafModel, length: int, seed: int = 0) -> EncodedDocument:
    """One of that many tokens."""
    [cut] = tiny.windows(model.config, tiny.long_text(length - 2, seed, tiny.WHOLE))
    assert len(cut) == length
    return cut


def first_token(model: LongleafModel) -> EncodedDocument:
    """A window of [CLS] alone."""
    layout = Layout(np.zeros((1, 2), dtype=np.float32), np.ones(1, dtype=bool))
    plans = {name: make_plan(layout, kind(name, model.config.kinds)) for name in model.config.attention_kinds}
    whole = window(model, 2)
    arrays = {part: getattr(whole, part)[:1] for part in ("input_ids", "positions", "boxes", "pages", "shapes")}
    return replace(whole, plans=plans, **arrays)


def labelled(batch: Batch) -> Batch:
    """Every second window and every third token with something to learn."""
    tags = torch.where(torch.arange(len(batch.input_ids)) % 3 == 0, torch.arange(len(batch.input_ids)) % 5, -100)
    classes = torch.where(torch.arange(len(batch.first)) % 2 == 0, 1, -100)
    words = torch.where(tags != -100, batch.input_ids, -100)
    texts = torch.tensor([[5, 9, 7, 3], [8, 3, -100, -100]]).repeat(len(classes), 1)[: len(classes)]
    return replace(batch, targets={"document_class": classes, "nda": tags, "words": words, "summary": texts})


def run(model: LongleafModel, *windows: EncodedDocument) -> Output:
    with torch.no_grad():
        return model(collate(windows).to(model.device))


@pytest.mark.parametrize("name", PRESETS)
def test_shapes(name: str, device: str) -> None:
    model = made(name).to(device)
    out = run(model, window(model, SHORT), window(model, LONG), window(model, 2))
    tokens = SHORT + LONG + 2
    assert out.hidden_states.shape == (tokens, 32)
    assert {head: tuple(logits.shape) for head, logits in out.logits.items()} == {
        "document_class": (3, 2),
        "nda": (tokens, 5),
        "words": (tokens, model.config.vocab_size),
        "summary": (3, 0, model.config.vocab_size),
    }
    assert out.loss is None
    assert all(logits.isfinite().all() for logits in out.logits.values())


@pytest.mark.parametrize("name", PRESETS)
def test_what_a_window_is_read_with_changes_nothing(name: str, device: str) -> None:
    model = made(name).to(device)
    short, middle, long = (window(model, n) for n in (SHORT, MIDDLE, LONG))
    others = [window(model, n, seed=n) for n in (17, 5, LONG - 1)]
    for asked in (short, middle, long):
        alone = run(model, asked)
        for before, after in (([], others[:2]), (others[:2], []), (others[2:], others[:1])):
            together = run(model, *before, asked, *after)
            first = sum(map(len, before))
            at = {"document_class": slice(len(before), len(before) + 1), "nda": slice(first, first + len(asked))}
            for head, rows in at.items():
                torch.testing.assert_close(together.logits[head][rows], alone.logits[head], rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", PRESETS)
def test_windows_may_stand_in_any_order(name: str, device: str) -> None:
    """What is padding invariance elsewhere: here windows lie end to end, and nothing is filled up."""
    model = made(name).to(device)
    windows = [window(model, n, seed=n) for n in (SHORT, LONG, 2, MIDDLE)]
    usual = run(model, *windows).hidden_states.split(list(map(len, windows)))
    for order in ([3, 2, 1, 0], [1, 3, 0, 2]):
        batch = collate([windows[i] for i in order])
        assert len(batch.input_ids) == sum(map(len, windows))
        found = run(model, *(windows[i] for i in order)).hidden_states.split([len(windows[i]) for i in order])
        for i, hidden in zip(order, found, strict=True):
            torch.testing.assert_close(hidden, usual[i], rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", PRESETS)
def test_windows_of_any_length_are_learned_from(name: str, device: str) -> None:
    model = made(name, **DROPOUTS).to(device).train()
    for length in ODD:
        model.zero_grad()
        asked = first_token(model) if length == 1 else window(model, length)
        out = model(labelled(collate([asked])).to(device))
        assert out.hidden_states.shape == (length, 32)
        assert out.loss.isfinite()
        out.loss.backward()
        found = {name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None}
        assert all(grad.isfinite().all() for grad in found.values()), length
        assert found["encoder.embeddings.word.weight"].any()


@pytest.mark.parametrize("name", PRESETS)
def test_learning_reaches_every_weight(name: str, device: str) -> None:
    model = made(name, **DROPOUTS).to(device).train()
    batch = labelled(collate([window(model, SHORT), window(model, LONG)])).to(device)
    loss = model(batch).loss
    assert loss.isfinite()
    loss.backward()
    for weight_name, weight in model.named_parameters():
        assert weight.grad is not None, weight_name
        assert weight.grad.isfinite().all(), weight_name
        # A key's bias adds the same to all scores of a query, so it changes nothing.
        assert weight.grad.any() or weight_name.endswith(("key.bias", "key_global.bias")), weight_name


def test_dropout_is_for_training_alone(device: str) -> None:
    model = made("longleaf", **DROPOUTS).to(device)
    asked = window(model, MIDDLE)
    assert torch.equal(run(model, asked).hidden_states, run(model, asked).hidden_states)
    model.train()
    torch.manual_seed(1)
    first, second = run(model, asked), run(model, asked)
    torch.manual_seed(1)
    again = run(model, asked)
    assert not torch.equal(first.hidden_states, second.hidden_states)
    assert torch.equal(first.hidden_states, again.hidden_states)


def test_attention_dropout_alone_is_felt(device: str) -> None:
    model = made("longleaf", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.2).to(device).train()
    asked = window(model, MIDDLE)
    assert not torch.equal(run(model, asked).hidden_states, run(model, asked).hidden_states)


@pytest.mark.parametrize("name", PRESETS)
def test_half_precision_is_near(name: str, device: str) -> None:
    model = made(name).to(device)
    asked = [window(model, SHORT), window(model, LONG)]
    batch = labelled(collate(asked)).to(device)
    with torch.no_grad():
        full = model(batch)
        with torch.autocast(device, dtype=torch.bfloat16):
            half = model(batch)
    assert half.logits["nda"].dtype == torch.bfloat16
    assert half.loss.dtype == torch.float32
    for head, logits in full.logits.items():
        far = (half.logits[head].float().softmax(-1) - logits.softmax(-1)).abs()
        assert far.mean() < 0.02, head


def test_half_precision_learns_in_the_same_direction(device: str) -> None:
    def gradient(half: bool) -> Tensor:
        model = made("longleaf").to(device)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=half):
            loss = model(labelled(collate([window(model, LONG)])).to(device)).loss
        loss.backward()
        return torch.cat([weight.grad.flatten() for weight in model.parameters()])

    assert torch.cosine_similarity(gradient(True), gradient(False), dim=0) > 0.99


@pytest.mark.parametrize("name", PRESETS)
def test_saved_and_read_again_it_answers_the_same(name: str, tmp_path: Path, device: str) -> None:
    model = made(name).to(device)
    save(model, tmp_path, torch.float32)
    asked = window(model, LONG)
    before, after = run(model, asked), run(load(tmp_path, device), asked)
    assert torch.equal(before.hidden_states, after.hidden_states)
    for head in HEADS:  # a device adds up in no fixed order
        torch.testing.assert_close(before.logits[head], after.logits[head], rtol=0, atol=0 if device == "cpu" else 1e-5)


def test_only_the_heads_asked_for_are_run(device: str) -> None:
    model = made("longleaf").to(device)
    batch = labelled(collate([window(model, SHORT)])).to(device)
    with torch.no_grad():
        assert set(model(batch, ["nda"]).logits) == {"nda"}
        assert model(batch, []).loss is None
        apart = sum(model(batch, [head]).loss for head in HEADS)
        torch.testing.assert_close(model(batch).loss, apart)


def test_layers_may_differ_in_kind(device: str) -> None:
    """Each does what it does in a model of its kind alone; all have the same weights here."""
    mixed, slid, whole = (made("sw", mixers=m).to(device) for m in (["sliding", "full"], "sliding", "full"))
    batch = collate([window(mixed, MIDDLE), window(mixed, LONG)]).to(device)
    assert set(batch.plans) == {"sliding", "full"}
    with torch.no_grad():
        hidden = slid.encoder.blocks[0](slid.encoder.embeddings(batch), batch)
        wanted = whole.encoder.blocks[1](hidden, batch)
        assert torch.equal(mixed.encoder(batch), wanted)
        assert not torch.allclose(slid.encoder(batch), wanted, atol=1e-3)


def test_random_blocks_are_the_same_in_training_and_after_unless_asked(device: str) -> None:
    dropouts = dict.fromkeys(DROPOUTS, 0.0)
    for seed, is_same in ((0, True), (None, False)):
        kinds = {**KINDS, "random": {**KINDS["random"], "seed": seed}}
        model = made("sw-rand", kinds=kinds, **dropouts).to(device)
        after = run(model, window(model, LONG)).hidden_states
        training = run(model.train(), window(model, LONG)).hidden_states
        assert torch.allclose(training, after, rtol=0, atol=1e-4) == is_same


def test_layout_pages_and_shapes_count(device: str) -> None:
    model = made("bert-layout").to(device)
    [asked] = tiny.windows(model.config, "This AGREEMENT of 2017 " + tiny.long_text(120))
    usual = run(model, asked).hidden_states
    for part in ("boxes", "pages", "shapes", "positions", "input_ids"):
        changed = replace(asked, **{part: getattr(asked, part)[::-1].copy()})
        assert not torch.allclose(run(model, changed).hidden_states, usual, atol=1e-3), part


def test_pages_beyond_the_last_embedding_share_it(device: str) -> None:
    model = made("bert-layout", max_pages=2).to(device)
    asked = window(model, SHORT)
    later = [replace(asked, pages=asked.pages + n) for n in (1, 7)]
    assert torch.equal(run(model, later[0]).hidden_states, run(model, later[1]).hidden_states)


def test_a_new_model_takes_no_notice_of_layout() -> None:
    embeddings = LongleafModel(tiny.config()).encoder.embeddings
    for weight in (embeddings.page.weight, embeddings.shape.weight, embeddings.layout.projection.weight):
        assert not weight.any()
    assert float(embeddings.word.weight.detach().std()) == pytest.approx(0.3, rel=0.1)
