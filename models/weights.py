"""The weights in a folder, read without running anything that is in it."""

import json
import pickle
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

_SAFE, _PICKLED = "model.safetensors", "pytorch_model.bin"


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The tensors in a safetensors file. Raises OSError where there is none, ValueError where it is damaged."""
    try:
        return load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def read_published(folder: Path) -> dict[str, Tensor]:
    """A published checkpoint's weights: model.safetensors, else pytorch_model.bin, whole or in parts with an index.

    Raises OSError where there are none, ValueError where they are damaged or more than weights.
    """
    for name, read in ((_SAFE, read_safetensors), (_PICKLED, _read_pickled)):
        if (folder / name).is_file():
            return read(folder / name)
        if (folder / f"{name}.index.json").is_file():
            parts = [read(path) for path in _parts(folder / f"{name}.index.json")]
            return {key: weight for part in parts for key, weight in part.items()}
    raise FileNotFoundError(f"{folder} holds no weights: it has neither {_SAFE} nor {_PICKLED}")


def _parts(index: Path) -> list[Path]:
    """The files an index names. Raises ValueError for one that is not in the index's own folder."""
    try:
        found = sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))
        outside = [name for name in found if Path(name).name != name]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{index} is not an index of weights") from error
    if outside:
        raise ValueError(f"{index} names files of another folder: {', '.join(outside)}")
    return [index.parent / name for name in found]


def _read_pickled(path: Path) -> dict[str, Tensor]:
    """The tensors torch pickled, by its reader that makes tensors and nothing else."""
    try:
        read = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ValueError(f"{path} holds more than weights and is not opened") from error
    except (RuntimeError, EOFError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if not isinstance(read, dict) or not all(isinstance(weight, Tensor) for weight in read.values()):
        raise ValueError(f"{path} holds something else than weights")
    return read
