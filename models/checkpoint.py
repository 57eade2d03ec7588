"""Weights in and out: save, load, and the warm start from a published BERT-type checkpoint."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from models.config import LongleafConfig
from models.model import LongleafModel

# Ours ← BERT's (transformers' names). Position and token-type embeddings are joined in `_positions`.
_EMBEDDINGS = {
    "word.weight": "word_embeddings.weight",
    "norm.weight": "LayerNorm.weight",
    "norm.bias": "LayerNorm.bias",
}
_LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "output_norm": "output.LayerNorm",
}
_UNUSED = ("pooler.dense.weight", "pooler.dense.bias", "embeddings.position_ids")


def save(model: LongleafModel, folder: Path, dtype: torch.dtype = torch.float16) -> None:
    """Write config.json and model.safetensors in `dtype`; the model itself is left as it is."""
    kept = {name: weight.clone() for name, weight in model.state_dict().items()}
    compact = {n: w.to(dtype) if w.is_floating_point() else w for n, w in kept.items()}
    model.save_pretrained(folder, state_dict=compact)


def load(folder: Path, device: str = "cpu") -> LongleafModel:
    """The model saved in `folder`, in float32 and eval mode, on `device`.

    Raises OSError where the folder holds no model, ValueError where it holds another kind of model or not all of one.
    """
    if not (folder / "config.json").is_file():
        raise FileNotFoundError(f"{folder} holds no model: it has no config.json")
    kind = LongleafConfig.get_config_dict(folder)[0].get("model_type")
    if kind != LongleafConfig.model_type:
        raise ValueError(f"{folder} holds a model of type {kind!r}, not {LongleafConfig.model_type!r}")
    model = LongleafModel(LongleafConfig.from_pretrained(folder))
    try:  # not `from_pretrained`, which fills what is missing with random numbers
        model.load_state_dict(_read(folder))
    except RuntimeError as error:
        raise ValueError(f"{folder} does not fit its own configuration: {error}") from error
    nn.Module.to(model, device)
    nn.Module.eval(model)
    return model


def warm_start(source: Path, config: LongleafConfig) -> LongleafModel:
    """A model with the words, positions and layers of a BERT-type checkpoint; everything new starts at zero.

    The learned positions are copied one after the other up to `config.max_tokens`, as Longformer did
    (arXiv:2004.05150 section 5). Raises ValueError for a checkpoint with keys that have no place here, or with sizes
    other than the configuration's.
    """
    published = {name.removeprefix("bert."): w.float() for name, w in _read(source).items()}
    state = _translate(published, config)
    model = LongleafModel(config)
    try:
        missing, unexpected = model.load_state_dict(state, strict=False)
    except RuntimeError as error:
        raise ValueError(f"{source} does not fit the configuration: {error}") from error
    ours = ("heads.", "encoder.embeddings.page.", "encoder.embeddings.shape.", "encoder.embeddings.layout.")
    strangers = [*unexpected, *(name for name in missing if not name.startswith(ours))]
    if strangers:
        raise ValueError(f"{source} does not fit the configuration: {', '.join(strangers)}")
    return model


def with_heads(
    model: LongleafModel, heads: Mapping[str, dict[str, Any]], schema_of_class: Mapping[str, str]
) -> LongleafModel:
    """The model with those of the heads it has not yet, newly initialised; the others keep their weights and labels."""
    config = LongleafConfig.from_dict(model.config.to_dict())
    config.heads = {**heads, **config.heads}
    config.schema_of_class = {**schema_of_class, **config.schema_of_class}
    grown = LongleafModel(config)
    grown.load_state_dict(model.state_dict(), strict=False)
    return grown


def _read(folder: Path) -> dict[str, Tensor]:
    """The weights in a folder; ValueError where the file is damaged."""
    try:
        return load_file(folder / "model.safetensors")
    except SafetensorError as error:
        raise ValueError(f"{folder / 'model.safetensors'} is damaged: {error}") from error


def _translate(published: Mapping[str, Tensor], config: LongleafConfig) -> dict[str, Tensor]:
    """BERT's weights under our names; raises ValueError unless every key is used or known to be unused."""
    names = {f"encoder.embeddings.{ours}": f"embeddings.{theirs}" for ours, theirs in _EMBEDDINGS.items()}
    for i in range(config.num_hidden_layers):
        for ours, theirs in _LAYER.items():
            for part in ("weight", "bias"):
                names[f"encoder.blocks.{i}.{ours}.{part}"] = f"encoder.layer.{i}.{theirs}.{part}"
    joined = {"embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight"}
    used = {*names.values(), *joined}
    unknown, absent = published.keys() - used - set(_UNUSED), used - published.keys()
    if unknown or absent:
        raise ValueError(f"not the BERT checkpoint expected: no place for {sorted(unknown)}, missing {sorted(absent)}")
    state = {ours: published[theirs] for ours, theirs in names.items()}
    state["encoder.embeddings.position.weight"] = _positions(published, config.max_tokens)
    return state


def _positions(published: Mapping[str, Tensor], length: int) -> Tensor:
    """(length, hidden): the learned positions repeated, plus the token type every token here has (BERT's first)."""
    learned = published["embeddings.position_embeddings.weight"]
    repeated = learned.repeat(-(-length // len(learned)), 1)[:length]
    return repeated + published["embeddings.token_type_embeddings.weight"][0]
