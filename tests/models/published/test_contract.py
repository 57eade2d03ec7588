"""Every family: transformers' own model and ours on its weights say the same."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from models.checkpoint import import_published, load, save
from models.published import describe
from models.registry import names
from models.translate import fill
from tests.models.published import peers

FAMILIES = list(names("models.published"))
MASKED = [family for family in FAMILIES if family != "led"]  # those with a masked-language head
LENGTHS = [3, peers.WINDOW, 21, 50]  # shorter than a window; one; some, and part of another
NEW = {
    "encoder.embeddings.page.weight",
    "encoder.embeddings.shape.weight",
    "encoder.embeddings.layout.projection.weight",
    "heads.summary.bias",  # LED's is no parameter
}
TEXT = torch.tensor([[7, 30, 9, 50, 2]])


def test_all_families_are_tested() -> None:
    assert sorted(peers.FAMILIES) == FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_the_encoder_alone_says_the_same(family: str, tmp_path: Path) -> None:
    published = peers.peer(family, with_head=False)
    ours, _ = peers.imported(published, tmp_path)
    for length in LENGTHS:
        tokens, boxes = peers.ids(length), peers.boxes(length)
        wanted = peers.hidden_of(peers.ask(family, published, [tokens], **peers.layout(family, boxes)))
        peers.close(ours(peers.batch(ours.config, [tokens], boxes=boxes), []).hidden_states, wanted[0])


@pytest.mark.parametrize("family", MASKED)
@torch.no_grad()
def test_the_head_guesses_the_same_words(family: str, tmp_path: Path) -> None:
    published = peers.peer(family)
    ours, _ = peers.imported(published, tmp_path)
    for length in LENGTHS:
        tokens, boxes = peers.ids(length), peers.boxes(length)
        wanted = peers.ask(family, published, [tokens], **peers.layout(family, boxes)).logits[0]
        peers.close(ours(peers.batch(ours.config, [tokens], boxes=boxes)).logits["mlm"], wanted)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "fnet"])
@torch.no_grad()
def test_what_they_fill_up_with_padding_we_pack(family: str, tmp_path: Path) -> None:
    published = peers.peer(family)
    ours, _ = peers.imported(published, tmp_path)
    windows, boxes = [peers.ids(length, seed=length) for length in (5, 40, 17)], peers.boxes(40)
    layout = {name: part.expand(3, -1, -1) for name, part in peers.layout(family, boxes).items()}
    wanted = peers.hidden_of(peers.ask(family, published, windows, **layout))
    batch = peers.batch(ours.config, windows, boxes=boxes)
    found = ours(batch, []).hidden_states
    for rows, tokens, its in zip(batch.windows, windows, wanted, strict=True):
        peers.close(found[rows], its[: len(tokens)])


@pytest.mark.parametrize("family", FAMILIES)
def test_it_learns_as_theirs_does(family: str, tmp_path: Path) -> None:
    published = peers.peer(family).train()
    ours, _ = peers.imported(published, tmp_path)
    tokens, boxes = peers.ids(29), peers.boxes(29)
    layout = peers.layout(family, boxes)
    batch = peers.batch(ours.train().config, [tokens], (0, 3), boxes)
    if family == "led":
        peers.ask(family, published, [tokens], (0, 3), labels=TEXT).loss.backward()
        ours(replace(batch, targets={"summary": TEXT})).loss.backward()
    else:
        labels = peers.ids(29, seed=2)
        peers.ask(family, published, [tokens], (0, 3), labels=labels[None], **layout).loss.backward()
        ours(replace(batch, targets={"mlm": labels})).loss.backward()
    compared = set()
    for name, found, wanted in peers.gradients(ours, published):
        peers.close(found, wanted)
        compared.add(name)
    assert {name for name, _ in ours.named_parameters()} - compared <= NEW


@pytest.mark.parametrize("family", FAMILIES)
def test_every_key_has_a_place_or_a_reason(family: str, tmp_path: Path) -> None:
    for with_head in (True, False):
        _, account = peers.imported(peers.peer(family, with_head), tmp_path / str(with_head))
        given = load_file(tmp_path / str(with_head) / "model.safetensors")
        assert len(account.used) + len(account.unused) == len(given)
        assert {name.split(".")[0] for name in account.unused} <= {"pooler"}
        assert all(account.unused.values())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_key_that_is_missing_is_named(family: str, tmp_path: Path) -> None:
    published = peers.peer(family)
    ours, account = peers.imported(published, tmp_path)
    whole, told = load_file(tmp_path / "model.safetensors"), describe(published.config.to_dict())
    for name in sorted({*account.used} - {"final_logits_bias"}):
        rest = {key: part for key, part in whole.items() if key.removeprefix(told.prefix) != name}
        with pytest.raises(ValueError, match=rf"missing {name}$"):
            fill(ours, rest, told, list(ours.config.heads))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_key_without_a_place_is_named(family: str, tmp_path: Path) -> None:
    published = peers.peer(family)
    published.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    save_file({**load_file(path), "encoder.layer.0.adapter.weight": torch.zeros(1)}, path)
    with pytest.raises(ValueError, match=r"no place for encoder\.layer\.0\.adapter\.weight"):
        import_published(tmp_path)


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_saved_as_ours_it_says_the_same(family: str, tmp_path: Path) -> None:
    ours, _ = peers.imported(peers.peer(family), tmp_path / "theirs")
    save(ours, tmp_path / "ours", torch.float32)
    batch = peers.batch(ours.config, [peers.ids(21)], boxes=peers.boxes(21))
    assert torch.equal(load(tmp_path / "ours")(batch, []).hidden_states, ours(batch, []).hidden_states)


@pytest.mark.parametrize("family", FAMILIES)
def test_windows_are_as_long_as_the_positions_reach_and_may_be_longer(family: str, tmp_path: Path) -> None:
    ours, account = peers.imported(peers.peer(family), tmp_path)
    reach = peers.POSITIONS - 2 * (family in ("roberta", "longformer"))
    assert account.positions == ours.config.max_tokens == reach
    longer = import_published(tmp_path, max_tokens=150)[0]
    learned = ours.encoder.embeddings.position.weight
    assert torch.equal(longer.encoder.embeddings.position.weight, learned.repeat(3, 1)[:150])


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"model_type": "gpt2"}, "type 'gpt2' cannot be read; types that can: bert, fnet, layoutlm, led, longformer"),
        ({}, "type None"),
        ([], "type None"),
        ({"model_type": "bert", "hidden_size": "wide"}, "not that of a checkpoint of type 'bert'"),
    ],
)
def test_a_configuration_that_is_none_of_these(config: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        describe(config)


def test_files_that_are_not_there_or_damaged_are_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"no config\.json"):
        import_published(tmp_path)
    peers.peer("bert").save_pretrained(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(OSError, match="holds no weights"):
        import_published(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ValueError, match=tmp_path.name):
        import_published(tmp_path)
