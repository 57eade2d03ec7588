from pathlib import Path
from typing import Any

import pytest

from pipeline.ingest import IngestSettings
from pipeline.predict import Predictor
from pipeline.training.evaluate import Task, run_evaluation, summary_scores, values_of
from pipeline.training.formats import Example
from pipeline.training.metrics import class_scores, multi_label_scores, value_f1
from pipeline.training.prepare import examples_of, read_examples
from pipeline.training.rouge import lead, rouge
from pipeline.types import Box, Coverage, Entity, PageBox, Prediction, Value
from tests import tiny
from tests.pipeline.training.writing import agreements, papers, provisions, reports, terms


class Given:
    """A model of random weights, seven agreements, three reports, and what the model says of them."""

    def __init__(self, root: Path) -> None:
        self.root, self.cache = root, root / "cache"
        self.model = tiny.model_folder(root / "model")
        self.agreements, self.reports = agreements(root / "a", 7, "test"), reports(root / "r", 3, split="test")
        self.data = [(self.agreements, "test"), (self.reports, "test")]
        read = read_examples(examples_of(self.data), self.cache, IngestSettings())
        predictor = Predictor(self.model, "cpu")
        self.said = {example.path: predictor.predict([document], schema="nda")[0] for example, document in read}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return Given(tmp_path_factory.mktemp("evaluation"))


def evaluate(given: Given, task: Task | None = None) -> dict[str, Any]:
    return run_evaluation(given.model, given.data, given.cache, task)


def test_accuracy_is_the_share_of_documents_classified_rightly(given: Given) -> None:
    row = evaluate(given, "classify")
    assert (row["task"], row["split"], row["documents"]) == ("classify", "test", 10)
    pairs = [(str(example.label), given.said[example.path].label) for example in examples_of(given.data)]
    right = dict.fromkeys(("non_disclosure_agreement", "annual_report"), 0)
    for label, said in pairs:
        right[label] += said == label
    assert row["metrics"] == class_scores([label for label, _ in pairs], [said for _, said in pairs])
    assert row["metrics"]["accuracy"] == pytest.approx(sum(right.values()) / 10)
    assert row["metrics"]["per_class"] == pytest.approx(
        {"non_disclosure_agreement": right["non_disclosure_agreement"] / 7, "annual_report": right["annual_report"] / 3}
    )
    assert row["seconds"] > 0


def test_texts_of_several_classes_are_measured_by_a_multi_label_model(tmp_path: Path) -> None:
    labels = ["notices", "taxes"]
    heads = {"document_class": {"kind": "classify", "labels": labels, "multi": True}}
    model = tiny.model_folder(tmp_path / "model", heads=heads)
    data = [(terms(tmp_path / "t", 150, "test"), "test")]
    examples = examples_of(data)
    read = read_examples(examples, tmp_path / "cache", IngestSettings())
    said = Predictor(model, "cpu").predict([document for _, document in read])
    other = (provisions(tmp_path / "p", 5, "test"), "test")  # of one class each: not this model's
    row = run_evaluation(model, [*data, other], tmp_path / "cache")
    assert row["documents"] == 150
    wanted = multi_label_scores([e.labels or () for e in examples], [p.labels for p in said], labels)
    assert row["metrics"]["micro_f1"] == pytest.approx(wanted["micro_f1"], abs=0.02)  # a score near 0.5 may tip
    assert set(row["metrics"]["per_class"]) == {"notices", "taxes", "none"}


class Written:
    """A model of random weights with a decoder, ten papers with summaries, and what the model writes of them."""

    def __init__(self, root: Path) -> None:
        self.cache = root / "cache"
        head = {"kind": "generate", "max_length": 16, "start": 2, "stop": 3, "pad": 0}
        self.model = tiny.model_folder(root / "model", heads={**tiny.HEADS, "summary": head})
        self.data = [(papers(root / "s", 10, "test"), "test")]
        self.examples = examples_of(self.data)
        read = read_examples(self.examples, self.cache, IngestSettings())
        self.texts = [
            found.text for found in Predictor(self.model, "cpu").summarise([document for _, document in read])
        ]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("summaries"))


def test_summaries_are_measured_beside_the_first_sentences(written: Written) -> None:
    told: list[tuple[int, int]] = []
    row = run_evaluation(written.model, written.data, written.cache, None, lambda *counts: told.append(counts))
    assert (row["task"], row["documents"]) == ("summarize", 10)
    gold = [str(example.summary) for example in written.examples]
    first = [lead(str(example.text)) for example in written.examples]
    assert "report. It is" in first[0]
    assert row["metrics"] == {**rouge(gold, written.texts), "lead_3": rouge(gold, first)}
    assert row["metrics"]["lead_3"]["rouge1"] > row["metrics"]["rouge1"] > 0
    assert row["seconds"] > 0
    assert told == [(8, 10), (10, 10)]


def test_a_summary_of_a_document_that_cannot_be_read_is_empty(given: Given, written: Written, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"no document")
    unread = Example(tmp_path / "a.pdf", None, summary="the agreement")
    scores, _ = summary_scores(Predictor(written.model), [unread, *written.examples[:1]], written.cache)
    alone, _ = summary_scores(Predictor(written.model), written.examples[:1], written.cache)
    assert scores["rouge1"] == alone["rouge1"] / 2
    assert scores["lead_3"]["rouge1"] == alone["lead_3"]["rouge1"] / 2


def test_summaries_are_left_out_where_they_are_not_asked_for(given: Given, written: Written) -> None:
    for model, task in ((written.model, "classify"), (given.model, None)):
        with pytest.raises(ValueError, match="nothing to measure"):
            run_evaluation(model, written.data, written.cache, task)  # type: ignore[arg-type]


def test_no_more_documents_than_asked_for_are_measured(given: Given) -> None:
    assert run_evaluation(given.model, given.data, given.cache, "classify", limit=4)["documents"] == 4


def test_values_are_measured_by_key(given: Given) -> None:
    row = evaluate(given, "extract")
    assert (row["task"], row["split"], row["documents"]) == ("extract", "test", 7)
    metrics = row["metrics"]
    assert set(metrics) == {"f1", "precision", "recall", "per_key"}
    # The model has no type "term", so that is not asked of it.
    assert set(metrics["per_key"]) == {"party", "effective_date"}
    examples = [example for example in examples_of(given.data) if example.schema == "nda"]
    gold = [[pair for pair in example.values if pair[0] != "term"] for example in examples]
    assert metrics == value_f1(gold, [values_of(given.said[example.path]) for example in examples])


def test_both_are_measured_where_nothing_else_is_asked(given: Given) -> None:
    both = evaluate(given)
    assert (both["task"], both["documents"]) == ("classify+extract", 10)
    assert both["metrics"] == {
        **evaluate(given, "classify")["metrics"],
        **evaluate(given, "extract")["metrics"],
    }


def test_splits_are_named(given: Given, tmp_path: Path) -> None:
    data = [*given.data, (reports(tmp_path / "r", 1, split="dev"), "dev")]
    assert run_evaluation(given.model, data, given.cache, "classify")["split"] == "test+dev"


def test_progress_is_told(given: Given) -> None:
    told: list[tuple[int, int]] = []
    run_evaluation(given.model, given.data, given.cache, progress=lambda done, total: told.append((done, total)))
    assert told == [(8, 10), (10, 10)]


def test_a_document_that_cannot_be_read_counts_as_wrong(given: Given, tmp_path: Path) -> None:
    folder = reports(tmp_path / "r", 4, split="test")
    before = run_evaluation(given.model, [(folder, "test")], given.cache)["metrics"]["accuracy"]
    for path in (folder / "documents").iterdir():
        path.write_bytes(b"no document")
    row = run_evaluation(given.model, [(folder, "test")], given.cache)
    assert (row["documents"], row["metrics"]["accuracy"], row["metrics"]["per_class"]) == (4, 0, {"annual_report": 0})
    assert 0 <= before <= 1


def test_a_document_of_a_class_the_model_does_not_know_counts_as_wrong(given: Given, tmp_path: Path) -> None:
    other = (reports(tmp_path / "r", 5, label="lease", split="test"), "test")
    metrics = run_evaluation(given.model, [(given.agreements, "test"), other], given.cache, "classify")["metrics"]
    alone = run_evaluation(given.model, [(given.agreements, "test")], given.cache, "classify")["metrics"]
    assert metrics["accuracy"] == pytest.approx(alone["accuracy"] * 7 / 12)
    assert metrics["per_class"]["lease"] == 0


def test_values_of_a_document_that_cannot_be_read_are_missed(given: Given, tmp_path: Path) -> None:
    folder = agreements(tmp_path / "a", 2, "test")
    for path in (folder / "documents").iterdir():
        path.write_bytes(b"")
    metrics = run_evaluation(given.model, [(folder, "test")], given.cache, "extract")["metrics"]
    assert (metrics["f1"], metrics["recall"], metrics["per_key"]["party"]["recall"]) == (0, 0, 0)


def test_data_to_measure_nothing_by_is_an_error(given: Given, tmp_path: Path) -> None:
    unknown = [(reports(tmp_path / "r", 1, label="receipt_or_invoice", split="test"), "test")]
    for data, task in ((unknown, None), ([(given.reports, "test")], "extract")):
        with pytest.raises(ValueError, match="nothing to measure"):
            run_evaluation(given.model, data, given.cache, task)
    with pytest.raises(ValueError, match="'train'"):
        run_evaluation(given.model, [(given.reports, "train")], given.cache)
    with pytest.raises(OSError, match="no model"):
        run_evaluation(tmp_path, given.data, given.cache)


def test_an_entity_without_a_value_gives_none() -> None:
    boxes = (PageBox(1, Box(0, 0, 1, 1)),)
    entities = tuple(Entity("party", "ACME", value, 0.9, boxes) for value in (Value("Acme"), None))
    prediction = Prediction("a", "", Coverage(1, 1, 0, 1, 1), {}, "nda", entities, "m", 0.1)
    assert values_of(prediction) == [("party", "Acme")]
