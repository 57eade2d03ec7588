import multiprocessing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from models.checkpoint import load
from pipeline.dataset import collate
from pipeline.decode import find_entities
from pipeline.encode import encode, load_tokenizer, tokenize
from pipeline.predict import Predictor
from pipeline.types import Coverage, Document, Page, Prediction
from tests import tiny

TEXTS = [tiny.long_text(n, seed=n) for n in (3, 12, 60, 25, 1, 90)]
DOCUMENTS = [tiny.document(text, name=f"{i}.pdf") for i, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.model_folder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def predictor(folder: Path) -> Predictor:
    return Predictor(folder, "cpu")


def assert_same(found: Prediction, wanted: Prediction) -> None:
    """But for the time it took, and the last digits of the numbers."""
    assert found.scores == pytest.approx(wanted.scores, abs=1e-4)
    assert [replace(e, confidence=0) for e in found.entities] == [replace(e, confidence=0) for e in wanted.entities]
    assert [e.confidence for e in found.entities] == pytest.approx([e.confidence for e in wanted.entities], abs=1e-4)
    plain = {"scores": {}, "entities": (), "seconds": 0}
    assert replace(found, **plain) == replace(wanted, **plain)


def test_a_predictor_tells_what_it_is(predictor: Predictor) -> None:
    info = predictor.info
    assert (info.name, info.version, info.device, info.max_tokens) == ("tiny", "1.2", "cpu", 40)
    assert info.classes == ("annual_report", "non_disclosure_agreement")
    assert info.schemas == {"nda": ("party", "effective_date")}
    assert info.parameters == sum(weight.numel() for weight in tiny.model().parameters())
    assert predictor.schemas == {"nda": tiny.HEADS["nda"]["entities"]}


def test_every_page_token_and_window_is_counted(predictor: Predictor) -> None:
    failed = Page(3, 0, 0, failure="timed_out")
    first, second = tiny.document(TEXTS[2], TEXTS[3]).pages
    document = Document("a.pdf", "1" * 64, (first, second, failed))
    tokens = tokenize(document, tiny.tokenizer())
    [found] = predictor.predict([document])
    windows = len(list(encode(tokens, tiny.tokenizer(), tiny.config())))
    assert windows > 3
    assert found.coverage == Coverage(3, 2, 1, len(tokens), windows)
    assert (found.name, found.sha256, found.model) == ("a.pdf", "1" * 64, "tiny@1.2")
    assert found.seconds > 0


def test_a_long_document_is_the_mean_of_its_windows(predictor: Predictor, folder: Path) -> None:
    """Window by window through the model alone: log-probabilities of classes, probabilities of tags, averaged."""
    tokens = tokenize(DOCUMENTS[5], load_tokenizer(folder))
    model = load(folder)
    classes, tags, seen = torch.zeros(2), torch.zeros(len(tokens), 5), torch.zeros(len(tokens), 1)
    windows = list(encode(tokens, load_tokenizer(folder), model.config))
    for window in windows:
        with torch.no_grad():
            logits = model(collate([window])).logits
        classes += logits["document_class"][0].log_softmax(-1) / len(windows)
        tags[window.start : window.stop] += logits["nda"][1:-1].softmax(-1)
        seen[window.start : window.stop] += 1
    assert seen.max() > 1
    [found] = predictor.predict([DOCUMENTS[5]], schema="nda")
    wanted = classes.softmax(-1)
    assert [found.scores[name] for name in predictor.info.classes] == pytest.approx(wanted.tolist(), abs=1e-5)
    assert list(found.scores.values()) == sorted(found.scores.values(), reverse=True)
    assert sum(found.scores.values()) == pytest.approx(1, abs=1e-5)
    words = np.tile(np.eye(5, dtype=np.float32)[0], (len(tokens.refs), 1))
    starts = np.flatnonzero(tokens.starts_word)
    words[tokens.words[starts]] = (tags / seen)[starts].numpy()
    entities = find_entities(DOCUMENTS[5], tokens.refs, words, tiny.HEADS["nda"]["entities"])
    assert_same(found, replace(found, entities=entities))
    assert entities


def test_of_a_multi_label_model_each_class_has_its_own_probability(tmp_path: Path) -> None:
    """The mean of the windows' log-odds; the document has the classes likelier than not."""
    heads = {"document_class": {"kind": "classify", "labels": ["a", "b", "c"], "multi": True}, "nda": tiny.HEADS["nda"]}
    folder = tiny.model_folder(tmp_path / "multi", heads=heads)
    model, tokens = load(folder), tokenize(DOCUMENTS[5], tiny.tokenizer())
    with torch.no_grad():
        each = [
            model(collate([window])).logits["document_class"][0]
            for window in encode(tokens, tiny.tokenizer(), model.config)
        ]
    wanted = dict(zip("abc", torch.stack(each).mean(0).sigmoid().tolist(), strict=True))
    predictor = Predictor(folder, "cpu")
    [found] = predictor.predict([DOCUMENTS[5]], schema="auto")
    assert found.scores == pytest.approx(wanted, abs=1e-5)
    assert list(found.scores.values()) == sorted(found.scores.values(), reverse=True)
    assert set(found.labels) == {label for label, share in wanted.items() if share > 0.5}
    assert (predictor.multi_label, found.label, found.confidence, found.schema) == (True, None, None, None)


def test_answers_are_the_same_alone_and_in_any_company(predictor: Predictor) -> None:
    alone = [predictor.predict([document], schema="auto")[0] for document in DOCUMENTS]
    order = np.random.default_rng(0).permutation(len(DOCUMENTS))
    together = predictor.predict([DOCUMENTS[i] for i in order], schema="auto")
    for place, i in enumerate(order):
        assert_same(together[place], alone[i])
    assert {found.schema for found in alone} == {"nda", None}
    assert any(found.entities for found in alone)


def test_workers_change_nothing(predictor: Predictor, folder: Path) -> None:
    wanted = predictor.predict(DOCUMENTS, schema="nda")
    for found, same in zip(Predictor(folder, "cpu", workers=2).predict(DOCUMENTS, schema="nda"), wanted, strict=True):
        assert_same(found, same)
    assert multiprocessing.active_children() == []


def test_auto_takes_the_schema_of_the_class_found(predictor: Predictor) -> None:
    for document in DOCUMENTS:
        [auto] = predictor.predict([document], classify=False, schema="auto")
        [named] = predictor.predict([document], schema="nda")
        if auto.label == "non_disclosure_agreement":
            assert_same(auto, named)
        else:
            assert (auto.schema, auto.entities) == (None, ())


def test_only_what_is_asked_for_is_answered(predictor: Predictor) -> None:
    [classified] = predictor.predict(DOCUMENTS[:1])
    assert (classified.schema, classified.entities) == (None, ())
    assert classified.label in predictor.info.classes
    [extracted] = predictor.predict(DOCUMENTS[:1], classify=False, schema="nda")
    assert (extracted.label, extracted.confidence, extracted.schema) == (None, None, "nda")
    [neither] = predictor.predict(DOCUMENTS[:1], classify=False)
    assert (neither.scores, neither.schema, neither.coverage) == ({}, None, classified.coverage)


def test_an_unknown_schema_is_told_with_those_there_are(predictor: Predictor) -> None:
    with pytest.raises(ValueError, match=r"'invoice'.*nda"):
        predictor.predict(DOCUMENTS, schema="invoice")


@pytest.mark.parametrize("texts", [(), ("",), ("", "\x07")])
def test_a_document_without_words_is_classified_and_says_nothing(predictor: Predictor, texts: tuple[str, ...]) -> None:
    [found] = predictor.predict([tiny.document(*texts)], schema="nda")
    assert set(found.scores) == set(predictor.info.classes)
    assert (found.schema, found.entities) == ("nda", ())
    assert (found.coverage.pages, found.coverage.tokens, found.coverage.windows) == (len(texts), 0, 1)


def test_no_documents_give_no_predictions(predictor: Predictor) -> None:
    assert predictor.predict([]) == []


def test_time_is_shared_by_tokens(predictor: Predictor) -> None:
    found = predictor.predict(DOCUMENTS)
    shares = [prediction.seconds / (prediction.coverage.tokens + 1) for prediction in found]
    assert shares == pytest.approx([shares[0]] * len(shares))


def test_a_model_without_a_head_leaves_that_part_out(tmp_path: Path) -> None:
    only = Predictor(tiny.model_folder(tmp_path / "a", heads={"nda": tiny.HEADS["nda"]}, version=""), "cpu")
    [found] = only.predict(DOCUMENTS[:1], schema="auto")
    assert (only.info.classes, found.scores, found.label, found.schema, found.model) == ((), {}, None, None, "a")
    only = Predictor(tiny.model_folder(tmp_path / "b", heads={"document_class": tiny.HEADS["document_class"]}), "cpu")
    [found] = only.predict(DOCUMENTS[:1], schema="auto")
    assert (only.info.schemas, found.schema, found.entities) == ({}, None, ())
    assert found.scores


def test_the_device_asked_for_is_used(folder: Path) -> None:
    assert Predictor(folder, "cpu").info.device == "cpu"
    assert Predictor(folder).info.device == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(RuntimeError, match="nonsense"):
        Predictor(folder, "nonsense")


def test_a_folder_without_a_model_or_a_tokenizer(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no model"):
        Predictor(tmp_path, "cpu")
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with pytest.raises(OSError, match=r"tokenizer\.json"):
        Predictor(tmp_path, "cpu")
