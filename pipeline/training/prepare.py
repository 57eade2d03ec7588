"""Data sets → training windows: documents read, values located, targets laid on the tokens."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.utils.data import Dataset

from models.config import LongleafConfig
from models.registry import names, pick
from pipeline.cache import cached_ingest
from pipeline.dataset import NOT_LABELLED, Targets
from pipeline.encode import EncodedDocument, Tokens, cut, tokenize, window_bounds
from pipeline.errors import DocumentError
from pipeline.ingest import IngestSettings
from pipeline.plaintext import plain_document
from pipeline.training.formats import Example, open_format
from pipeline.training.locate import Located, locate
from pipeline.training.summaries import summary_target
from pipeline.types import Document

_AT_ONCE = 32  # documents that are held, read, while they wait to be used


@dataclass(frozen=True)
class Labelled:
    """A document of a data set, read: its tokens, its class, and where its values stand.

    schema: the head that `mentions` is for, None where nothing of the document is labelled but its class.
    """

    example: Example
    tokens: Tokens
    label: str | None
    schema: str | None
    mentions: tuple[Located, ...]


def read_examples(
    examples: Sequence[Example],
    cache: Path,
    settings: IngestSettings,
    on_document: Callable[[Example, Document | DocumentError], None] = lambda example, outcome: None,
) -> Iterator[tuple[Example, Document]]:
    """The documents of the examples, one after the other; a file that was read before comes from the cache.

    One that cannot be read is left out; `on_document` is told of each, read or not.
    """

    def read(example: Example) -> Document | DocumentError:
        try:
            if example.text is not None:
                return plain_document(example.path.name, example.text)
            return cached_ingest(example.path, settings, cache)
        except DocumentError as error:
            return error

    with ThreadPoolExecutor(2) as pool:
        for start in range(0, len(examples), _AT_ONCE):
            part = examples[start : start + _AT_ONCE]
            for example, outcome in zip(part, pool.map(read, part), strict=True):
                on_document(example, outcome)
                if isinstance(outcome, Document):
                    yield example, outcome


def examples_of(data: Iterable[tuple[Path, str]], limit: int | None = None) -> list[Example]:
    """The examples of (folder, split) pairs, whatever their formats.

    limit: draw no more than so many of all, the same ones every time. Raises ValueError for an unknown format or split,
    FileNotFoundError for a folder or listed document that is absent.
    """
    found = list(chain.from_iterable(open_format(folder).read(folder, split) for folder, split in data))
    return found if limit is None or limit >= len(found) else Random(0).sample(found, limit)


def label(example: Example, document: Document, tokenizer: Tokenizer) -> Labelled:
    """The document with its values located, where its schema is one of `pipeline.schemas`."""
    schema = example.schema if example.schema in names("pipeline.schemas") else None
    mentions: Sequence[Located] = ()
    if schema is not None:
        entities = pick("pipeline.schemas", schema).ENTITIES
        asked = [(name, value) for name, value in example.values if name in entities]
        mentions = locate(document, asked, {name: field["normaliser"] for name, field in entities.items()})
    tokens = tokenize(document, tokenizer)
    if schema is None:  # where words stand matters to values alone, and takes more memory than all else
        tokens = replace(tokens, refs=())
    return Labelled(example, tokens, example.label, schema, tuple(mentions))


def heads_for(documents: Sequence[Labelled]) -> tuple[dict[str, dict[str, object]], dict[str, str]]:
    """(`LongleafConfig.heads`, `LongleafConfig.schema_of_class`) for what the documents can teach.

    ValueError where some documents have one class each and others several.
    """
    heads: dict[str, dict[str, object]] = {}
    schema_of_class: dict[str, str] = {}
    one = {document.label for document in documents if document.label is not None}
    several = {label for document in documents for label in document.example.labels or ()}
    if one and several:
        raise ValueError("Some documents of the data have one class each, others several: they need a model each.")
    if one:
        heads["document_class"] = {"kind": "classify", "labels": sorted(one)}
    if several:
        heads["document_class"] = {"kind": "classify", "labels": sorted(several), "multi": True}
    for schema in sorted({d.schema for d in documents if d.schema is not None}):
        module = pick("pipeline.schemas", schema)
        heads[schema] = {"kind": "label", "entities": module.ENTITIES}
        schema_of_class |= dict.fromkeys(module.CLASSES, schema)
    return heads, schema_of_class


def tags_of(document: Labelled, entities: Sequence[str]) -> NDArray[np.int64]:
    """The BIO tag of each word, (words,): 0 is O, 1 + 2i begins entity i, 2 + 2i continues it.

    Mentions of a type that is not among the entities are left out.
    """
    place = {ref: index for index, ref in enumerate(document.tokens.refs)}
    tags = np.zeros(len(place), dtype=np.int64)
    for mention in document.mentions:
        if mention.label not in entities:
            continue
        words = [place[ref] for ref in mention.words]
        begin = 1 + 2 * entities.index(mention.label)
        tags[words] = begin + 1
        tags[words[0]] = begin
    return tags


def class_target(example: Example, head: Mapping[str, Any]) -> NDArray[np.int64]:
    """What a document says to a head of kind "classify", see there; -100 where it says nothing."""
    labels = head["labels"]
    if not head.get("multi"):
        return np.array([labels.index(example.label) if example.label in labels else NOT_LABELLED])
    if example.labels is None:
        return np.full((1, len(labels)), NOT_LABELLED)
    return np.array([[int(label in example.labels) for label in labels]])


def teaches(document: Labelled, config: LongleafConfig) -> bool:
    """Whether a head of the model can learn anything from a document."""
    classifiers = (head for head in config.heads.values() if head["kind"] == "classify")
    said = any((class_target(document.example, head) != NOT_LABELLED).any() for head in classifiers)
    writes = any(head["kind"] == "generate" for head in config.heads.values())
    return said or document.schema in config.heads or (writes and document.example.summary is not None)


class TrainingWindows(Dataset[tuple[EncodedDocument, Targets]]):
    """Windows to learn from; each is cut, and its attention planned, when a DataLoader worker asks for it.

    Of a document with located values all windows with one are taken, and of the others one in `one_in`, but one window
    at least; of a document of which only the class is known, the first window and, where there is one, the middle one;
    of a document with a summary the first alone, which is all that the decoder then learns to write it from.

    window: tokens of a window, at most the model's. A shorter one is put anywhere among the model's positions, so that
    all of them are trained.
    """

    def __init__(
        self,
        documents: Sequence[Labelled],
        tokenizer: Tokenizer,
        config: LongleafConfig,
        window: int,
        seed: int = 0,
        one_in: int = 6,
    ) -> None:
        self.documents, self.tokenizer, self.config = documents, tokenizer, config
        self.window = min(window, config.max_tokens)
        draw = np.random.default_rng(seed)
        self.tags = [self._tags(document) for document in documents]
        self.items = [(i, *bounds) for i in range(len(documents)) for bounds in self._chosen(i, draw, one_in)]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> tuple[EncodedDocument, Targets]:
        """A window and its targets for every head that learns from labels; all -100 where the document says nothing to
        that head."""
        number, start, stop = self.items[index]
        shift = int(torch.randint(self.config.max_tokens - (stop - start) - 1, ()))
        window = cut(self.documents[number].tokens, start, stop, self.tokenizer, self.config, shift)
        return window, self._targets(number, start, stop)

    def _targets(self, number: int, start: int, stop: int) -> dict[str, NDArray[np.int64]]:
        document = self.documents[number]
        targets: dict[str, NDArray[np.int64]] = {}
        for name, options in self.config.heads.items():
            if options["kind"] == "classify":
                targets[name] = class_target(document.example, options)
            elif options["kind"] == "label":
                inside = (
                    self.tags[number][start:stop] if name == document.schema else np.full(stop - start, NOT_LABELLED)
                )
                targets[name] = np.pad(inside, 1, constant_values=NOT_LABELLED)
            elif options["kind"] == "generate":
                summary = document.example.summary if start == 0 else None
                targets[name] = summary_target(summary, self.tokenizer, options)
        return targets

    def _tags(self, document: Labelled) -> NDArray[np.int64]:
        """The target of each token, (tokens,)."""
        tokens = document.tokens
        if document.schema is None:
            return np.full(len(tokens), NOT_LABELLED)
        words = tags_of(document, list(self.config.heads[document.schema]["entities"]))
        return np.where(tokens.starts_word, words[tokens.words], NOT_LABELLED)

    def _chosen(self, number: int, draw: np.random.Generator, one_in: int) -> list[tuple[int, int]]:
        document = self.documents[number]
        bounds = window_bounds(len(document.tokens), self.window, self.window // 16)
        if document.schema is None:
            if document.example.summary is not None:
                return bounds[:1]
            return bounds if len(bounds) == 1 else [bounds[0], bounds[len(bounds) // 2]]
        chosen = [(a, b) for a, b in bounds if (self.tags[number][a:b] > 0).any() or draw.integers(one_in) == 0]
        return chosen or bounds[:1]


class Groups(Dataset[list[tuple[EncodedDocument, Targets]]]):
    """The windows in groups of at most `budget` tokens each (one window at least), so that an item is a batch and short
    texts make full ones. Who is with whom is drawn once, by the seed, and stays; a Trainer shuffles the groups."""

    def __init__(self, windows: TrainingWindows, budget: int, seed: int = 0) -> None:
        self.windows = windows
        self.groups: list[list[int]] = []
        room = 0
        for index in np.random.default_rng(seed).permutation(len(windows)).tolist():
            _, start, stop = windows.items[index]
            if not self.groups or stop - start + 2 > room:
                self.groups.append([])
                room = budget
            self.groups[-1].append(index)
            room -= stop - start + 2

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, index: int) -> list[tuple[EncodedDocument, Targets]]:
        return [self.windows[window] for window in self.groups[index]]


def count_located(documents: Sequence[Labelled]) -> Mapping[str, tuple[int, int]]:
    """For each entity type: (values located at least once, values there are)."""
    found: dict[str, tuple[int, int]] = {}
    for document in documents:
        if document.schema is None:
            continue
        seen = {(mention.label, mention.value) for mention in document.mentions}
        entities = pick("pipeline.schemas", document.schema).ENTITIES
        for pair in {pair for pair in document.example.values if pair[0] in entities}:
            located, all_values = found.get(pair[0], (0, 0))
            found[pair[0]] = (located + (pair in seen), all_values + 1)
    return found
