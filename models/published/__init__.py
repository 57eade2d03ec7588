"""Published checkpoints: each file tells what transformers' models of one `model_type` are in our terms.

A file holds a function `describe(config) → Published`, config being a checkpoint's in transformers' own class. It
raises ValueError for a checkpoint that ours cannot be. `models.translate` does the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from transformers import CONFIG_MAPPING

from models.registry import names, pick


@dataclass(frozen=True)
class Table:
    """Where weights come from.

    keys: ours ← theirs.  tied: those of theirs that repeat another of theirs.  optional: those of theirs that may be
    absent; ours are then as in a new model.
    """

    keys: Mapping[str, str]
    tied: Mapping[str, str] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Positions:
    """Their learned positions, in the rows of `key`.

    skipped: rows before the first token's; RoBERTa's first follows that of padding.  token_types: the key of the token
    types, of which every token here has the first; None where there are none.
    """

    key: str
    skipped: int = 0
    token_types: str | None = None

    @property
    def keys(self) -> list[str]:
        """All keys of theirs that go into our positions."""
        return [self.key, *([self.token_types] if self.token_types else [])]


@dataclass(frozen=True)
class Head:
    """A head they bring.  options: its entry in `LongleafConfig.heads`."""

    options: dict[str, Any]
    table: Table


@dataclass(frozen=True)
class Published:
    """A published model in our terms. Keys are written without the prefix.

    config: the arguments of its `LongleafConfig`, heads excepted.  prefix: what stands before the encoder's keys where
    the checkpoint has a task on top.  heads: by name; a checkpoint has those of whose keys it has any.
    unused: patterns of keys that have no place in ours, and why.
    """

    config: dict[str, Any]
    prefix: str
    encoder: Table
    positions: Positions
    heads: Mapping[str, Head]
    unused: Mapping[str, str]


def describe(config: object) -> Published:
    """What the checkpoint with this config.json is in our terms.

    Raises ValueError for a model type that no file here tells of, and for what ours cannot be.
    """
    known = names(__name__)
    kind = config.get("model_type") if isinstance(config, dict) else None
    if not isinstance(config, dict) or kind not in known:
        raise ValueError(f"a checkpoint of type {kind!r} cannot be read; types that can: {', '.join(known)}")
    try:
        theirs = CONFIG_MAPPING[kind].from_dict(config)
    except Exception as error:  # whatever transformers raises for what it does not understand
        raise ValueError(f"its config.json is not that of a checkpoint of type {kind!r}: {error}") from error
    described: Published = pick(__name__, kind).describe(theirs)
    return described


def windows(length: int) -> dict[str, Any]:
    """Windows as long as the learned positions reach, an eighth of them shared with the next."""
    return {"max_tokens": length, "overlap": length // 8}
