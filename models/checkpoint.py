"""Weights in and out: save, load, and what begins with a published checkpoint."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers.utils.logging import disable_progress_bar

from models.config import LongleafConfig
from models.model import LongleafModel
from models.published import Published, describe, windows
from models.translate import Account, brought, fill
from models.weights import read_published, read_safetensors


def save(model: LongleafModel, folder: Path, dtype: torch.dtype = torch.float16) -> None:
    """Write config.json and model.safetensors in `dtype`; the model itself is left as it is."""
    kept = {name: weight.clone() for name, weight in model.state_dict().items()}
    compact = {n: w.to(dtype) if w.is_floating_point() else w for n, w in kept.items()}
    disable_progress_bar()  # type: ignore[no-untyped-call]  # it would show one for a single file
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
        model.load_state_dict(read_safetensors(folder / "model.safetensors"))
    except RuntimeError as error:
        raise ValueError(f"{folder} does not fit its own configuration: {error}") from error
    nn.Module.to(model, device)
    nn.Module.eval(model)
    return model


def published_config(source: Path) -> dict[str, Any]:
    """The arguments of `LongleafConfig` that are a published checkpoint's, heads excepted.

    Raises OSError for a folder without config.json, ValueError for a model that cannot be ours.
    """
    return _describe(source).config


def import_published(source: Path, max_tokens: int | None = None) -> tuple[LongleafModel, Account]:
    """A published checkpoint as one of ours, in eval mode, and what became of its keys.

    It answers as the original does: with the heads it brings, windows as long as its positions reach, and layout that
    adds nothing. max_tokens: longer windows, over which its positions are repeated. Raises OSError for a folder that
    lacks files, ValueError for what cannot be ours and as `models.translate.fill` does.
    """
    published, weights = _describe(source), read_published(source)
    heads = brought(weights, published)
    wanted = {name: published.heads[name].options for name in heads}
    longer = windows(max_tokens) if max_tokens else {}
    model = LongleafModel(LongleafConfig(**{**published.config, **longer}, heads=wanted))
    account = _fill(source, model, weights, published, heads)
    nn.Module.eval(model)
    return model, account


def warm_start(source: Path, config: LongleafConfig) -> LongleafModel:
    """A model of the configuration with the words, positions and layers of a published checkpoint.

    Of the configuration's heads those have published weights that the checkpoint brings under the same name, with the
    same options; all others are new. Raises as `import_published` does, and ValueError for a checkpoint of other sizes
    than the configuration's.
    """
    published, weights = _describe(source), read_published(source)
    ours, theirs = config.num_attention_heads, published.config.get("num_attention_heads")
    if config.attention_kinds and theirs not in (None, ours):
        raise ValueError(f"{source}: its layers have {theirs} attention heads, those of the configuration {ours}")
    found = brought(weights, published)
    heads = [name for name in found if config.heads.get(name) == published.heads[name].options]
    model = LongleafModel(config)
    _fill(source, model, weights, published, heads)
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


def _describe(source: Path) -> Published:
    if not (source / "config.json").is_file():
        raise FileNotFoundError(f"{source} holds no model: it has no config.json")
    try:
        return describe(json.loads((source / "config.json").read_text("utf-8")))
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error


def _fill(
    source: Path, model: LongleafModel, weights: Mapping[str, Tensor], published: Published, heads: list[str]
) -> Account:
    try:
        return fill(model, weights, published, heads)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error
