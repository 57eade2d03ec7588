import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from models.checkpoint import load, warm_start
from models.model import LongleafModel
from models.presets import preset
from pipeline.predict import Predictor
from pipeline.training.evaluate import run_evaluation
from pipeline.training.finetune import run_training
from tests import tiny
from tests.pipeline.training.writing import agreements, papers, provisions, reports, terms

QUICK: dict[str, Any] = {"window": 128, "batch_tokens": 256, "learning_rate": 3e-3}


class Trained:
    """Folders of one run on agreements and reports: two epochs, then resumed for two more."""

    def __init__(self, root: Path) -> None:
        self.root, self.cache, self.start, self.out = root, root / "cache", root / "bert", root / "out"
        tiny.bert_folder(self.start)
        self.data = [(agreements(root / "a", 6), "train"), (reports(root / "r", 5), "train")]
        run_training(self.data, self.out, self.cache, self.start, epochs=2, **QUICK)
        self.before = self.history()
        run_training(self.data, self.out, self.cache, self.start, epochs=4, resume=True, **QUICK)

    def history(self) -> dict[str, Any]:
        """What the Trainer wrote in its last checkpoint."""
        states = (self.out / "checkpoints").glob("*/trainer_state.json")
        return max((json.loads(path.read_text()) for path in states), key=lambda state: state["global_step"])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(tmp_path_factory.mktemp("training"))


def losses(history: dict[str, Any]) -> dict[float, float]:
    """That of the documents held out, after each epoch."""
    return {entry["epoch"]: entry["eval_loss"] for entry in history["log_history"] if "eval_loss" in entry}


def test_the_loss_falls(trained: Trained) -> None:
    found = list(losses(trained.history()).values())
    assert len(found) == 4
    assert min(found) < 0.8 * found[0]


def test_a_run_is_resumed_where_it_stopped(trained: Trained) -> None:
    assert list(losses(trained.before)) == [1, 2]
    after = trained.history()
    assert list(losses(after)) == [1, 2, 3, 4]
    assert after["global_step"] == 2 * trained.before["global_step"]
    assert [losses(after)[epoch] for epoch in (1, 2)] == [losses(trained.before)[epoch] for epoch in (1, 2)]


def test_the_best_checkpoint_is_the_model(trained: Trained) -> None:
    history = trained.history()
    assert history["best_metric"] == min(losses(history).values())
    best = load_file(Path(history["best_model_checkpoint"]) / "model.safetensors")
    kept = load_file(trained.out / "model.safetensors")
    assert best.keys() == kept.keys()
    for name, weight in best.items():
        assert torch.equal(kept[name], weight.half()), name
    assert len(list((trained.out / "checkpoints").iterdir())) <= 2


def test_the_model_can_be_used_at_once(trained: Trained) -> None:
    assert (trained.out / "tokenizer.json").read_bytes() == (trained.start / "tokenizer.json").read_bytes()
    info = Predictor(trained.out, "cpu").info
    assert info.classes == ("annual_report", "non_disclosure_agreement")
    assert info.schemas == {"nda": ("party", "effective_date", "jurisdiction", "term")}
    assert info.max_tokens == 4096
    [found] = Predictor(trained.out, "cpu").predict([tiny.document("This agreement is made between the company")])
    assert found.label in info.classes


def test_all_but_the_published_words_has_learnt(trained: Trained) -> None:
    heads = load(trained.out).config.heads
    start = warm_start(trained.start, preset("longleaf", "tiny", vocab_size=_vocabulary(trained), heads=heads))
    before, after = start.state_dict(), load(trained.out).state_dict()
    for name, weight in before.items():
        far = (after[name] - weight.half().float()).abs().max()
        assert (far == 0) == (name == "encoder.embeddings.word.weight"), name


def _vocabulary(trained: Trained) -> int:
    return int(json.loads((trained.start / "config.json").read_text())["vocab_size"])


def test_one_goes_on_from_a_model_and_gives_it_a_head(trained: Trained, tmp_path: Path) -> None:
    start = tiny.model_folder(tmp_path / "start", heads={"document_class": tiny.HEADS["document_class"]})
    out = run_training(trained.data, tmp_path / "out", trained.cache, start, epochs=1, **QUICK)
    before, after = load(start), load(out)
    assert after.config.heads["document_class"] == before.config.heads["document_class"]
    assert list(after.config.heads["nda"]["entities"]) == ["party", "effective_date", "jurisdiction", "term"]
    assert after.config.schema_of_class == {"non_disclosure_agreement": "nda"}
    assert after.config.max_tokens == before.config.max_tokens == 40


def test_a_seed_gives_a_model(trained: Trained, tmp_path: Path) -> None:
    def weights(name: str, seed: int) -> LongleafModel:
        return load(
            run_training(trained.data, tmp_path / name, trained.cache, trained.start, epochs=1, seed=seed, **QUICK)
        )

    one, same, other = (weights(name, seed).state_dict() for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


def test_texts_are_learnt(trained: Trained, tmp_path: Path) -> None:
    data = [(provisions(tmp_path / "p", 60), "train")]
    out = run_training(data, tmp_path / "out", trained.cache, trained.start, epochs=14, **QUICK)
    assert load(out).config.heads == {"document_class": {"kind": "classify", "labels": ["notices", "taxes", "term"]}}
    measured = run_evaluation(out, data, trained.cache)
    assert measured["metrics"]["macro_f1"] > 0.9


def test_several_classes_or_none_are_learnt(trained: Trained, tmp_path: Path) -> None:
    data = [(terms(tmp_path / "t", 60), "train")]
    out = run_training(data, tmp_path / "out", trained.cache, trained.start, epochs=14, **QUICK)
    head = {"kind": "classify", "labels": ["notices", "taxes"], "multi": True}
    assert load(out).config.heads == {"document_class": head}
    assert run_evaluation(out, data, trained.cache)["metrics"]["micro_f1"] > 0.9


def test_summaries_are_learnt(trained: Trained, tmp_path: Path) -> None:
    data = [(papers(tmp_path / "s", 90), "train")]
    options = {**QUICK, "learning_rate": 1e-2}
    out = run_training(data, tmp_path / "out", trained.cache, trained.start, preset_name="sw", epochs=4, **options)
    assert load(out).config.heads == {
        "summary": {"kind": "generate", "max_length": 512, "start": 2, "stop": 3, "pad": 0}
    }
    metrics = run_evaluation(out, data, trained.cache, limit=6)["metrics"]
    assert metrics["rouge1"] > 0.7 > metrics["lead_3"]["rouge1"]


@pytest.mark.parametrize(
    ("name", "window"),
    [("bert-layout", 512), ("sw", 4096), ("fnet-4096", 4096), ("hnet-4096", 4096)],
)
def test_every_family_starts_from_a_bert(trained: Trained, tmp_path: Path, name: str, window: int) -> None:
    data = [(provisions(tmp_path / "p", 8), "train")]
    out = run_training(
        data, tmp_path / "out", trained.cache, trained.start, preset_name=name, epochs=1, limit=6, **QUICK
    )
    assert load(out).config.max_tokens == window


def test_two_documents_are_the_fewest(trained: Trained, tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    data = [(reports(tmp_path / "two", 2), "train")]
    assert load(run_training(data, tmp_path / "out", trained.cache, trained.start, epochs=1, **QUICK)).config.heads
    data = [(reports(tmp_path / "one", 1), "train")]
    with pytest.raises(ValueError, match="at least two documents"):
        run_training(data, tmp_path / "none", trained.cache, trained.start, epochs=1, **QUICK)


def test_data_that_teaches_the_model_nothing_is_an_error(trained: Trained, tmp_path: Path) -> None:
    start = tiny.model_folder(tmp_path / "start")
    data = [(reports(tmp_path / "r", 3, label="receipt_or_invoice"), "train")]
    with pytest.raises(ValueError, match="at least two documents"):
        run_training(data, tmp_path / "out", trained.cache, start, epochs=1, **QUICK)


def test_unusable_data_is_an_error(trained: Trained, tmp_path: Path) -> None:
    folder = reports(tmp_path / "r", 2)
    for path in (folder / "documents").iterdir():
        path.write_bytes(b"no document")
    for data, said in (([(folder, "train")], "could be read"), ([(folder, "test")], "'test'"), ([], "could be read")):
        with pytest.raises(ValueError, match=said):
            run_training(data, tmp_path / "out", trained.cache, trained.start)


def test_unusable_settings_are_an_error(trained: Trained, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="checkpoint to start from"):
        run_training(trained.data, tmp_path / "out", trained.cache)
    with pytest.raises(ValueError, match="another run"):
        run_training(trained.data, trained.out, trained.cache, trained.start)
    with pytest.raises(ValueError, match="'spiral'"):
        run_training(trained.data, tmp_path / "out", trained.cache, trained.start, preset_name="spiral")
    with pytest.raises(OSError, match="tokenizer"):
        run_training(trained.data, tmp_path / "out", trained.cache, tmp_path)
