"""The models there are: folders holding `config.json` and `model.safetensors`. Looks at files only; loads nothing.

Shipped models lie in `app/weights/<name>/`; any other folder of such folders may be looked through as well.
"""

import json
import math
import re
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.types import tasks_of

if TYPE_CHECKING:
    from app.batcher import Predictor

SHIPPED = Path(__file__).parent / "weights"
NEEDED = ("config.json", "model.safetensors")


class NoModelError(ValueError):
    """There is no model where one was looked for, or it cannot be opened; `str(error)` is one sentence."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a model's files say of it.

    tasks: which of "classify", "extract" and "summarize" it can do.  parameters: numbers held.  size_bytes: of the
    weights on disk.
    """

    name: str
    path: Path
    version: str
    tasks: tuple[str, ...]
    classes: tuple[str, ...]
    schemas: tuple[str, ...]
    max_tokens: int | None
    parameters: int
    size_bytes: int


def is_model(folder: Path) -> bool:
    """Whether the folder holds the files of a model."""
    return all((folder / name).is_file() for name in NEEDED)


def models_in(folder: Path) -> list[Path]:
    """The models in a folder, oldest first: by name, numbers compared as numbers. None if there is no such folder."""
    if not folder.is_dir():
        return []
    return sorted((f for f in folder.iterdir() if is_model(f)), key=lambda f: _natural(f.name))


def find_model(asked: Path | None, shipped: Path = SHIPPED) -> Path:
    """The folder of the model asked for, or the newest shipped one. Raises NoModelError."""
    if asked is None:
        if found := models_in(shipped):
            return found[-1]
        raise NoModelError("No model is shipped with this installation; name one with --model or LONGLEAF_MODEL.")
    if not asked.exists():
        raise NoModelError(f"There is no model at {asked}: no such folder.")
    if not is_model(asked):
        raise NoModelError(f"{asked} is not a model: it needs the files {' and '.join(NEEDED)}.")
    return asked


def open_model(folder: Path, device: str | None = None) -> "Predictor":
    """Load a model; takes seconds. Raises NoModelError where its files cannot be understood."""
    from safetensors import SafetensorError

    from pipeline.predict import Predictor

    try:
        return Predictor(folder, device)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise NoModelError(f"The model at {folder} cannot be opened: {_first_line(error)}") from error


def describe(folder: Path) -> Listing:
    """What the model's own files say of it. Raises NoModelError where they cannot be read."""
    try:
        config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
        heads = config.get("heads", {})
        weights = folder / "model.safetensors"
        return Listing(
            name=folder.name,
            path=folder,
            version=str(config.get("version", "")),
            tasks=tasks_of(heads.values()),
            classes=tuple(label for head in heads.values() if head["kind"] == "classify" for label in head["labels"]),
            schemas=tuple(name for name, head in heads.items() if head["kind"] == "label"),
            max_tokens=config.get("max_tokens"),
            parameters=_parameters(weights),
            size_bytes=weights.stat().st_size,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise NoModelError(f"The model at {folder} cannot be read: {_first_line(error)}") from error


def list_models(folders: Iterable[Path], warn: Callable[[str], None]) -> list[Listing]:
    """Every model in these folders; one that cannot be read is told of and left out."""
    listings = []
    for path in (model for folder in folders for model in models_in(folder)):
        try:
            listings.append(describe(path))
        except NoModelError as error:
            warn(str(error))
    return listings


def _parameters(weights: Path) -> int:
    """Numbers held in a safetensors file, by its header: 8 bytes of length, then JSON with each tensor's shape."""
    with weights.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(min(length, weights.stat().st_size)))
    return sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
