from pathlib import Path

import pytest

from pipeline.training.evaluate import run_evaluation
from tests import tiny
from tests.pipeline.training.data_sets import kleister, table


def test_one_answer_for_class_and_values(tmp_path: Path) -> None:
    model = tiny.model_folder(tmp_path / "model")
    told: list[tuple[int, int]] = []
    data = [(kleister(tmp_path / "agreements"), "dev-0"), (table(tmp_path / "reports"), "train")]
    measured = run_evaluation(model, data, tmp_path / "cache", progress=lambda done, total: told.append((done, total)))
    assert (measured["task"], measured["split"], measured["documents"]) == ("classify+extract", "dev-0+train", 9)
    metrics = measured["metrics"]
    assert set(metrics["per_class"]) == {"annual_report", "non_disclosure_agreement"}
    assert metrics["accuracy"] == pytest.approx(
        (6 * metrics["per_class"]["non_disclosure_agreement"] + 3 * metrics["per_class"]["annual_report"]) / 9
    )
    assert "party" in metrics["per_key"]
    assert "jurisdiction" not in metrics["per_key"]  # the tiny model's schema has no such field
    assert 0.0 <= metrics["f1"] <= 1.0
    assert told[-1] == (9, 9)


def test_only_the_task_asked_for(tmp_path: Path) -> None:
    model, data = tiny.model_folder(tmp_path / "model"), [(kleister(tmp_path / "agreements", 2), "dev-0")]
    assert "f1" not in run_evaluation(model, data, tmp_path / "cache", "classify")["metrics"]
    assert "accuracy" not in run_evaluation(model, data, tmp_path / "cache", "extract")["metrics"]


def test_an_unreadable_document_counts_as_wrong(tmp_path: Path) -> None:
    model, folder = tiny.model_folder(tmp_path / "model"), table(tmp_path / "reports", documents=2)
    whole = run_evaluation(model, [(folder, "train")], tmp_path / "cache")["metrics"]["accuracy"]
    for path in (folder / "documents").iterdir():
        path.write_bytes(b"no document")
    broken = run_evaluation(model, [(folder, "train")], tmp_path / "cache")
    assert (broken["documents"], broken["metrics"]["accuracy"]) == (2, 0.0)
    assert whole in (0.0, 0.5, 1.0)


def test_nothing_to_measure_by_is_an_error(tmp_path: Path) -> None:
    model, folder = tiny.model_folder(tmp_path / "model"), table(tmp_path / "reports", label="love_letter")
    with pytest.raises(ValueError, match="nothing to measure"):
        run_evaluation(model, [(folder, "train")], tmp_path / "cache")
