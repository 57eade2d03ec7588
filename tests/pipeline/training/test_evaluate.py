from pathlib import Path
from typing import Any

import pytest

from pipeline.ingest import IngestSettings
from pipeline.predict import Predictor
from pipeline.training.evaluate import Task, run_evaluation, values_of
from pipeline.training.metrics import value_f1
from pipeline.training.prepare import examples_of, read_examples
from pipeline.types import Box, Coverage, Entity, PageBox, Prediction, Value
from tests import tiny
from tests.pipeline.training.writing import agreements, reports


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
    right = dict.fromkeys(("non_disclosure_agreement", "annual_report"), 0)
    for example in examples_of(given.data):
        right[str(example.label)] += given.said[example.path].label == example.label
    assert set(row["metrics"]) == {"accuracy", "per_class"}
    assert row["metrics"]["accuracy"] == pytest.approx(sum(right.values()) / 10)
    assert row["metrics"]["per_class"] == pytest.approx(
        {"non_disclosure_agreement": right["non_disclosure_agreement"] / 7, "annual_report": right["annual_report"] / 3}
    )


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
