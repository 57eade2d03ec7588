import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertModel

from models.checkpoint import load, save, warm_start, with_heads
from models.config import LongleafConfig
from models.model import LongleafModel
from pipeline.dataset import collate
from tests import tiny

TEXT = "This Agreement is made by Acme"  # 13 tokens and two special ones, of 16 positions


def plain(**changes: object) -> LongleafConfig:
    """What a BERT encoder is in our terms."""
    sizes = {"vocab_size": tiny.bert_config().vocab_size, "max_tokens": 16, "overlap": 0, "mixers": "full"}
    return tiny.config(**{**sizes, "hidden_dropout_prob": 0.0, **changes})


def test_a_warm_started_model_is_the_published_one(tmp_path: Path) -> None:
    folder = tiny.bert_folder(tmp_path)
    ours, theirs = warm_start(folder, plain()).eval(), BertModel.from_pretrained(folder).eval()
    [window] = tiny.windows(plain(), TEXT)
    wanted = theirs(torch.from_numpy(window.input_ids)[None]).last_hidden_state[0]
    found = ours(collate([window])).hidden_states
    assert len(window) > 10
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-5)


def test_it_learns_as_the_published_one_does(tmp_path: Path) -> None:
    folder = tiny.bert_folder(tmp_path, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    ours, theirs = warm_start(folder, plain()).train(), BertModel.from_pretrained(folder).train()
    [window] = tiny.windows(plain(), TEXT)
    for states in (
        ours(collate([window])).hidden_states,
        theirs(torch.from_numpy(window.input_ids)[None]).last_hidden_state[0],
    ):
        (states * torch.linspace(-1, 1, states.numel()).reshape(states.shape)).sum().backward()
    for mine, published in (
        (ours.encoder.embeddings.word.weight, theirs.embeddings.word_embeddings.weight),
        (ours.encoder.blocks[0].attention.query.weight, theirs.encoder.layer[0].attention.self.query.weight),
        (ours.encoder.blocks[0].attention.value.bias, theirs.encoder.layer[0].attention.self.value.bias),
        (ours.encoder.blocks[1].down.weight, theirs.encoder.layer[1].output.dense.weight),
    ):
        assert mine.grad is not None
        # BERT's own padding entry learns nothing, and nothing here is one.
        torch.testing.assert_close(mine.grad, published.grad, rtol=1e-4, atol=1e-4)


def test_positions_are_repeated_up_to_the_longest_window(tmp_path: Path) -> None:
    folder = tiny.bert_folder(tmp_path)
    published = load_file(folder / "model.safetensors")
    made = warm_start(folder, plain(max_tokens=40)).encoder.embeddings.position.weight
    learned, kind = (published[f"embeddings.{name}_embeddings.weight"] for name in ("position", "token_type"))
    wanted = torch.cat([learned, learned, learned[:8]]) + kind[0]
    torch.testing.assert_close(made, wanted, rtol=0, atol=0)


def test_everything_new_starts_at_zero(tmp_path: Path) -> None:
    embeddings = warm_start(tiny.bert_folder(tmp_path), plain()).encoder.embeddings
    for weight in (embeddings.page.weight, embeddings.shape.weight, embeddings.layout.projection.weight):
        assert not weight.any()


def test_a_checkpoint_with_a_task_on_top_is_read_by_its_prefix(tmp_path: Path) -> None:
    folder = tiny.bert_folder(tmp_path)
    weights = load_file(folder / "model.safetensors")
    before = warm_start(folder, plain()).encoder.state_dict()
    save_file({f"bert.{name}": weight for name, weight in weights.items()}, folder / "model.safetensors")
    after = warm_start(folder, plain()).encoder.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def strange(weights: dict[str, torch.Tensor]) -> None:
    weights["encoder.layer.0.adapter.weight"] = torch.zeros(1)


def missing(weights: dict[str, torch.Tensor]) -> None:
    del weights["encoder.layer.1.output.dense.bias"]


def misshapen(weights: dict[str, torch.Tensor]) -> None:
    weights["encoder.layer.1.output.dense.bias"] = torch.zeros(3)


@pytest.mark.parametrize(
    ("change", "named"),
    [(strange, r"layer\.0\.adapter"), (missing, r"layer\.1\.output\.dense\.bias"), (misshapen, "down")],
)
def test_what_does_not_fit_is_named(
    change: Callable[[dict[str, torch.Tensor]], None], named: str, tmp_path: Path
) -> None:
    folder = tiny.bert_folder(tmp_path)
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")
    with pytest.raises(ValueError, match=named):
        warm_start(folder, plain())


def test_a_checkpoint_of_other_depth_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"encoder\.layer\.1\."):
        warm_start(tiny.bert_folder(tmp_path), plain(num_hidden_layers=1))


def test_weights_are_kept_in_half_precision_and_read_in_full(tmp_path: Path) -> None:
    model = tiny.model()
    save(model, tmp_path)
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert {weight.dtype for weight in load_file(tmp_path / "model.safetensors").values()} == {torch.float16}
    read = load(tmp_path)
    assert {weight.dtype for weight in read.parameters()} == {torch.float32}
    assert not any(module.training for module in read.modules())
    batch = collate(tiny.windows(model.config, tiny.long_text(20), TEXT))
    with torch.no_grad():
        before, after = model(batch), read(batch)
    torch.testing.assert_close(after.logits, before.logits, rtol=0, atol=1e-2)


def test_in_full_precision_nothing_changes(tmp_path: Path) -> None:
    model = tiny.model()
    save(model, tmp_path, torch.float32)
    batch = collate(tiny.windows(model.config, tiny.long_text(20)))
    with torch.no_grad():
        before, after = model(batch), load(tmp_path)(batch)
    assert all(torch.equal(before.logits[name], after.logits[name]) for name in tiny.HEADS)


def test_heads_keep_the_order_of_their_entity_types(tmp_path: Path) -> None:
    """Tags are numbered by it."""
    save(tiny.model(), tmp_path)
    assert list(load(tmp_path).config.heads["nda"]["entities"]) == ["party", "effective_date"]


def test_a_folder_that_holds_no_model(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(OSError, match="no model"):
            load(folder)


def test_a_folder_that_holds_another_kind_of_model(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="type 'bert'"):
        load(tiny.bert_folder(tmp_path))


def test_a_folder_without_weights(tmp_path: Path) -> None:
    (tiny.model_folder(tmp_path) / "model.safetensors").unlink()
    with pytest.raises(OSError, match=r"model\.safetensors"):
        load(tmp_path)


def test_damaged_weights(tmp_path: Path) -> None:
    weights = tiny.model_folder(tmp_path) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:999])
    with pytest.raises(ValueError, match="damaged"):
        load(tmp_path)


def test_nothing_that_is_missing_is_made_up(tmp_path: Path) -> None:
    path = tiny.model_folder(tmp_path) / "model.safetensors"
    weights = load_file(path)
    del weights["heads.nda.output.bias"]
    save_file(weights, path)
    with pytest.raises(ValueError, match=r"heads\.nda\.output\.bias"):
        load(tmp_path)


def test_a_configuration_that_wants_an_unknown_head(tmp_path: Path) -> None:
    path = tiny.model_folder(tmp_path) / "config.json"
    config = json.loads(path.read_text())
    config["heads"]["nda"]["kind"] = "oracle"
    path.write_text(json.dumps(config))
    with pytest.raises(ValueError, match="oracle"):
        load(tmp_path)


def test_new_heads_leave_the_old_ones_as_they_were() -> None:
    model: LongleafModel = tiny.model(heads={"nda": tiny.HEADS["nda"]}, schema_of_class={})
    other = {"kind": "label", "entities": {"term": {"normaliser": "duration", "many": False}}}
    grown = with_heads(model, {**tiny.HEADS, "nda": other}, {"non_disclosure_agreement": "nda"})
    assert set(grown.heads) == {"document_class", "nda"}
    assert list(grown.config.heads["nda"]["entities"]) == ["party", "effective_date"]
    assert grown.config.schema_of_class == {"non_disclosure_agreement": "nda"}
    kept = grown.state_dict()
    assert all(torch.equal(kept[name], weight) for name, weight in model.state_dict().items())
    assert list(model.config.heads) == ["nda"]
