"""The command line: quick; one sentence where it is used wrongly; JSON lines for programs, tables for people."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from app.cli import _documents, classify, extract, ingest, summarize
from app.reading import Reader
from models.registry import names
from pipeline.answer import classification, extraction, summary
from pipeline.ingest import IngestSettings
from tests import tiny
from tests.fakes import AGREEMENT, EXPLOSIVE, REPORT, FakePredictor, pdf

ROOT = Path(__file__).parents[2]
HEAVY = {"torch", "transformers", "fastapi", "pydantic", "numpy", "rich", "httpx", "uvicorn", "PIL"}


def longleaf(*arguments: object, **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "app.cli", *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    contents = {"a.pdf": AGREEMENT, "b.pdf": b"words", "c.pdf": EXPLOSIVE, "d.pdf": REPORT}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return [tmp_path / name for name in contents]


def test_nothing_heavy_is_imported_for_help() -> None:
    code = f"import sys, app.cli; print(*({HEAVY!r} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


@pytest.mark.parametrize("command", names("app.cli"))
def test_every_command_explains_itself(command: str) -> None:
    shown = longleaf(command, "--help")
    assert shown.returncode == 0
    assert f"longleaf {command}" in shown.stdout


def test_help_comes_at_once() -> None:
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert "classify" in longleaf("--help").stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # Of the processor, so that a busy machine does not matter.
    assert min(seconds() for _ in range(5)) < 0.4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["classify", "nowhere.pdf"], "There is no file nowhere.pdf."),
        (["summarize", "nowhere.pdf"], "There is no file nowhere.pdf."),
        (["summarize", "samples/nda.pdf"], "The model cannot summarise: it has no decoder."),
        (["extract", "tests"], "tests is a folder; `longleaf batch` works through folders."),
        (["ingest", "nowhere"], "There is no file nowhere."),
        (["batch", "nowhere", "out"], "There is no folder nowhere."),
        (["batch", "tests", "pyproject.toml"], "pyproject.toml is not a folder."),
        (["classify", "pyproject.toml", "--model", "nowhere"], "There is no model at nowhere: no such folder."),
        (["serve", "--model", "tests"], "tests is not a model: it needs the files config.json and model.safetensors."),
        (["models", "--models", "nowhere"], "There is no folder nowhere."),
        (["evaluate", "--data", "nowhere:dev"], "There is no folder nowhere."),
        (["train", "--data", "nowhere", "--start", "x", "--out", "y"], "There is no folder nowhere."),
        (["demo", "--samples", "pipeline"], "There is no document in pipeline."),
    ],
)
def test_wrong_use_is_one_sentence(arguments: list[str], told: str) -> None:
    shown = longleaf(*arguments)
    assert (shown.returncode, shown.stdout, shown.stderr) == (2, "", f"longleaf: {told}\n")


def test_a_wrong_setting_is_named() -> None:
    shown = longleaf("ingest", "tests", LONGLEAF_MAX_PAGES="many")
    assert shown.returncode == 2
    assert shown.stderr.startswith("longleaf: LONGLEAF_MAX_PAGES: ")
    assert shown.stderr.count("\n") == 1


def test_ingest_prints_one_line_a_document(files: list[Path]) -> None:
    (files[0].parent / ".hidden").write_bytes(AGREEMENT)
    shown = longleaf("ingest", files[0].parent, "--words")
    assert shown.returncode == 1
    good, bad, *_ = lines = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [line["status"] for line in lines] == ["ok", "failed", "ok", "ok"]
    assert (good["pages"], good["pages_read"], good["sources"]) == (2, 2, {"text": 2, "ocr": 0, "none": 0})
    assert good["page_details"][0]["content"][0]["text"] == "This"
    assert good["seconds"] > 0
    assert bad["code"] == "not_a_document"
    assert bad["error"].endswith(".")
    assert shown.stderr == "longleaf: 3 read, 1 not_a_document\n"


def test_a_password_opens_a_document(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("locked", password="sesame"))
    assert json.loads(longleaf("ingest", tmp_path).stdout)["code"] == "password_required"
    assert longleaf("ingest", tmp_path, "--password", "sesame").returncode == 0


def answers(files: list[Path], task: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    predictor, reader = FakePredictor(), Reader(IngestSettings())
    if task == "summarize":
        return _documents.answers(files, reader, lambda d: predictor.summarise([d])[0], summary, readers=2)
    schema, write = ("auto", extraction) if task == "extract" else (None, classification)
    return _documents.answers(files, reader, lambda d: predictor.predict([d], schema=schema)[0], write, readers=2)


def test_answers_are_those_of_the_service_with_a_status(files: list[Path]) -> None:
    good, bad, fault, report = answers(files, "extract")
    assert (good["status"], good["label"], good["schema"]) == ("ok", "non_disclosure_agreement", "nda")
    assert [entity["text"] for entity in good["entities"]] == ["AlphaCorp", "BetaCorp"]
    assert (bad["status"], bad["code"], bad["name"]) == ("failed", "not_a_document", "b.pdf")
    assert (fault["code"], "secret" in fault["error"]) == ("internal_error", False)
    assert report["entities"] == []


def test_a_document_may_have_several_classes_or_none() -> None:
    read = {"scores": {"lease": 0.91, "order": 0.62, "report": 0.1}, "pages_read": 1, "pages": 2}
    assert classify.cells({**read, "labels": ["lease", "order"]}) == ["lease, order", "0.910, 0.620", "1 of 2"]
    assert classify.cells({**read, "labels": []}) == ["none", "", "1 of 2"]


def test_summaries_are_those_of_the_service_with_a_status(files: list[Path]) -> None:
    good, bad, fault, report = answers(files, "summarize")
    assert (good["status"], good["summary"].split()[0], good["pages_read"]) == ("ok", "This", 2)
    assert [line.get("code") for line in (bad, fault, report)] == ["not_a_document", "internal_error", None]


def test_a_model_with_a_decoder_summarises(files: list[Path], tmp_path: Path) -> None:
    head = {"kind": "generate", "max_length": 16, "start": 2, "stop": 3, "pad": 0}
    model = tiny.model_folder(tmp_path / "writer", heads={"summary": head})
    shown = longleaf("summarize", *files[:2], "--model", model, "--max-new-tokens", 9, "--beams", 2)
    assert shown.returncode == 1
    good, bad = (json.loads(line) for line in shown.stdout.splitlines())
    assert (good["status"], good["model"], good["pages_read"]) == ("ok", "writer@1.2", 2)
    assert 0 < len(good["summary"].split()) <= 9
    assert bad["code"] == "not_a_document"


def test_a_report_for_programs(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended:
        _documents.report(answers(files, "classify"), len(files), Reader(IngestSettings()), True, classify.show)
    assert ended.value.exit_code == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["path"] for line in lines] == [str(file) for file in files]


def test_all_well_is_exit_code_0(files: list[Path]) -> None:
    with pytest.raises(typer.Exit) as ended:
        _documents.report(answers(files[:1], "classify"), 1, Reader(IngestSettings()), True, classify.show)
    assert ended.value.exit_code == 0


def test_tables_for_people(
    files: list[Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    classify.show(list(answers(files, "classify")))
    extract.show(list(answers(files, "extract")))
    summarize.show(list(answers(files, "summarize")))
    lines = ingest.lines(files, Reader(IngestSettings()), words=False, readers=1)
    ingest.show(list(lines))
    shown = capsys.readouterr().out
    assert "non_disclosure_agreement" in shown
    assert "ALPHACORP" in shown
    assert "2 of 2" in shown
    assert "a.pdf: 2 of 2 pages read\n  This agreement is made between AlphaCorp" in shown
    assert "No extraction schema belongs to the class 'annual_report'" in shown


@pytest.mark.parametrize(
    ("data", "folder", "split"), [("{0}", "{0}", "test"), ("{0}:dev-0", "{0}", "dev-0"), ("{0}/a:b", "{0}/a:b", "test")]
)
def test_a_data_set_may_name_its_split(tmp_path: Path, data: str, folder: str, split: str) -> None:
    (tmp_path / "a:b").mkdir()
    expected = (Path(folder.format(tmp_path)), split)
    assert _documents.check_data(data.format(tmp_path), "test") == expected
