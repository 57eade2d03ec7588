import json
from pathlib import Path

import pytest

from pipeline.training.record import Record, peak_memory_mb


def written(path: Path) -> list[int]:
    return [json.loads(line)["step"] for line in path.read_text().splitlines()]


def test_rows_are_kept_in_memory_and_in_the_file(tmp_path: Path) -> None:
    record = Record(tmp_path / "new" / "a.jsonl")
    assert record.last("seconds") == 0
    for step in (1, 2):
        record.add({"step": step, "seconds": 0.5 * step})
    assert record.last("seconds") == 1.0
    assert [row["step"] for row in record.rows] == written(record.path) == [1, 2]


def test_a_run_that_goes_on_drops_what_is_done_again(tmp_path: Path) -> None:
    record = Record(tmp_path / "a.jsonl")
    for row in ({"step": 1}, {"step": 2}, {"step": 3}, {"step": 3, "final": True}):
        record.add(row)
    assert Record(record.path, step=3).rows == [{"step": 1}, {"step": 2}, {"step": 3}]
    assert Record(record.path, step=2).rows == [{"step": 1}, {"step": 2}]
    assert written(record.path) == [1, 2]
    Record(record.path)
    assert written(record.path) == []


def test_one_process_of_a_run_writes(tmp_path: Path) -> None:
    record = Record(tmp_path / "a.jsonl", writes=False)
    record.add({"step": 1})
    assert record.last("step") == 1
    assert not record.path.exists()


def test_a_file_that_is_no_record_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("step one\n")
    with pytest.raises(ValueError, match="Expecting value"):
        Record(tmp_path / "a.jsonl", step=1)


def test_peak_memory_is_in_megabytes_and_never_falls() -> None:
    before = peak_memory_mb()
    assert 50 < before < 100_000
    held = b"x" * 200 * 2**20
    after = peak_memory_mb()
    del held
    assert peak_memory_mb() >= after >= before
