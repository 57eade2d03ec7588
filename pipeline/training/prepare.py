"""Data sets → training windows: documents read, values located, targets laid on the tokens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.utils.data import Dataset

from models.config import LongleafConfig
from models.registry import names, pick
from pipeline.cache import cached_ingest
from pipeline.dataset import Targets
from pipeline.encode import EncodedDocument, Tokens, cut, tokenize, window_bounds
from pipeline.errors import DocumentError
from pipeline.ingest import IngestSettings
from pipeline.training.formats import Example, open_format
from pipeline.training.locate import Located, locate
from pipeline.types import Document

IGNORE = -100


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
) -> list[tuple[Example, Document]]:
    """The documents of the examples, from the cache where they were read before.

    One that cannot be read is left out; `on_document` is told of each, read or not.
    """

    def read(example: Example) -> Document | DocumentError:
        try:
            return cached_ingest(example.path, settings, cache)
        except DocumentError as error:
            return error

    found = []
    with ThreadPoolExecutor(2) as pool:
        for example, outcome in zip(examples, pool.map(read, examples), strict=True):
            on_document(example, outcome)
            if isinstance(outcome, Document):
                found.append((example, outcome))
    return found


def examples_of(data: Iterable[tuple[Path, str]]) -> list[Example]:
    """The examples of (folder, split) pairs, whatever their formats.

    Raises ValueError for an unknown format or split, FileNotFoundError for a folder or listed document that is absent.
    """
    return list(chain.from_iterable(open_format(folder).read(folder, split) for folder, split in data))


def label(example: Example, document: Document, tokenizer: Tokenizer) -> Labelled:
    """The document with its values located, where its schema is one of `pipeline.schemas`."""
    schema = example.schema if example.schema in names("pipeline.schemas") else None
    mentions: Sequence[Located] = ()
    if schema is not None:
        entities = pick("pipeline.schemas", schema).ENTITIES
        asked = [(name, value) for name, value in example.values if name in entities]
        mentions = locate(document, asked, {name: field["normaliser"] for name, field in entities.items()})
    return Labelled(example, tokenize(document, tokenizer), example.label, schema, tuple(mentions))


def heads_for(documents: Sequence[Labelled]) -> tuple[dict[str, dict[str, object]], dict[str, str]]:
    """(`LongleafConfig.heads`, `LongleafConfig.schema_of_class`) for what the documents can teach."""
    heads: dict[str, dict[str, object]] = {}
    schema_of_class: dict[str, str] = {}
    classes = sorted({d.label for d in documents if d.label is not None})
    if classes:
        heads["document_class"] = {"kind": "classify", "labels": classes}
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


class TrainingWindows(Dataset[tuple[EncodedDocument, Targets]]):
    """Windows to learn from; each is cut, and its attention planned, when a DataLoader worker asks for it.

    Of a document with located values all windows with one are taken, and of the others one in `one_in`, but one window
    at least; of a document of which only the class is known, the first window and, where there is one, the middle one.

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
        """A window and, for every head, its targets; all -100 where the document says nothing to that head."""
        number, start, stop = self.items[index]
        document = self.documents[number]
        shift = int(torch.randint(self.config.max_tokens - (stop - start) - 1, ()))
        window = cut(document.tokens, start, stop, self.tokenizer, self.config, shift)
        targets: dict[str, NDArray[np.int64]] = {}
        for name, options in self.config.heads.items():
            if options["kind"] == "classify":
                known = document.label in options["labels"]
                targets[name] = np.array([options["labels"].index(document.label) if known else IGNORE])
            else:
                inside = self.tags[number][start:stop] if name == document.schema else np.full(stop - start, IGNORE)
                targets[name] = np.pad(inside, 1, constant_values=IGNORE)
        return window, targets

    def _tags(self, document: Labelled) -> NDArray[np.int64]:
        """The target of each token, (tokens,)."""
        tokens = document.tokens
        if document.schema is None:
            return np.full(len(tokens), IGNORE)
        words = tags_of(document, list(self.config.heads[document.schema]["entities"]))
        return np.where(tokens.starts_word, words[tokens.words], IGNORE)

    def _chosen(self, number: int, draw: np.random.Generator, one_in: int) -> list[tuple[int, int]]:
        document = self.documents[number]
        bounds = window_bounds(len(document.tokens), self.window, self.window // 16)
        if document.schema is None:
            return bounds if len(bounds) == 1 else [bounds[0], bounds[len(bounds) // 2]]
        chosen = [(a, b) for a, b in bounds if (self.tags[number][a:b] > 0).any() or draw.integers(one_in) == 0]
        return chosen or bounds[:1]


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
