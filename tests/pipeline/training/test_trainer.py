from pathlib import Path

import pytest
import torch

from pipeline.dataset import Targets
from pipeline.encode import EncodedDocument
from pipeline.training.trainer import BatchTrainer, arguments, collate_groups, held_out, last_checkpoint
from tests import tiny


def test_one_document_in_so_many_is_held_out_by_name() -> None:
    names = [f"{i}.pdf" for i in range(1000)]
    held = held_out(names, 10)
    assert 60 < sum(held) < 140
    assert held_out(names[::-1], 10) == held[::-1]
    assert held_out(names[:500], 10) == held[:500]


@pytest.mark.parametrize("one_in", [1, 10, 10**6])
def test_there_is_always_something_on_both_sides(one_in: int) -> None:
    for count in range(2, 12):
        assert 0 < sum(held_out([f"{i}.pdf" for i in range(count)], one_in)) < count
    with pytest.raises(ValueError, match="at least two documents"):
        held_out(["a.pdf"], one_in)


def test_the_last_checkpoint_is_gone_on_from_when_asked_to(tmp_path: Path) -> None:
    assert last_checkpoint(tmp_path, resume=True) is None
    for step in (5, 20):
        (tmp_path / "checkpoints" / f"checkpoint-{step}").mkdir(parents=True)
    assert last_checkpoint(tmp_path, resume=True) == str(tmp_path / "checkpoints" / "checkpoint-20")
    with pytest.raises(ValueError, match="another run"):
        last_checkpoint(tmp_path, resume=False)


def test_options_may_be_changed(tmp_path: Path) -> None:
    made = arguments(tmp_path, weight_decay=0.5)
    assert (made.weight_decay, made.logging_steps, made.report_to) == (0.5, 20, [])
    assert made.output_dir == str(tmp_path / "checkpoints")


def test_weights_learn_at_their_rates(tmp_path: Path) -> None:
    def rate(name: str) -> float:
        return 0.0 if name.startswith("encoder.embeddings.word.") else 5.0 if name.startswith("heads.") else 1.0

    model = tiny.model()
    trainer = BatchTrainer(rate=rate, model=model, args=arguments(tmp_path, learning_rate=0.1))
    groups = trainer.create_optimizer().param_groups
    names = {weight: name for name, weight in model.named_parameters()}
    found = {names[w]: (group["lr"], group["weight_decay"]) for group in groups for w in group["params"]}
    assert found.keys() == set(names.values()) - {"encoder.embeddings.word.weight"}
    assert not model.encoder.embeddings.word.weight.requires_grad
    assert {lr for name, (lr, _) in found.items() if name.startswith("heads.")} == {0.5}
    assert {lr for name, (lr, _) in found.items() if name.startswith("encoder.")} == {0.1}
    for name, (_, decay) in found.items():
        assert decay == (0.01 if model.get_parameter(name).ndim > 1 else 0.0)


def test_the_loss_is_the_models(tmp_path: Path) -> None:
    model = tiny.model()
    windows = tiny.windows(model.config, "this agreement", "the annual report of the company")
    targets: list[Targets] = [{"document_class": torch.tensor([i]).numpy()} for i in range(2)]
    items: list[tuple[EncodedDocument, Targets]] = list(zip(windows, targets, strict=True))
    inputs = collate_groups([items[:1], items[1:]])
    trainer = BatchTrainer(model=model, args=arguments(tmp_path))
    loss, _, _ = trainer.prediction_step(model, inputs)
    assert loss == model(inputs["batch"]).loss
    assert not loss.requires_grad
