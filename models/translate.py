"""Published weights into a model, every key accounted for."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch

import torch
from torch import Tensor

from models.config import LongleafConfig
from models.model import LongleafModel
from models.published import Positions, Published

_LEGACY = {"gamma": "weight", "beta": "bias"}  # of norms, in BERT's first checkpoints
# What a published encoder may know nothing of: it adds zero in a new model, and heads are there to be trained.
_NEW = ("heads.", "encoder.embeddings.page.", "encoder.embeddings.shape.", "encoder.embeddings.layout.")
_PROJECTION, _POSITIONS = "encoder.embeddings.projection", "encoder.embeddings.position.weight"
_DECODER = re.compile(
    r"heads\.\w+\.decoder\.(blocks\.\d+\.(?:attention|attention_norm|up|down|output_norm)\..+|norm\..+)"
)
_ATTENTION = re.compile(r"encoder\.blocks\.(\d+)\.attention\.")
_NAMED = 10  # keys that an error names


@dataclass(frozen=True)
class Account:
    """What became of a checkpoint's keys.

    used: all whose numbers the model has.  unused: the others, and why.  positions: how many learned ones there were.
    """

    used: tuple[str, ...]
    unused: dict[str, str]
    positions: int


def brought(weights: Iterable[str], published: Published) -> list[str]:
    """The heads a checkpoint with these keys brings."""
    given = {_plain(name, published.prefix) for name in weights}
    return [name for name, head in published.heads.items() if given & {*head.table.keys.values()}]


def fill(model: LongleafModel, weights: Mapping[str, Tensor], published: Published, heads: Collection[str]) -> Account:
    """Give the model the published weights.

    heads: the published heads that it is to have.  Positions are copied one after the other up to `max_tokens`, as
    Longformer's were (arXiv:2004.05150 section 5). A new decoder begins with the encoder's layers. What else the
    checkpoint knows nothing of starts so that it changes nothing; attention is left behind where a layer mixes without
    weights.

    Raises ValueError for keys that have no place here, are missing, of another shape, or not the copies they should be.
    """
    given = {_plain(name, published.prefix): weight.float() for name, weight in weights.items()}
    ours = model.state_dict()
    tables = [published.encoder, *(published.heads[name].table for name in heads)]
    keys = {mine: its for table in tables for mine, its in table.keys.items() if mine in ours}
    copies = {its: other for table in tables for its, other in table.tied.items()}
    optional = {its for table in tables for its in table.optional}
    unused = _unused(given, published, heads, model.config)
    needed = {*keys.values(), *published.positions.keys}
    _refuse(
        {
            "no place for": given.keys() - needed - copies.keys() - unused.keys(),
            "missing": needed - optional - given.keys(),
            "no copy": [its for its, other in copies.items() if its in given and not _same(given, its, other)],
        }
    )
    state = {mine: _like(given[its], ours[mine]) for mine, its in keys.items() if its in given}
    state[_POSITIONS] = _repeated(given, published.positions, model.config.max_tokens)
    state |= _undisturbing(state, ours)
    state |= _decoders(given, published, state, ours)
    _refuse(
        {
            "missing": [name for name in ours.keys() - state.keys() if not name.startswith(_NEW)],
            "of another shape": [
                f"{name} {tuple(weight.shape)}, here {tuple(ours[name].shape)}"
                for name, weight in state.items()
                if weight.shape != ours[name].shape
            ],
        }
    )
    model.load_state_dict(state, strict=False)
    count = len(given[published.positions.key]) - published.positions.skipped
    return Account(tuple(sorted(given.keys() - unused.keys())), unused, count)


def _plain(name: str, prefix: str) -> str:
    """A key without the prefix of its encoder, a norm's parts under the names of today."""
    *path, last = name.removeprefix(prefix).split(".")
    return ".".join([*path, _LEGACY.get(last, last)])


def _unused(
    given: Iterable[str], published: Published, heads: Collection[str], config: LongleafConfig
) -> dict[str, str]:
    """The keys with no place in the model that are known to have none, and why."""
    others = [head.table for name, head in published.heads.items() if name not in heads]
    known = {its: "the model has no such head" for table in others for its in (*table.keys.values(), *table.tied)}
    known |= {its: why for mine, its in published.encoder.keys.items() if (why := _left_behind(mine, config))}
    patterns = {its: why for its in given for pattern, why in published.unused.items() if fnmatch(its, pattern)}
    return {its: why for its, why in (known | patterns).items() if its in given}


def _left_behind(ours: str, config: LongleafConfig) -> str:
    """Why a layer of the model does without a weight; empty where it does not."""
    found = _ATTENTION.match(ours)
    if not found or (layer := int(found[1])) >= config.num_hidden_layers:
        return ""
    if config.layer_mixers[layer] not in config.attention_kinds:
        return "its layer mixes without weights"
    return "" if config.global_projections or "_global." not in ours else "global tokens are projected as the others"


def _refuse(wrong: Mapping[str, Collection[str]]) -> None:
    """Raise ValueError where there is anything wrong."""
    told = [f"{what} {_listed(found)}" for what, found in wrong.items() if found]
    if told:
        raise ValueError(f"the weights do not fit: {'; '.join(told)}")


def _listed(found: Collection[str]) -> str:
    more = len(found) - _NAMED
    return ", ".join(sorted(found)[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _same(given: Mapping[str, Tensor], its: str, other: str) -> bool:
    return other in given and torch.equal(given[its], given[other])


def _like(weight: Tensor, ours: Tensor) -> Tensor:
    """The weight without the batch dimension that transformers gives some."""
    return weight[0] if weight.ndim > ours.ndim and len(weight) == 1 else weight


def _repeated(given: Mapping[str, Tensor], positions: Positions, length: int) -> Tensor:
    """(length, hidden): the learned positions, repeated, plus the type of every token."""
    learned = given[positions.key][positions.skipped :]
    repeated = learned.repeat(-(-length // len(learned)), 1)[:length]
    return repeated + given[positions.token_types][0] if positions.token_types else repeated


def _undisturbing(state: Mapping[str, Tensor], ours: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights in the way of the published ones that let them through: the projection of the embeddings is the identity,
    and global tokens' projections are those of the others."""
    found = {name: state[plain] for name in ours if (plain := name.replace("_global.", ".")) in state}
    if f"{_PROJECTION}.weight" in ours:
        size = len(ours[f"{_PROJECTION}.weight"])
        found |= {f"{_PROJECTION}.weight": torch.eye(size), f"{_PROJECTION}.bias": torch.zeros(size)}
    return {name: weight for name, weight in found.items() if name not in state}


def _decoders(
    given: Mapping[str, Tensor], published: Published, state: Mapping[str, Tensor], ours: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """New decoders begin as the encoder: words before a word are read alike in both (BERT2BERT, arXiv:1907.12461
    section 3). Their attention over the encoder is new."""
    found: dict[str, Tensor] = {}
    for name, weight in ours.items():
        if part := _DECODER.fullmatch(name):
            place = part[1] if part[1].startswith("blocks.") else f"embeddings.{part[1]}"
            its = published.encoder.keys.get(f"encoder.{place}", "")
            found |= {name: given[its]} if its in given else {}
        elif name.startswith("heads.") and name.endswith(".decoder.position.weight"):
            found[name] = state[_POSITIONS][: len(weight)]
    return {name: w for name, w in found.items() if name not in state and w.shape == ours[name].shape}
