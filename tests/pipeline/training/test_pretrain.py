import json
import math
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy

from models.checkpoint import load, warm_start
from models.model import LongleafModel
from models.presets import preset
from pipeline.dataset import NOT_LABELLED
from pipeline.predict import Predictor
from pipeline.training.corpus import read_corpus
from pipeline.training.finetune import run_training
from pipeline.training.masking import MaskedBatches
from pipeline.training.packing import pack, windows_of
from pipeline.training.pretrain import RECORD, Recipe, run_pretraining
from pipeline.training.trainer import collate_groups
from tests import tiny
from tests.pipeline.training.writing import reports

RECIPE = Recipe(4000, "sw", "tiny", window=64, batch_tokens=128, learning_rate=3e-3)


class Trained:
    """A run of about thirty steps on texts."""

    def __init__(self, root: Path) -> None:
        self.root, self.texts, self.start, self.out = root, root / "texts", root / "bert", root / "out"
        self.texts.mkdir()
        for i in range(12):
            (self.texts / f"{i}.txt").write_text(tiny.long_text(60 + 10 * i, seed=i))
        tiny.bert_folder(self.start)
        self.last = self.run(self.out, RECIPE)

    def run(self, out: Path, recipe: Recipe, start: Path | None = None, **options: Any) -> dict[str, Any]:  # noqa: ANN401
        return run_pretraining([self.texts], out, self.root / "cache", start or self.start, recipe, **options)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(tmp_path_factory.mktemp("pretraining"))


def rows(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / RECORD).read_text().splitlines()]


def figures(out: Path) -> list[dict[str, Any]]:
    """What does not depend on the machine."""
    return [
        {k: v for k, v in row.items() if k not in ("seconds", "seconds_per_1000_tokens", "memory_mb")}
        for row in rows(out)
    ]


def test_the_record(trained: Trained) -> None:
    *measured, last = rows(trained.out)
    assert 8 <= len(measured) <= 11
    assert all(one["step"] < other["step"] and one["tokens"] < other["tokens"] for one, other in pairwise(measured))
    assert all(one["seconds"] < other["seconds"] for one, other in pairwise(measured))
    for row in measured:
        assert row["perplexity"] == pytest.approx(math.exp(row["held_out_loss"]))
        assert row["seconds_per_1000_tokens"] == pytest.approx(1000 * row["seconds"] / row["tokens"])
        assert row["memory_mb"] > 50
    assert last == trained.last
    assert last == {**measured[-1], **last}
    assert last["final"]
    assert (last["budget"], last["preset"], last["size"], last["seed"]) == (4000, "sw", "tiny", 0)
    assert last["parameters"] == load(trained.out).num_parameters()
    assert "cost" not in last


def test_the_budget_is_kept(trained: Trained) -> None:
    assert 4000 - 128 < trained.last["tokens"] <= 4000


def test_it_learns(trained: Trained) -> None:
    first, *_, last = rows(trained.out)[:-1]
    assert last["held_out_loss"] < 0.9 * first["held_out_loss"]
    assert last["train_loss"] < 0.9 * first["train_loss"]


def test_the_perplexity_is_that_of_the_words_hidden_in_what_is_held_out(trained: Trained) -> None:
    tokenizer = tiny.tokenizer()
    model = load(next((trained.out / "checkpoints").glob(f"checkpoint-{trained.last['step']}")))
    held = read_corpus([trained.texts], trained.root / "cache", tokenizer, 1, 0).held
    made = MaskedBatches(held, pack(windows_of([len(h) for h in held], 64), 128), tokenizer, model.config, 0, False)
    logits, stood = [], []
    for item in made:
        batch = collate_groups([item])["batch"]
        chosen = batch.targets["mlm"] != NOT_LABELLED
        stood.append(batch.targets["mlm"][chosen])
        with torch.no_grad():
            logits.append(model(replace(batch, targets={})).logits["mlm"][chosen])
    loss = cross_entropy(torch.cat(logits), torch.cat(stood))
    assert trained.last["perplexity"] == pytest.approx(float(loss.exp()), rel=1e-4)


def test_a_run_is_resumed_as_if_it_had_not_stopped(trained: Trained, tmp_path: Path) -> None:
    out = shutil.copytree(trained.out, tmp_path / "out")
    shutil.rmtree(out / "checkpoints" / f"checkpoint-{trained.last['step']}")
    trained.run(out, RECIPE, resume=True)
    assert figures(out) == figures(trained.out)
    before, after = (load_file(folder / "model.safetensors") for folder in (trained.out, out))
    assert all(torch.equal(after[name], weight) for name, weight in before.items())
    trained.run(out, RECIPE, resume=True)
    assert figures(out) == figures(trained.out)


def test_all_weights_learn_the_words_among_them(trained: Trained) -> None:
    torch.manual_seed(RECIPE.seed)
    heads = {"mlm": {"kind": "mlm"}}
    start = LongleafModel(preset("sw", "tiny", vocab_size=tiny.tokenizer().get_vocab_size(), heads=heads))
    after = load(trained.out).state_dict()
    for name, weight in start.state_dict().items():
        assert not torch.equal(after[name], weight.half().float()), name


def test_batches_may_be_accumulated(trained: Trained, tmp_path: Path) -> None:
    recipe = replace(RECIPE, budget=1500)
    whole = trained.run(tmp_path / "a", recipe)
    parts = trained.run(tmp_path / "b", replace(recipe, batch_tokens=64, accumulate=2))
    assert parts["step"] == pytest.approx(whole["step"], abs=1)
    assert parts["held_out_loss"] == pytest.approx(whole["held_out_loss"], rel=0.05)


def test_a_checkpoint_is_gone_on_from(trained: Trained, tmp_path: Path) -> None:
    recipe = replace(RECIPE, budget=256, size=None, learning_rate=0.0)
    trained.run(tmp_path / "out", recipe)
    start = warm_start(trained.start, preset("sw", "tiny", vocab_size=tiny.tokenizer().get_vocab_size()))
    found = load(tmp_path / "out").state_dict()
    assert all(torch.equal(found[name], weight.half().float()) for name, weight in start.state_dict().items())


def test_of_a_longleaf_model_the_encoder_is_gone_on_from(trained: Trained, tmp_path: Path) -> None:
    start = tiny.model_folder(tmp_path / "start")
    trained.run(tmp_path / "out", replace(RECIPE, budget=256, size=None, learning_rate=0.0), start)
    before, after = load(start), load(tmp_path / "out")
    assert after.config.heads == {"mlm": {"kind": "mlm"}}
    assert after.config.schema_of_class == {}
    assert after.config.mixers == before.config.mixers
    for name, weight in before.encoder.state_dict().items():
        assert torch.equal(after.encoder.state_dict()[name], weight), name


def test_training_goes_on_from_there_without_the_head(trained: Trained, tmp_path: Path) -> None:
    data = [(reports(tmp_path / "r", 3), "train")]
    out = run_training(data, tmp_path / "out", trained.root / "cache", trained.out, epochs=1, learning_rate=0.0)
    assert list(load(out).config.heads) == ["document_class"]
    assert Predictor(out, "cpu").info.classes == ("annual_report",)
    before, after = load(trained.out), load(out)
    assert all(torch.equal(after.encoder.state_dict()[n], w) for n, w in before.encoder.state_dict().items())


@pytest.mark.parametrize("family", ["bert-layout", "distance", "hnet-4096"])
def test_other_families_read_the_same(trained: Trained, tmp_path: Path, family: str) -> None:
    recipe = replace(RECIPE, budget=256)
    last = trained.run(tmp_path / "out", replace(recipe, preset=family))
    assert math.isfinite(last["perplexity"])
    assert last["tokens"] == trained.run(tmp_path / "sw", recipe)["tokens"]


def test_the_cost_is_in_the_last_row(trained: Trained, tmp_path: Path) -> None:
    last = trained.run(tmp_path / "out", replace(RECIPE, budget=256), country="FRA")
    assert last["cost"]["country"] == "FRA"
    assert last["cost"]["energy_kwh"] > 0
    assert rows(tmp_path / "out")[-1] == last


def test_unusable_settings_are_an_error(trained: Trained, tmp_path: Path) -> None:
    for recipe, said in (
        (replace(RECIPE, batch_tokens=32), "does not hold a window of 64"),
        (replace(RECIPE, budget=100), "100 tokens do not suffice"),
        (replace(RECIPE, preset="spiral"), "'spiral'"),
        (replace(RECIPE, size="vast"), "'vast'"),
    ):
        with pytest.raises(ValueError, match=said):
            trained.run(tmp_path / "out", recipe)
    with pytest.raises(ValueError, match="another run"):
        trained.run(trained.out, RECIPE)
    with pytest.raises(ValueError, match="'XX'"):
        trained.run(tmp_path / "out", RECIPE, country="XX")
    with pytest.raises(OSError, match="tokenizer"):
        trained.run(tmp_path / "out", RECIPE, start=tmp_path)
    assert not (tmp_path / "out" / RECORD).exists()
