import json
from pathlib import Path

import pytest
import torch

from models.checkpoint import load
from pipeline.predict import Predictor
from pipeline.training.finetune import run_training
from tests import tiny
from tests.pipeline.training.data_sets import kleister, table


def test_training_learns_saves_and_resumes(tmp_path: Path) -> None:
    data = [(kleister(tmp_path / "agreements"), "train"), (table(tmp_path / "reports"), "train")]
    start, out = tiny.bert_folder(tmp_path / "bert"), tmp_path / "model"
    options = {"window": 128, "batch_tokens": 512, "learning_rate": 3e-3}
    run_training(data, out, tmp_path / "cache", start, epochs=2, **options)  # type: ignore[arg-type]
    first = state(out)
    assert (out / "tokenizer.json").read_bytes() == (start / "tokenizer.json").read_bytes()
    assert Predictor(out).info.schemas == {"nda": ("party", "effective_date", "jurisdiction", "term")}

    run_training(data, out, tmp_path / "cache", start, epochs=4, resume=True, **options)  # type: ignore[arg-type]
    second = state(out)
    assert second["global_step"] == 2 * first["global_step"]
    losses = [row["eval_loss"] for row in second["log_history"] if "eval_loss" in row]
    assert losses[-1] < losses[0]
    assert losses[:2] == [row["eval_loss"] for row in first["log_history"] if "eval_loss" in row]  # went on, not anew


def test_a_new_head_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    start = tiny.model_folder(tmp_path / "model", heads={"document_class": tiny.HEADS["document_class"]})
    out = tmp_path / "grown"
    run_training(
        [(kleister(tmp_path / "agreements", 3), "train")], out, tmp_path / "cache", start, epochs=1, learning_rate=0.0
    )
    old, grown = load(start), load(out)
    assert set(grown.heads) == {"document_class", "nda"}
    for name, weight in old.state_dict().items():
        torch.testing.assert_close(grown.state_dict()[name], weight, atol=1e-3, rtol=1e-3)  # saved in half precision


@pytest.mark.parametrize("documents", [0, 1])
def test_too_little_data_is_an_error(tmp_path: Path, documents: int) -> None:
    folder = table(tmp_path / "reports", documents=documents) if documents else tmp_path
    with pytest.raises(ValueError, match=r"format|at least two documents"):
        run_training([(folder, "train")], tmp_path / "out", tmp_path / "cache", tiny.bert_folder(tmp_path / "bert"))


def state(out: Path) -> dict[str, object]:
    """What the Trainer wrote of its last checkpoint."""
    last = max((out / "checkpoints").iterdir(), key=lambda folder: int(folder.name.split("-")[1]))
    return dict(json.loads((last / "trainer_state.json").read_text()))
