from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from models.checkpoint import import_published
from models.published import describe
from tests.models.published import peers


def saved(folder: Path, family: str = "bert", **changes: object) -> Path:
    """A checkpoint with a head; its file of weights."""
    peers.peer(family, **changes).save_pretrained(folder)
    return folder / "model.safetensors"


def test_output_weights_that_are_the_words_are_told_as_used(tmp_path: Path) -> None:
    path = saved(tmp_path)
    weights = load_file(path)
    copies = {
        "cls.predictions.decoder.weight": weights["bert.embeddings.word_embeddings.weight"],
        "cls.predictions.decoder.bias": weights["cls.predictions.bias"],
    }
    save_file({**weights, **{name: weight.clone() for name, weight in copies.items()}}, path)
    _, account = import_published(tmp_path)
    assert copies.keys() <= {*account.used}


def test_output_weights_of_their_own_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path)
    weights = load_file(path)
    other = weights["bert.embeddings.word_embeddings.weight"] + 1
    save_file({**weights, "cls.predictions.decoder.weight": other}, path)
    with pytest.raises(ValueError, match=r"no copy cls\.predictions\.decoder\.weight"):
        import_published(tmp_path)


def test_a_head_with_output_weights_of_its_own_is_left_behind(tmp_path: Path) -> None:
    saved(tmp_path, tie_word_embeddings=False)
    model, account = import_published(tmp_path)
    assert not model.heads
    assert account.unused["cls.predictions.transform.dense.weight"] == "its output weights are not the word embeddings"


def test_what_belongs_to_other_tasks_is_left_behind(tmp_path: Path) -> None:
    path = saved(tmp_path)
    weights = load_file(path)
    others = [
        "cls.seq_relationship.weight",
        "bert.pooler.dense.bias",
        "bert.embeddings.position_ids",
        "classifier.bias",
    ]
    save_file({**weights, **{name: weights["cls.predictions.bias"].clone() for name in others}}, path)
    _, account = import_published(tmp_path)
    assert {*account.unused} == {name.removeprefix("bert.") for name in others}
    assert len(account.used) == len(weights)


@pytest.mark.parametrize(
    ("change", "told"),
    [({"is_decoder": True}, "decoder"), ({"position_embedding_type": "relative_key"}, "'relative_key'")],
)
def test_what_ours_cannot_be_is_refused(change: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        describe({"model_type": "bert", **change})
