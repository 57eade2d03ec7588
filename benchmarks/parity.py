"""Published models and ours on their weights: same input, same output, same gradients.

    python benchmarks/parity.py [--models bert longformer …] [--json]

transformers' own models with a head, 64 channels and 3 layers, all weights drawn at random and large enough to count,
saved and imported. Largest differences of any hidden state and any logit at any of the lengths; Longformer's and LED's
window is 512 and tokens 0, 1 and 50 are global. Gradients are those of the head's loss at the middle length, in train
mode without dropout: the largest difference of any weight's, as a share of the largest gradient. Exits 1 where anything
is more than 1e-4 apart.
"""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from benchmarks._report import Row, print_markdown, report
from models.model import LongleafModel
from tests.models.published import peers

TOLERANCE = 1e-4
GLOBAL = (0, 1, 50)
COLUMNS = ("model", "keys used", "hidden states", "logits", "gradients", "tokens")
TEXT = torch.arange(10, 74)[None]  # what LED is to write
_SIZES: dict[str, Any] = {"hidden_size": 64, "num_hidden_layers": 3, "intermediate_size": 256}
_LED = {"d_model": 64, "encoder_layers": 3, "decoder_layers": 3, "encoder_ffn_dim": 256, "decoder_ffn_dim": 256}
_LED_REACH = {"max_encoder_position_embeddings": 4096, "max_decoder_position_embeddings": 64}


@dataclass(frozen=True)
class Case:
    """changes: to the configuration of `peers`.  lengths: tokens of the documents."""

    changes: Mapping[str, Any]
    lengths: tuple[int, ...]


CASES = {
    "bert": Case(_SIZES | {"max_position_embeddings": 512}, (100, 333, 512)),
    "roberta": Case(_SIZES | {"max_position_embeddings": 514}, (100, 333, 512)),
    "layoutlm": Case(_SIZES | {"max_position_embeddings": 512}, (100, 333, 512)),
    "longformer": Case(
        _SIZES | {"max_position_embeddings": 4098, "attention_window": 512}, (100, 512, 1300, 2048, 4096)
    ),
    "led": Case(_LED | _LED_REACH | {"attention_window": 512}, (100, 512, 1300, 2048, 4096)),
    "fnet": Case(_SIZES | {"max_position_embeddings": 4096}, (100, 333, 512, 1300, 4096)),
}


@dataclass(frozen=True)
class Measured:
    """The largest differences of a model. keys: how many of the checkpoint's were used, and how many there are."""

    name: str
    keys: tuple[int, int]
    hidden: float
    logits: float
    gradients: float
    lengths: tuple[int, ...]


def measure(family: str) -> Measured:
    """transformers' model and ours, at every length."""
    case = CASES[family]
    published = peers.peer(family, **case.changes)
    with TemporaryDirectory() as folder:
        ours, account = peers.imported(published, Path(folder))
    hidden, logits = 0.0, 0.0
    with torch.no_grad():
        for length in case.lengths:
            wanted, found = answers(family, published, ours, length)
            hidden = max(hidden, _apart(found[0], peers.hidden_of(wanted)[0]))
            logits = max(logits, _apart(found[1], wanted.logits.squeeze(0)))
    keys = len(account.used), len(account.used) + len(account.unused)
    gradients = gradient_difference(family, published, ours, case.lengths[len(case.lengths) // 2])
    return Measured(type(published).__name__, keys, hidden, logits, gradients, case.lengths)


def answers(
    family: str,
    published: Any,  # noqa: ANN401 (one of transformers' models)
    ours: LongleafModel,
    length: int,
) -> tuple[Any, tuple[Tensor, Tensor, Tensor]]:
    """What theirs says of a document, and ours: hidden states, logits and loss."""
    tokens, boxes = peers.ids(length), peers.boxes(length)
    head, labels = ("summary", TEXT) if family == "led" else ("mlm", peers.ids(length, seed=2)[None])
    layout = peers.layout(family, boxes)
    wanted = peers.ask(family, published, [tokens], GLOBAL, labels=labels, **layout)
    batch = peers.batch(ours.config, [tokens], GLOBAL, boxes)
    found = ours(replace(batch, targets={head: labels if family == "led" else labels[0]}))
    return wanted, (found.hidden_states, found.logits[head].squeeze(0), found.loss)


def gradient_difference(family: str, published: Any, ours: LongleafModel, length: int) -> float:  # noqa: ANN401
    """The largest difference of gradients as a share of the largest, dropout being 0."""
    wanted, (*_, loss) = answers(family, published.train(), ours.train(), length)
    wanted.loss.backward()
    loss.backward()
    pairs = [(found, theirs) for _, found, theirs in peers.gradients(ours, published)]
    largest = max(float(theirs.abs().max()) for _, theirs in pairs)
    return max(_apart(found, theirs) for found, theirs in pairs) / largest


def _apart(found: Tensor, wanted: Tensor) -> float:
    assert found.shape == wanted.shape
    return float((found - wanted).abs().max())


def cells(row: Measured) -> list[str]:
    """A row of the table."""
    used, given = row.keys
    differences = [f"{number:.1e}" for number in (row.hidden, row.logits, row.gradients)]
    return [row.name, f"{used} of {given}", *differences, ", ".join(f"{length:,}" for length in row.lengths)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = {family: measure(family) for family in options.models}
    if options.json:
        parts = ("hidden", "logits", "gradients")
        report(
            [Row(f"parity-{name}-{part}", getattr(rows[name], part), TOLERANCE) for name in rows for part in parts],
            True,
        )
    else:
        print_markdown(COLUMNS, [cells(row) for row in rows.values()])
    far = [name for name, row in rows.items() if max(row.hidden, row.logits, row.gradients) > TOLERANCE]
    if far:
        sys.exit(f"More than {TOLERANCE} apart: {', '.join(far)}")


if __name__ == "__main__":
    main()
