"""`longleaf pretrain`, run as a person would."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tiny

ROOT = Path(__file__).parents[3]


@pytest.fixture
def start(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    for i in range(4):
        (tmp_path / "texts" / f"{i}.txt").write_text(tiny.long_text(80, seed=i))
    return tiny.bert_folder(tmp_path / "bert")


def pretrain(start: Path, *options: object) -> "subprocess.CompletedProcess[str]":
    folder = start.parent
    given = ["--data", folder / "texts", "--start", start, "--out", folder / "out", "--size", "tiny", "--window", 64]
    command = [sys.executable, "-m", "app.cli", "pretrain", *map(str, (*given, *options))]
    variables = {**os.environ, "LONGLEAF_CACHE": str(folder / "cache")}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=600)


def test_a_model_is_made_and_told_of(start: Path) -> None:
    shown = pretrain(start, "--tokens", 300, "--batch-tokens", 128, "--preset", "sw", "--cost", "--country", "DEU")
    assert shown.returncode == 0, shown.stderr
    row = json.loads(shown.stdout.splitlines()[-1])
    assert row["preset"] == "sw"
    assert row["tokens"] <= 300
    assert row["cost"]["country"] == "DEU"
    assert {path.name for path in (start.parent / "out").iterdir()} == {
        "checkpoints",
        "config.json",
        "model.safetensors",
        "pretraining.jsonl",
        "tokenizer.json",
    }


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--tokens", 100, "--data", "nowhere"], "There is no file or folder nowhere."),
        (["--tokens", 100, "--start", "nowhere"], "There is no folder nowhere."),
        (
            ["--tokens", 100, "--window", 128, "--batch-tokens", 64],
            "A batch of 64 tokens does not hold a window of 128.",
        ),
        (["--tokens", 100, "--cost", "--country", "XX"], "CodeCarbon knows no country 'XX'"),
    ],
)
def test_wrong_use_is_one_sentence(start: Path, options: list[object], told: str) -> None:
    shown = pretrain(start, *options)
    assert shown.returncode == 2
    assert shown.stderr.splitlines()[-1].startswith(f"longleaf: {told}")
    assert "Traceback" not in shown.stderr
