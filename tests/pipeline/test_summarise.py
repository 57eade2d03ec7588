from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders
from tokenizers import models as tokenizer_models
from torch import Tensor

from models.checkpoint import load
from models.seq2seq import generate
from pipeline.dataset import WindowBatch, Windows, collate
from pipeline.encode import Tokens, encode, tokenize, window_bounds
from pipeline.predict import Predictor
from pipeline.summarise import groups, memories, text_of
from pipeline.types import Coverage, Document, Page
from tests import tiny

SUMMARY = {"kind": "generate", "max_length": 20, "start": 2, "stop": 3, "pad": 0}
CONFIG = tiny.config(heads={"summary": SUMMARY})
TOKENIZER = tiny.tokenizer()
TEXTS = [tiny.long_text(n, seed=n) for n in (3, 12, 60, 1, 90)]
DOCUMENTS = [tiny.document(text, name=f"{i}.pdf") for i, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.model_folder(tmp_path_factory.mktemp("models") / "writer", heads={**tiny.HEADS, "summary": SUMMARY})


@pytest.fixture(scope="module")
def predictor(folder: Path) -> Predictor:
    return Predictor(folder, "cpu")


def read(tokens: Sequence[Tokens], budget: int) -> list[tuple[WindowBatch, Tensor]]:
    """The windows, with hidden states that tell the document, where the window starts, and the row in the window."""
    found = []
    for batch in Windows(tokens, TOKENIZER, CONFIG, budget):
        rows = [
            [document, start, row]
            for document, (start, stop) in zip(batch.documents, batch.spans, strict=True)
            for row in range(stop - start + 2)
        ]
        found.append((batch, torch.tensor(rows, dtype=torch.float32)))
    return found


@pytest.mark.parametrize("budget", [40, 300])
def test_every_token_is_remembered_once_from_the_window_where_it_is_farther_from_the_edge(budget: int) -> None:
    tokens = [tokenize(document, TOKENIZER) for document in DOCUMENTS]
    found = memories(tokens, read(tokens, budget), CONFIG.overlap)
    for number, (memory, part) in enumerate(zip(found, tokens, strict=True)):
        assert memory.shape == (len(part) + 2, 3)
        assert (memory[:, 0] == number).all()
        # Row 0 is [CLS], row i + 1 the token i, the last [SEP], each from its own place in its window.
        assert (memory[:, 1] + memory[:, 2]).tolist() == list(range(len(part) + 2))
        bounds = window_bounds(len(part), CONFIG.max_tokens, CONFIG.overlap)
        for token, start in enumerate(memory[1:-1, 1].tolist()):
            depth = {a: min(token - a, b - 1 - token) for a, b in bounds if a <= token < b}
            assert depth[int(start)] == max(depth.values())


def test_documents_go_together_while_there_is_room() -> None:
    assert list(groups([3, 3, 3, 7, 1, 20, 2], budget=9)) == [[0, 1, 2], [3], [4], [5], [6]]
    assert list(groups([4, 4, 1], budget=12)) == [[0, 1, 2]]
    assert list(groups([], budget=9)) == []


def test_a_summary_is_what_the_decoder_writes_of_the_window(predictor: Predictor, folder: Path) -> None:
    model = load(folder)
    tokens = tokenize(DOCUMENTS[1], TOKENIZER)
    [window] = encode(tokens, TOKENIZER, model.config)
    with torch.inference_mode():
        hidden = model(collate([window]), ()).hidden_states
        [ids] = generate(model, "summary", hidden[None], torch.ones(1, len(hidden), dtype=torch.bool), beams=2)
    [found] = predictor.summarise(DOCUMENTS[1:2], beams=2)
    assert found.text == text_of(ids, TOKENIZER) != ""
    assert (found.name, found.sha256, found.model) == ("1.pdf", "0" * 64, "writer@1.2")
    assert found.coverage == Coverage(1, 1, 0, len(tokens), 1)
    assert found.seconds > 0


def test_a_summary_is_the_same_alone_and_in_company(predictor: Predictor) -> None:
    together = predictor.summarise(DOCUMENTS)
    alone = [predictor.summarise([document])[0] for document in DOCUMENTS]
    assert [replace(found, seconds=0) for found in together] == [replace(found, seconds=0) for found in alone]
    assert len({found.text for found in alone}) > 1


def test_every_window_of_a_long_document_is_read(folder: Path) -> None:
    """A change in the last window alone changes what the decoder is given, there and nowhere before it."""
    changed = tiny.document(TEXTS[4].rsplit(" ", 1)[0] + " zzzz")
    tokens = [tokenize(document, TOKENIZER) for document in (DOCUMENTS[4], changed)]
    model = load(folder)
    size = min(map(len, tokens))
    with torch.inference_mode():
        batches = Windows(tokens, TOKENIZER, model.config, 40)
        outputs = [(batch, model(batch.batch, ()).hidden_states) for batch in batches]
    assert len(outputs) > 8
    one, other = memories(tokens, outputs, model.config.overlap)
    same = (one[: size - 10] - other[: size - 10]).abs().amax(1) < 1e-6
    last, _ = window_bounds(size, 40, 8)[-1]
    assert same[: last + 4].all()
    assert not same[last + 10 :].any()


def test_the_longest_summary_is_what_is_asked_for_and_what_the_decoder_can(predictor: Predictor) -> None:
    def length(longest: int) -> int:
        [found] = predictor.summarise(DOCUMENTS[2:3], max_new_tokens=longest)
        return len(TOKENIZER.encode(found.text, add_special_tokens=False).ids)

    assert 0 < length(3) <= 3
    assert length(1000) < SUMMARY["max_length"]


def test_of_nothing_nothing_is_said(predictor: Predictor) -> None:
    failed = Document("a.pdf", "1" * 64, (Page(1, 0, 0, failure="timed_out"),))
    empty, full = predictor.summarise([failed, DOCUMENTS[0]])
    assert (empty.text, empty.coverage) == ("", Coverage(1, 0, 1, 0, 1))
    assert full.text == predictor.summarise(DOCUMENTS[:1])[0].text
    assert predictor.summarise([]) == []


def test_a_model_without_a_decoder_cannot(predictor: Predictor, tmp_path: Path) -> None:
    assert predictor.info.tasks == ("classify", "extract", "summarize")
    other = Predictor(tiny.model_folder(tmp_path / "m"), "cpu")
    assert other.info.tasks == ("classify", "extract")
    with pytest.raises(ValueError, match=r"^The model cannot summarise\.$"):
        other.summarise(DOCUMENTS)


@pytest.mark.parametrize(
    "text",
    [
        "acme inc. agreed (with others).",
        "state-of-the-art and/or long-term",
        "it's the parties' term, isn't it?",
        'he said "we do" and "you do".',
        "$1,000,000 or 3.5% by 10:30 in 1990, 2000",
        "u.s. law, e.g. this",
        "pages 13–31 – all [of them]",
    ],
)
def test_words_and_signs_are_joined_as_they_are_written(text: str) -> None:
    made = tiny.tokenizer()
    made.model = tokenizer_models.WordPiece({**made.get_vocab(), "–": 900})
    made.model.unk_token = "[UNK]"
    assert text_of(made.encode(text, add_special_tokens=False).ids, made) == text


def test_special_tokens_and_ids_of_no_token_are_left_out() -> None:
    ids = TOKENIZER.encode("this agreement", add_special_tokens=False).ids
    assert text_of([2, ids[0], 1, 0, ids[1], 9999, 3], TOKENIZER) == "this agreement"
    assert text_of([], TOKENIZER) == ""


def test_other_tokenizers_decode_themselves() -> None:
    made = Tokenizer(tokenizer_models.BPE({"▁a": 0, "b": 1, "▁c": 2}, []))
    made.decoder = decoders.Metaspace()
    assert text_of([0, 1, 2], made) == "ab c"
