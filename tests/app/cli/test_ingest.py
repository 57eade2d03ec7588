"""`longleaf ingest --format`: to standard output, to a file, to a folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import _formats
from app.cli._terminal import UsageProblemError
from models.registry import names, pick
from tests.fakes import AGREEMENT, REPORT, pdf

ROOT = Path(__file__).parents[3]


def ingest(*arguments: object) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "app.cli", "ingest", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "a.pdf").write_bytes(AGREEMENT)
    (tmp_path / "in" / "b.pdf").write_bytes(b"words")
    (tmp_path / "in" / "deep" / "a.pdf").write_bytes(REPORT)
    return tmp_path / "in"


def test_one_document_goes_to_standard_output(folder: Path) -> None:
    shown = ingest(folder / "a.pdf", "--format", "text")
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert shown.stdout.decode().splitlines()[0] == "This agreement is made between AlphaCorp and BetaCorp"
    assert ingest(folder / "a.pdf", "--format", "pdf").stdout == AGREEMENT


def test_one_document_goes_to_a_file(folder: Path) -> None:
    target = folder.parent / "result"
    shown = ingest(folder / "a.pdf", "--format", "json", "--out", target)
    assert shown.returncode == 0
    line = json.loads(shown.stdout)
    assert (line["status"], line["out"], line["pages"]) == ("ok", str(target), 2)
    assert json.loads(target.read_text())["page_details"][0]["content"][0]["text"] == "This"


def test_a_folder_goes_to_a_folder_of_the_same_shape(folder: Path) -> None:
    target = folder.parent / "out"
    shown = ingest(folder, "--format", "alto", "--out", target)
    assert shown.returncode == 1
    assert [json.loads(line)["status"] for line in shown.stdout.splitlines()] == ["ok", "failed", "ok"]
    written = sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())
    assert written == ["a.pdf.alto.xml", "deep/a.pdf.alto.xml"]


def test_a_document_that_fails_is_one_sentence(folder: Path) -> None:
    shown = ingest(folder / "b.pdf", "--format", "text")
    assert (shown.returncode, shown.stdout) == (1, b"")
    assert shown.stderr.decode().startswith(f"longleaf: {folder / 'b.pdf'}: ")
    assert shown.stderr.count(b"\n") == 1


def test_a_password_opens_the_original_again(folder: Path) -> None:
    (folder / "c.pdf").write_bytes(pdf("locked", password="sesame"))
    shown = ingest(folder / "c.pdf", "--format", "hocr", "--password", "sesame")
    assert (shown.returncode, b"locked" in shown.stdout) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["{in}/a.pdf", "--format", "docx"], "There is no format 'docx'; there are: alto, hocr, json, pdf, text."),
        (["{in}/a.pdf", "--out", "x"], "--out goes with --format."),
        (["{in}", "--format", "text"], "Several documents need --out FOLDER."),
        (["{in}", "--format", "text", "--out", "{in}/a.pdf"], "{in}/a.pdf is not a folder."),
        (["{in}/a.pdf", "--format", "text", "--out", "nowhere/a"], "There is no folder nowhere."),
        (
            ["{in}/a.pdf", "{in}/deep/a.pdf", "--format", "text", "--out", "{in}"],
            "The result of {in}/deep/a.pdf cannot be written to {in}/a.pdf.txt, which is the place of another.",
        ),
        (
            ["{in}/a.pdf", "--format", "pdf", "--out", "{in}/a.pdf"],
            "The result of {in}/a.pdf cannot be written to {in}/a.pdf, which is the place of another.",
        ),
    ],
)
def test_wrong_use_is_one_sentence(folder: Path, arguments: list[str], told: str) -> None:
    shown = ingest(*(argument.replace("{in}", str(folder)) for argument in arguments))
    assert (shown.returncode, shown.stdout) == (2, b"")
    assert shown.stderr.decode() == f"longleaf: {told.replace('{in}', str(folder))}\n"
    assert (folder / "a.pdf").read_bytes() == AGREEMENT


def test_a_pdf_is_not_written_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    file = Path("a.pdf")
    with pytest.raises(UsageProblemError, match="terminal"):
        _formats.targets([file], [file], None, "pdf")
    assert _formats.targets([file], [file], None, "text") == {file: None}


@pytest.mark.parametrize("name", names("pipeline.export"))
def test_results_are_named_after_their_documents(tmp_path: Path, name: str) -> None:
    file = Path("x/a.pdf")
    assert _formats.targets([file], [file], tmp_path, name) == {
        file: tmp_path / f"a.pdf{pick('pipeline.export', name).EXTENSION}"
    }


def test_several_documents_are_summed_up_by_what_became_of_them(folder: Path) -> None:
    shown = ingest(folder)
    assert [json.loads(line)["status"] for line in shown.stdout.splitlines()] == ["ok", "failed", "ok"]
    assert shown.stderr.decode() == "longleaf: 2 read, 1 not_a_document\n"


def test_pages_are_told_of_as_soon_as_they_are_read(folder: Path) -> None:
    lines = [json.loads(line) for line in ingest(folder / "a.pdf", "--stream").stdout.splitlines()]
    assert [line["status"] for line in lines] == ["page", "page", "ok"]
    assert [word["text"] for word in lines[0]["content"][:2]] == ["This", "agreement"]
    assert lines[2]["pages"] == 2


def test_languages_that_are_not_installed_are_told_of_with_those_that_are(folder: Path) -> None:
    shown = ingest(folder / "a.pdf", "--languages", "eng+tlh")
    assert shown.returncode == 2
    assert "tlh" in shown.stderr.decode()
    assert "eng" in shown.stderr.decode().split("tlh")[1]
