import csv
import gzip
import json
import lzma
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline.training.formats import Example, open_format, rows

Rows = Sequence[Mapping[str, Any]]


def as_lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_list(rows: Rows) -> bytes:
    return json.dumps(rows, indent=1).encode()


def write(folder: Path, name: str, *found: Mapping[str, Any], form: Callable[[Rows], bytes] = as_lines) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(form(found))
    return folder


def read(folder: Path, split: str = "train") -> list[Example]:
    return open_format(folder).read(folder, split)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("train.jsonl", as_lines),
        ("train.json", as_lines),
        ("train.json", as_list),
        ("train.jsonl.xz", lambda rows: lzma.compress(as_lines(rows))),
        ("train.json.gz", lambda rows: gzip.compress(as_list(rows))),
    ],
)
def test_a_table_in_any_form(tmp_path: Path, name: str, form: Callable[[Rows], bytes]) -> None:
    folder = write(
        tmp_path, name, {"text": "One “quoted”\nword.", "label": "a"}, {"text": "Two", "label": "b"}, form=form
    )
    assert rows.splits(folder) == ["train"]
    assert [(e.path.name, e.text, e.label) for e in read(folder)] == [
        (f"{name}#1", "One “quoted”\nword.", "a"),
        (f"{name}#2", "Two", "b"),
    ]


def test_a_table_of_commas(tmp_path: Path) -> None:
    long = "word " * 40_000  # longer than csv allows by itself
    with (tmp_path / "dev.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([("text", "labels"), ("One,\ntwo", '["a", "b"]'), (long, "[]")])
    assert [(e.text, e.labels) for e in read(tmp_path, "dev")] == [("One,\ntwo", ("a", "b")), (long, ())]


@pytest.mark.parametrize(
    ("row", "label", "labels", "summary"),
    [
        ({"text": "One.\nTwo.", "label": 3}, "3", None, None),
        ({"text": ["One.", "Two."], "labels": ["2", "P1-1"]}, None, ("2", "P1-1"), None),
        ({"text": "One.\nTwo.", "labels": []}, None, (), None),
        ({"text": "One.\nTwo.", "clause_type": "taxes"}, "taxes", None, None),
        ({"text": "One.\nTwo.", "issue_area": "8"}, "8", None, None),
        (
            {"facts": ["One.", "Two."], "violated_articles": ["6"], "allegedly_violated_articles": ["8"]},
            None,
            ("6",),
            None,
        ),
        ({"text": "One.\nTwo.", "summary": "Both.", "title": "A bill"}, None, None, "Both."),
        ({"article": ["One.", "Two."], "abstract": ["Both."]}, None, None, "Both."),
        ({"text": "One.\nTwo.", "label": -1, "summary": ""}, None, None, None),
    ],
)
def test_columns_say_what_a_row_holds(
    tmp_path: Path, row: dict[str, Any], label: str | None, labels: tuple[str, ...] | None, summary: str | None
) -> None:
    [example] = read(write(tmp_path, "train.jsonl", row))
    assert (example.text, example.label, example.labels, example.summary) == ("One.\nTwo.", label, labels, summary)


@pytest.mark.parametrize("column", ["split", "data_type"])
def test_rows_may_name_their_split(tmp_path: Path, column: str) -> None:
    found = [{"text": "t", "label": "a", column: split} for split in ("train", "test", "train")]
    folder = write(tmp_path, "unfair.jsonl", *found)
    assert rows.splits(folder) == ["test", "train"]
    assert [e.path.name for e in read(folder)] == ["unfair.jsonl#1", "unfair.jsonl#3"]


def test_numbers_are_given_their_names(tmp_path: Path) -> None:
    folder = write(tmp_path, "train.jsonl", {"text": "t", "labels": [1, 0]})
    (folder / "labels.json").write_text('["arbitration", "jurisdiction"]')
    assert read(folder)[0].labels == ("jurisdiction", "arbitration")


@pytest.mark.parametrize(
    ("column", "value", "feature"),
    [
        ("label", 1, {"names": ["no", "yes"], "_type": "ClassLabel"}),
        ("labels", [1], {"feature": {"names": ["no", "yes"], "_type": "ClassLabel"}, "_type": "Sequence"}),
    ],
)
def test_names_come_from_hugging_faces_description(tmp_path: Path, column: str, value: object, feature: object) -> None:
    folder = write(tmp_path, "train.jsonl", {"text": "t", column: value})
    (folder / "dataset_info.json").write_text(json.dumps({"features": {"text": {}, column: feature}}, indent=2))
    [example] = read(folder)
    assert (example.label, example.labels) == (("yes", None) if column == "label" else (None, ("yes",)))


def test_a_class_without_a_name_is_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path, "train.jsonl", {"text": "t", "label": 0}, {"text": "t", "label": 7})
    (folder / "labels.json").write_text('["only"]')
    with pytest.raises(ValueError, match=r"train\.jsonl#2: its class cannot be understood"):
        read(folder)


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"text": "", "label": "a"}, r"train\.jsonl#2 has no text"),
        ({"label": "a"}, r"train\.jsonl#2 has no text"),
        (["no", "columns"], "no column names"),
    ],
)
def test_a_row_of_another_kind_is_named(tmp_path: Path, second: dict[str, str] | list[str], said: str) -> None:
    folder = write(tmp_path, "train.jsonl", {"text": "t", "label": "a"}, second)
    with pytest.raises(ValueError, match=said):
        read(folder)


@pytest.mark.parametrize(("name", "content"), [("labels.json", '{"0": "no"}'), ("dataset_info.json", "{")])
def test_names_that_cannot_be_read_are_an_error(tmp_path: Path, name: str, content: str) -> None:
    folder = write(tmp_path, "train.jsonl", {"text": "t", "label": 0})
    (folder / name).write_text(content)
    with pytest.raises(ValueError, match=f"{name} does not name the classes"):
        read(folder)


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, "train.jsonl", {"text": "t", "label": "a"})
    with (folder / "train.jsonl").open("a") as file:
        file.write('{"text": ')
    with pytest.raises(ValueError, match=r"train\.jsonl cannot be read as a table"):
        read(folder)


def test_tables_of_other_things_are_passed_over(tmp_path: Path) -> None:
    folder = write(tmp_path, "train.jsonl", {"text": "t", "label": "a"})
    write(folder, "notes.json", {"text": "t", "label": "a"})  # no split
    write(folder, "test.json", {"words": 7})
    (folder / "dev.json.gz").write_bytes(b"damaged")
    assert rows.splits(folder) == ["train"]
    (folder / "train.jsonl").unlink()
    assert not rows.recognises(folder)
