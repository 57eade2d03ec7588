import pickle
import resource
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from pipeline.dataset import WindowBatch, Windows, collate
from pipeline.encode import Tokens, encode, tokenize
from tests import tiny

TOKENIZER = tiny.tokenizer()
CONFIG = tiny.config(mixers=["sliding", "distance"])


@pytest.fixture
def documents() -> list[Tokens]:
    texts = [tiny.long_text(n, seed=n) for n in (3, 60, 0, 12, 25, 1, 90)]
    return [tokenize(tiny.document(text), TOKENIZER) for text in texts]


def loaded(documents: list[Tokens], budget: int, workers: int = 0) -> list[WindowBatch]:
    dataset = Windows(documents, TOKENIZER, CONFIG, budget)
    return list(DataLoader(dataset, batch_size=None, num_workers=workers))


def contents(batches: list[WindowBatch]) -> dict[tuple[int, tuple[int, int]], list[int]]:
    """The token ids of every window, by its document and span; each may come once only."""
    found: dict[tuple[int, tuple[int, int]], list[int]] = {}
    for each in batches:
        for i, key in enumerate(zip(each.documents, each.spans, strict=True)):
            assert key not in found
            found[key] = each.batch.input_ids[each.batch.window_of == i].tolist()
    return found


def wanted(documents: list[Tokens]) -> dict[tuple[int, tuple[int, int]], list[int]]:
    return {
        (i, (window.start, window.stop)): window.input_ids.tolist()
        for i, tokens in enumerate(documents)
        for window in encode(tokens, TOKENIZER, CONFIG)
    }


@pytest.mark.parametrize("budget", [1, 40, 100, 10_000])
def test_every_window_comes_once_within_the_budget(documents: list[Tokens], budget: int) -> None:
    batches = loaded(documents, budget)
    assert contents(batches) == wanted(documents)
    for each in batches:
        assert len(each.documents) == 1 or len(each.batch.input_ids) <= budget
    if budget == 1:
        assert all(len(each.documents) == 1 for each in batches)
    if budget == 10_000:
        assert len(batches) == 1


def test_a_batch_is_filled_while_the_next_window_fits(documents: list[Tokens]) -> None:
    batches = loaded(documents, 100)
    for each, following in pairwise(batches):
        next_window = int((following.batch.window_of == 0).sum())
        assert len(each.batch.input_ids) + next_window > 100


def test_two_workers_give_the_same_windows(documents: list[Tokens]) -> None:
    assert contents(loaded(documents, 100, workers=2)) == wanted(documents)


def test_more_workers_than_documents(documents: list[Tokens]) -> None:
    assert contents(loaded(documents[:1], 100, workers=2)) == wanted(documents[:1])


def test_a_batch_of_many_windows_needs_few_open_files() -> None:
    documents = [tokenize(tiny.document("by"), TOKENIZER)] * 400
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limit[1]))
    try:
        [batch] = loaded(documents, 10_000, workers=1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    assert len(batch.documents) == 400


def test_no_documents_give_no_batches() -> None:
    assert loaded([], 100) == []


def test_a_data_set_can_be_sent_to_a_worker(documents: list[Tokens]) -> None:
    dataset = Windows(documents, TOKENIZER, CONFIG, 100)
    assert contents(list(pickle.loads(pickle.dumps(dataset)))) == wanted(documents)


def test_windows_are_laid_end_to_end(documents: list[Tokens]) -> None:
    windows = [next(encode(documents[i], TOKENIZER, CONFIG)) for i in (0, 2, 3)]
    batch = collate(windows)
    lengths = [len(window) for window in windows]
    total = sum(lengths)
    assert batch.first.tolist() == [0, lengths[0], lengths[0] + lengths[1]]
    assert batch.input_ids[batch.first].tolist() == [2, 2, 2]
    assert batch.window_of.tolist() == [i for i, n in enumerate(lengths) for _ in range(n)]
    for name in ("input_ids", "positions", "boxes", "pages", "shapes"):
        assert getattr(batch, name).tolist() == np.concatenate([getattr(w, name) for w in windows]).tolist()
    assert (batch.boxes.dtype, batch.boxes.shape) == (torch.float32, (total, 4))
    assert batch.targets == {}
    for plan in batch.plans.values():
        assert [(w.start, w.stop) for w, _ in plan.windows] == [
            (first, first + n) for first, n in zip(batch.first.tolist(), lengths, strict=True)
        ]
        assert plan.blocks[-1].rows.stop == total


def test_targets_are_laid_end_to_end(documents: list[Tokens]) -> None:
    windows = [next(encode(documents[i], TOKENIZER, CONFIG)) for i in (0, 3)]
    targets: list[dict[str, Any]] = [
        {"document_class": np.array([i]), "nda": np.arange(len(window))} for i, window in enumerate(windows)
    ]
    batch = collate(windows, targets)
    assert batch.targets["document_class"].tolist() == [0, 1]
    assert batch.targets["nda"].tolist() == [*range(len(windows[0])), *range(len(windows[1]))]
