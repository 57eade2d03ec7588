"""From documents to batches, in torch DataLoader workers: tokens, windows and attention plans are made there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from torch.utils.data import IterableDataset

from models.attention.pack import pack_plans
from models.batch import Batch
from models.config import LongleafConfig
from pipeline.encode import EncodedDocument, Tokens, encode

Targets = Mapping[str, NDArray[np.int64]]
NOT_LABELLED = -100


@dataclass(frozen=True)
class WindowBatch:
    """A batch and what its windows are: the document each comes from and its tokens' place there."""

    documents: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    batch: Batch

    def pin_memory(self) -> "WindowBatch":
        """The same in page-locked memory; torch's DataLoader calls this."""
        return WindowBatch(self.documents, self.spans, self.batch.pin_memory())


def collate(windows: Sequence[EncodedDocument], targets: Sequence[Targets] = ()) -> Batch:
    """Windows laid end to end. targets: for each window, arrays to be laid end to end under their head's name, rows
    filled up with -100 to the longest; every window has the same heads."""
    lengths = [len(window) for window in windows]
    return Batch(
        input_ids=_join([w.input_ids for w in windows]),
        positions=_join([w.positions for w in windows]),
        boxes=_join([w.boxes for w in windows]),
        pages=_join([w.pages for w in windows]),
        shapes=_join([w.shapes for w in windows]),
        window_of=_join([np.full(n, i) for i, n in enumerate(lengths)]),
        first=torch.tensor([0, *lengths[:-1]]).cumsum(0),
        plans={name: pack_plans([w.plans[name] for w in windows]) for name in windows[0].plans},
        targets={name: _join(_filled([t[name] for t in targets])) for name in (targets[0] if targets else ())},
    )


def _filled(arrays: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Arrays of rows, all as wide as the widest; others as they are."""
    if arrays[0].ndim == 1:
        return list(arrays)
    width = max(array.shape[1] for array in arrays)
    return [np.pad(a, ((0, 0), (0, width - a.shape[1])), constant_values=NOT_LABELLED) for a in arrays]


def _join(arrays: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(np.concatenate(arrays))


class Windows(IterableDataset[WindowBatch]):
    """The windows of documents in batches of at most `budget` tokens (one window at least).

    With several workers, each takes every n-th document.
    """

    def __init__(self, documents: Sequence[Tokens], tokenizer: Tokenizer, config: LongleafConfig, budget: int) -> None:
        super().__init__()
        self.documents, self.tokenizer, self.config, self.budget = documents, tokenizer, config, budget

    def __iter__(self) -> Iterator[WindowBatch]:
        """Batches, collated."""
        info = torch.utils.data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        held: list[tuple[int, EncodedDocument]] = []
        for index in range(first, len(self.documents), step):
            for window in encode(self.documents[index], self.tokenizer, self.config):
                if held and sum(len(w) for _, w in held) + len(window) > self.budget:
                    yield _batch(held)
                    held = []
                held.append((index, window))
        if held:
            yield _batch(held)


def _batch(held: list[tuple[int, EncodedDocument]]) -> WindowBatch:
    windows = [window for _, window in held]
    return WindowBatch(tuple(i for i, _ in held), tuple((w.start, w.stop) for w in windows), collate(windows))
