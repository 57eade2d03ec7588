"""`longleaf import`, the hub's cache in the hub's place."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli._terminal import UsageProblemError
from models.registry import pick
from tests import tiny
from tests.models.published import peers

ROOT = Path(__file__).parents[3]
COMMAND = pick("app.cli", "import").run


def longleaf(cache: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """The command in a process that reaches no network."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(cache)}
    command = [sys.executable, "-m", "app.cli", "import", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def published(folder: Path) -> Path:
    """A checkpoint of one of the families."""
    peers.peer("layoutlm", vocab_size=tiny.tokenizer().get_vocab_size()).save_pretrained(folder)
    tiny.tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def test_a_name_is_looked_up_at_the_hub(tmp_path: Path) -> None:
    stored, commit = tmp_path / "models--someone--layout", "0" * 40
    published(stored / "snapshots" / commit)
    (stored / "refs").mkdir()
    (stored / "refs" / "main").write_text(commit)
    done = longleaf(tmp_path, "someone/layout", "--out", tmp_path / "ours")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "ok")
    assert (tmp_path / "ours" / "model.safetensors").is_file()
    done = longleaf(tmp_path, "someone/other", "--out", tmp_path / "theirs")
    assert done.returncode == 2
    assert done.stderr == "longleaf: There is no folder someone/other, and the hub cannot be reached.\n"


def test_programs_are_told_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    COMMAND(str(published(tmp_path / "theirs")), tmp_path / "ours", max_tokens=100)
    told = json.loads(capsys.readouterr().out)
    assert told["keys"] == told["used"] + len(told["unused"]) == 48
    assert told["unused"].keys() == {"pooler.dense.weight", "pooler.dense.bias"}
    assert told["positions"] == {"published": peers.POSITIONS, "here": 100}
    assert (told["attention"], told["heads"], told["tokenizer"]) == ("full", ["mlm"], "as published")


def test_people_are_shown_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("app.cli._terminal.for_programs", lambda asked: False)
    peers.peer("longformer", vocab_size=400).save_pretrained(tmp_path / "theirs")
    tiny.roberta_tokenizer(tmp_path / "theirs")
    COMMAND(str(tmp_path / "theirs"), tmp_path / "ours")
    shown = capsys.readouterr().out
    assert "54 of 54" in shown
    assert "sliding, 4 tokens on either side; the first token global" in shown
    COMMAND(str(published(tmp_path / "layoutlm")), tmp_path / "ours", max_tokens=100)
    shown = capsys.readouterr().out
    assert "46 of 48" in shown
    assert "2 unused" in shown
    assert "there is no pooler here" in shown
    assert "100, repeated from 60" in shown


def test_what_cannot_be_imported_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(UsageProblemError, match="type 'gpt2' cannot be read"):
        COMMAND(str(tmp_path), tmp_path / "ours")
