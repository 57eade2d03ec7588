"""A folder goes in, results come out; what is there already stays, what fails is told, what is hidden is left alone."""

import json
import threading
import time
from pathlib import Path

import pytest

from pipeline.batch import Failure, Tally, Task, documents_in, read_ahead, run_folder
from pipeline.errors import CorruptDocument
from pipeline.ingest import file_hash
from pipeline.types import Box, Document, Page, Prediction, Word
from tests.app.serving import wait_until
from tests.fakes import FakePredictor


def read(path: Path) -> Document:
    """A text file as a document of one page; "broken" cannot be read."""
    text = path.read_text()
    if text == "broken":
        raise CorruptDocument("It is broken.")
    words = tuple(Word(word, Box(10.0 * i, 10, 10.0 * i + 8, 20)) for i, word in enumerate(text.split()))
    return Document(path.name, file_hash(path), (Page(1, 600, 800, words, "text", "text layer"),))


class Model:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._fake = FakePredictor()

    def __call__(self, document: Document) -> Prediction:
        self.asked.append(document.name)
        return self._fake.predict([document], schema="auto")[0]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "one.pdf").write_text("confidential AlphaCorp")
    (folder / "a" / "b" / "two.pdf").write_text("a report")
    (folder / "a" / "bad.pdf").write_text("broken")
    (folder / ".hidden").write_text("confidential")
    (folder / "link.pdf").symlink_to(folder / "one.pdf")
    return folder


def run(source: Path, target: Path, model: Model, name: str = "fake 1", task: Task = "extract") -> Tally:
    return run_folder(source, target, read, model, task=task, model=name)


def lines(target: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (target / "errors.jsonl").read_text().splitlines()]


def files(target: Path) -> set[str]:
    return {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}


def test_one_result_a_document_in_the_same_tree(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    tally = run(source, target, Model())
    assert tally == Tally(found=3, done=2, skipped=0, failed=1)
    assert files(target) == {"one.pdf.json", "a/b/two.pdf.json", "errors.jsonl"}
    assert lines(target) == [{"name": "a/bad.pdf", "code": "corrupt_document", "error": "It is broken."}]
    result = json.loads((target / "one.pdf.json").read_text())
    assert (result["task"], result["model"], result["schema"]) == ("extract", "fake 1", "nda")
    assert result["entities"][0]["boxes"] == [[1, 10.0, 10.0, 18.0, 20.0]]


def test_a_second_run_does_what_is_missing_or_changed(source: Path, tmp_path: Path) -> None:
    target, model = tmp_path / "out", Model()
    run(source, target, Model())
    (source / "three.pdf").write_text("new")
    (source / "one.pdf").write_text("confidential BetaCorp")
    assert run(source, target, model) == Tally(found=4, done=2, skipped=1, failed=1)
    assert model.asked == ["one.pdf", "three.pdf"]


@pytest.mark.parametrize(("name", "task"), [("fake 2", "extract"), ("fake 1", "classify")])
def test_another_model_or_task_answers_again(source: Path, tmp_path: Path, name: str, task: Task) -> None:
    target = tmp_path / "out"
    run(source, target, Model())
    assert run(source, target, Model(), name, task).done == 2


def test_a_damaged_result_is_made_again(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    run(source, target, Model())
    (target / "one.pdf.json").write_text('{"task": "ext')
    assert run(source, target, Model()).done == 1
    assert json.loads((target / "one.pdf.json").read_text())["label"] == "non_disclosure_agreement"


def test_a_document_gone_bad_loses_its_result(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    run(source, target, Model())
    (source / "one.pdf").write_text("broken")
    run(source, target, Model())
    assert "one.pdf.json" not in files(target)


def test_a_target_inside_the_source_is_not_read(source: Path) -> None:
    run(source, source / "out", Model())
    assert run(source, source / "out", Model()) == Tally(found=3, done=0, skipped=2, failed=1)


def test_the_source_cannot_be_the_target(source: Path) -> None:
    with pytest.raises(ValueError, match="folder of the documents"):
        run(source, source, Model())


def test_a_fault_of_the_model_is_one_failed_document(source: Path, tmp_path: Path) -> None:
    (source / "one.pdf").write_text("explode")
    assert run(source, tmp_path / "out", Model()) == Tally(found=3, done=1, skipped=0, failed=2)
    assert [line["code"] for line in lines(tmp_path / "out")] == ["corrupt_document", "internal_error"]
    assert "secret" not in (tmp_path / "out" / "errors.jsonl").read_text()


def test_a_name_too_long_for_a_result_is_a_failure(source: Path, tmp_path: Path) -> None:
    (source / ("n" * 252)).write_text("a report")
    assert run(source, tmp_path / "out", Model()).done == 2
    assert "name_too_long" in {line["code"] for line in lines(tmp_path / "out")}


def test_progress_counts_every_document(source: Path, tmp_path: Path) -> None:
    seen: list[int] = []

    def progress(tally: Tally) -> None:
        seen.append(tally.done + tally.skipped + tally.failed)

    run(source, tmp_path / "out", Model())
    run_folder(source, tmp_path / "out", read, Model(), task="extract", model="fake 1", progress=progress)
    assert seen == [1, 2, 3]


def test_reading_is_ahead_but_bounded() -> None:
    started: list[Path] = []
    lock = threading.Lock()

    def slow(path: Path) -> int:
        with lock:
            started.append(path)
        time.sleep(0.01)
        return int(path.name)

    outcomes = read_ahead([Path(str(i)) for i in range(20)], slow, readers=2)
    assert next(outcomes) == (Path("0"), 0)
    wait_until(lambda: len(started) > 1)
    time.sleep(0.2)
    assert len(started) <= 5
    assert [outcome for _, outcome in outcomes] == list(range(1, 20))


def test_reading_ahead_keeps_the_order_of_failures() -> None:
    def odd(path: Path) -> int:
        if int(path.name) % 2:
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return int(path.name)

    failure = Failure("unreadable_file", "The file cannot be read: No such file or directory.")
    assert [outcome for _, outcome in read_ahead([Path(str(i)) for i in range(4)], odd)] == [0, failure, 2, failure]


def test_documents_are_found_in_order(source: Path) -> None:
    assert [str(path.relative_to(source)) for path in documents_in(source)] == ["a/b/two.pdf", "a/bad.pdf", "one.pdf"]
