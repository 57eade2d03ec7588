"""What a warm start does with weights that the configuration has no use for, or that the checkpoint has not."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from models.checkpoint import import_published, warm_start
from models.config import LongleafConfig
from tests.models.published import peers


def config(**changes: Any) -> LongleafConfig:  # noqa: ANN401
    """The sizes of `peers`, and so many tokens."""
    sizes = {"vocab_size": peers.VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    kinds = {"sliding": {"window": 4}, "distance": {"neighbours": 9}}
    rest = {"intermediate_size": 64, "max_tokens": 50, "overlap": 8, "kinds": kinds, "layer_norm_eps": 1e-12}
    return LongleafConfig(**{**sizes, **rest, **changes})


@pytest.mark.parametrize("mixer", ["fourier", "hartley"])
def test_attention_is_left_behind_where_layers_mix_without_weights(mixer: str, tmp_path: Path) -> None:
    peers.peer("bert").save_pretrained(tmp_path)
    made = warm_start(tmp_path, config(mixers=["sliding", mixer]))
    weights = load_file(tmp_path / "model.safetensors")
    first, last = made.encoder.blocks
    assert torch.equal(first.attention.key.weight, weights["bert.encoder.layer.0.attention.self.key.weight"])
    assert not list(last.attention.parameters())
    for name, theirs in (("attention_norm", "attention.output.LayerNorm"), ("down", "output.dense")):
        assert torch.equal(getattr(last, name).weight, weights[f"bert.encoder.layer.1.{theirs}.weight"])


@torch.no_grad()
def test_what_is_new_leaves_the_original_undisturbed(tmp_path: Path) -> None:
    """A global token's projections, the embeddings' projection, tables of places, pages and shapes."""
    published = peers.peer("bert")
    published.save_pretrained(tmp_path)
    new = {"global_projections": True, "embedding_projection": True, "layout": "tables"}
    tokens, boxes = peers.ids(21), peers.boxes(21)
    wanted = peers.hidden_of(peers.ask("bert", published, [tokens]))[0]
    for mixers in ("full", "sliding"):
        made = warm_start(tmp_path, config(mixers=mixers, kinds={"sliding": {"window": 50}}, **new)).eval()
        peers.close(made(peers.batch(made.config, [tokens], (0, 5), boxes)).hidden_states, wanted)


def test_projections_of_global_tokens_are_left_behind_where_there_are_none(tmp_path: Path) -> None:
    peers.peer("longformer").save_pretrained(tmp_path)
    made = warm_start(tmp_path, config(mixers="distance+sliding"))
    assert not any("_global" in name for name in made.state_dict())


@pytest.mark.parametrize(
    ("family", "changes", "told"),
    [
        ("layoutlm", {}, r"no place for embeddings\.h_position_embeddings\.weight, .*x_position"),
        ("fnet", {"mixers": "fourier"}, r"no place for embeddings\.projection\.bias"),
        ("fnet", {"embedding_projection": True}, r"missing encoder\.blocks\.0\.attention\.key\.bias.* and 6 more"),
        ("bert", {"num_hidden_layers": 1}, r"no place for encoder\.layer\.1\.attention"),
        ("bert", {"num_hidden_layers": 3}, r"missing encoder\.blocks\.2\.attention"),
        (
            "bert",
            {"intermediate_size": 48},
            r"another shape encoder\.blocks\.0\.down\.weight \(32, 64\), here \(32, 48",
        ),
        ("roberta", {"num_attention_heads": 8}, "4 attention heads, those of the configuration 8"),
    ],
)
def test_a_configuration_that_the_weights_do_not_fit(
    family: str, changes: dict[str, Any], told: str, tmp_path: Path
) -> None:
    peers.peer(family).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=told):
        warm_start(tmp_path, config(**changes))


def test_a_head_that_is_wanted_as_it_is_published_is_kept(tmp_path: Path) -> None:
    peers.peer("bert").save_pretrained(tmp_path / "bert")
    made = warm_start(tmp_path / "bert", config(heads={"mlm": {"kind": "mlm"}, "again": {"kind": "mlm"}}))
    weights = load_file(tmp_path / "bert" / "model.safetensors")
    assert torch.equal(made.heads["mlm"].bias, weights["cls.predictions.bias"])
    assert not made.heads["again"].bias.any()


def test_a_decoder_is_kept_or_new(tmp_path: Path) -> None:
    peers.peer("led").save_pretrained(tmp_path)
    options = import_published(tmp_path)[0].config.heads["summary"]
    theirs = load_file(tmp_path / "model.safetensors")["led.decoder.embed_positions.weight"]
    for asked, kept in ((options, True), ({**options, "max_length": 20}, False)):
        made = warm_start(tmp_path, config(heads={"summary": asked}))
        assert torch.equal(made.heads["summary"].decoder.position.weight, theirs) == kept


def test_norms_of_the_first_checkpoints(tmp_path: Path) -> None:
    published = peers.peer("bert")
    published.save_pretrained(tmp_path)
    path, before = tmp_path / "model.safetensors", import_published(tmp_path)[0].state_dict()
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    weights = load_file(path)
    for new_name, name in old.items():
        weights = {key.replace(new_name, name): weight for key, weight in weights.items()}
    assert "bert.embeddings.LayerNorm.gamma" in weights
    save_file(weights, path)
    after = import_published(tmp_path)[0].state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    peers.peer("bert").save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    weights = load_file(path)
    weights["bert.encoder.layer.0.output.dens.bias"] = weights.pop("bert.encoder.layer.0.output.dense.bias")
    save_file(weights, path)
    told = r"no place for encoder\.layer\.0\.output\.dens\.bias; missing encoder\.layer\.0\.output\.dense\.bias"
    with pytest.raises(ValueError, match=told):
        import_published(tmp_path)


@pytest.mark.parametrize("mixer", ["sliding", "hartley"])
def test_a_new_decoder_begins_with_the_encoders_layers(mixer: str, tmp_path: Path) -> None:
    published = peers.peer("bert")
    published.save_pretrained(tmp_path)
    options = {"kind": "generate", "max_length": 12, "start": 1, "stop": 2, "pad": 0, "layers": 3}
    made = warm_start(tmp_path, config(mixers=mixer, heads={"summary": options}))
    decoder, weights = made.heads["summary"].decoder, load_file(tmp_path / "model.safetensors")
    for i in range(2):
        for ours, theirs in (("attention.key", "attention.self.key"), ("up", "intermediate.dense")):
            found = decoder.blocks[i].get_parameter(f"{ours}.weight")
            assert torch.equal(found, weights[f"bert.encoder.layer.{i}.{theirs}.weight"])
    assert torch.equal(decoder.norm.bias, made.encoder.embeddings.norm.bias)
    assert torch.equal(decoder.position.weight, made.encoder.embeddings.position.weight[:12])
    crossing = decoder.blocks[0].cross_attention.key.weight
    assert not torch.equal(crossing, decoder.blocks[0].attention.key.weight)
    assert decoder.blocks[2].up.weight.std() < 0.1  # there is no third layer to begin with
