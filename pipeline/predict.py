"""Documents → predictions with provenance: the model's owner."""

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader

from models.checkpoint import load
from models.model import Output
from pipeline.dataset import WindowBatch, Windows
from pipeline.decode import find_entities
from pipeline.encode import Tokens, load_tokenizer, tokenize, window_bounds
from pipeline.summarise import memories, text_of, write
from pipeline.types import Coverage, Document, Entity, Prediction, Summary, tasks_of

_AUTO = "auto"


@dataclass(frozen=True)
class ModelInfo:
    """What a loaded model is and can tell.

    tasks: which of "classify", "extract" and "summarize" it has a head for.  schemas: the entity types of each
    extraction schema.
    """

    name: str
    version: str
    tasks: tuple[str, ...]
    classes: tuple[str, ...]
    schemas: dict[str, tuple[str, ...]]
    parameters: int
    max_tokens: int
    device: str


class _Sums:
    """What the windows of one document add up to: class scores (log-probabilities, or where a document may have several
    classes each one's log-odds), and tag probabilities of every token."""

    def __init__(self, tokens: Tokens, tags: dict[str, int]) -> None:
        self.windows = 0
        self.classes: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self.seen = np.zeros(len(tokens), dtype=np.float32)
        self.tags = {name: np.zeros((len(tokens), count), dtype=np.float32) for name, count in tags.items()}

    def scores(self, multi_label: bool) -> NDArray[np.float32]:
        """Probability of each class, (classes,), the windows' scores averaged."""
        mean = self.classes / max(self.windows, 1)
        if multi_label:
            return np.exp(-np.logaddexp(0, -mean))
        odds: NDArray[np.float32] = np.exp(mean - mean.max())
        odds /= odds.sum()
        return odds

    def words(self, schema: str, tokens: Tokens) -> NDArray[np.float32]:
        """(words, tags): a word's probabilities are its first token's; a word without tokens is outside."""
        found = np.zeros((len(tokens.refs), self.tags[schema].shape[1]), dtype=np.float32)
        found[:, 0] = 1.0
        starts = np.flatnonzero(tokens.starts_word)
        found[tokens.words[starts]] = self.tags[schema][starts] / self.seen[starts, None]
        return found


class Predictor:
    """Owns one model on one device. Not thread-safe: one thread calls it.

    info: what it is and can tell.  schemas: of each extraction schema, its entity types as `pipeline.schemas.Field`.
    multi_label: whether it may give a document several classes or none.
    """

    def __init__(self, model: Path, device: str | None = None, workers: int = 0) -> None:
        """Load the model in a folder; takes seconds.

        device: as torch names it, CUDA where there is any by default.  workers: DataLoader processes that encode
        documents and plan attention while the model computes; 0 does it in this thread, which is quickest for single
        documents.  Raises OSError or ValueError for a folder without a usable model.
        """
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._model = load(model, str(self._device))
        self._tokenizer = load_tokenizer(model)
        self._workers = workers
        heads = self._model.config.heads
        self.schemas = {name: head["entities"] for name, head in heads.items() if head["kind"] == "label"}
        self._classifier = next((name for name, head in heads.items() if head["kind"] == "classify"), None)
        self.multi_label = bool(self._classifier and heads[self._classifier].get("multi"))
        self._writer = next((name for name, head in heads.items() if head["kind"] == "generate"), None)
        self.info = ModelInfo(
            name=model.name,
            version=self._model.config.version,
            tasks=tasks_of(heads.values()),
            classes=tuple(heads[self._classifier]["labels"]) if self._classifier else (),
            schemas={name: tuple(fields) for name, fields in self.schemas.items()},
            parameters=self._model.num_parameters(),
            max_tokens=self._model.config.max_tokens,
            device=str(self._device),
        )

    def predict(
        self, documents: Sequence[Document], *, classify: bool = True, schema: str | None = None
    ) -> list[Prediction]:
        """Read documents whole, window by window; blocks.

        schema: a schema's name, "auto" for the one that belongs to the predicted class, None for no extraction.
        `seconds` of a prediction is its share, by tokens, of the time this call took. Raises ValueError for a schema
        the model has not.
        """
        if schema not in (None, _AUTO, *self.info.schemas):
            raise ValueError(f"There is no schema {schema!r}; there are: {', '.join(self.info.schemas)}.")
        started = time.perf_counter()
        encoded = [tokenize(document, self._tokenizer) for document in documents]
        classify = classify or schema == _AUTO
        sums = self._run(encoded, classify, schema)
        found = [self._answer(*parts, classify, schema) for parts in zip(documents, encoded, sums, strict=True)]
        shares = _shares(encoded, time.perf_counter() - started)
        return [self._prediction(*parts) for parts in zip(documents, encoded, sums, found, shares, strict=True)]

    def summarise(self, documents: Sequence[Document], *, beams: int = 4, max_new_tokens: int = 256) -> list[Summary]:
        """Read documents whole, window by window, and put each into words; blocks.

        beams: how many beginnings of a summary are followed at a time.  max_new_tokens: the longest summary; the
        decoder's own limit holds as well. `seconds` as in `predict`. Raises ValueError for a model without a decoder.
        """
        if self._writer is None:
            raise ValueError("The model cannot summarise.")
        started = time.perf_counter()
        config = self._model.config
        encoded = [tokenize(document, self._tokenizer) for document in documents]
        with torch.inference_mode(), self._precision():
            read = ((windows, output.hidden_states) for windows, output in self._read(encoded, ()))
            memory = memories(encoded, read, config.overlap)
            written = list(write(self._model, self._writer, memory, self._budget, beams, max_new_tokens))
        shares = _shares(encoded, time.perf_counter() - started)
        return [
            Summary(
                name=document.name,
                sha256=document.sha256,
                coverage=_coverage(
                    document, tokens, len(window_bounds(len(tokens), config.max_tokens, config.overlap))
                ),
                text=text_of(ids, self._tokenizer),
                model=self._signature,
                seconds=seconds,
            )
            for document, tokens, ids, seconds in zip(documents, encoded, written, shares, strict=True)
        ]

    def _run(self, encoded: Sequence[Tokens], classify: bool, schema: str | None) -> list[_Sums]:
        """Every window of every document through the model, once."""
        labellers = list(self.info.schemas) if schema == _AUTO else [schema] if schema else []
        tags = {name: 1 + 2 * len(self.info.schemas[name]) for name in labellers}
        sums = [_Sums(tokens, tags) for tokens in encoded]
        heads = [*([self._classifier] if classify and self._classifier else []), *labellers]
        with torch.inference_mode(), self._precision():
            for window_batch, output in self._read(encoded, heads):
                self._add(window_batch, output.logits, sums)
        return sums

    def _read(self, encoded: Sequence[Tokens], heads: Sequence[str]) -> Iterator[tuple[WindowBatch, Output]]:
        """Every window of every document through the encoder and these heads, once."""
        windows = Windows(encoded, self._tokenizer, self._model.config, self._budget)
        on_cuda = self._device.type == "cuda"
        for window_batch in DataLoader(windows, batch_size=None, num_workers=self._workers, pin_memory=on_cuda):
            yield window_batch, self._model(window_batch.batch.to(self._device, non_blocking=True), heads)

    def _precision(self) -> AbstractContextManager[Any]:
        return torch.autocast("cuda", dtype=torch.bfloat16) if self._device.type == "cuda" else nullcontext()

    @property
    def _budget(self) -> int:
        """Tokens that are computed at a time."""
        return self._model.config.max_tokens * (16 if self._device.type == "cuda" else 1)

    @property
    def _signature(self) -> str:
        return f"{self.info.name}@{self.info.version}" if self.info.version else self.info.name

    def _add(self, batch: WindowBatch, logits: dict[str, torch.Tensor], sums: list[_Sums]) -> None:
        """Add the windows of a batch to the sums of their documents."""
        offset = 0
        tags = {name: logits[name].float().softmax(-1).cpu().numpy() for name in logits if name != self._classifier}
        classes = self._scores(logits[self._classifier].float()) if self._classifier in logits else None
        for i, (document, (start, stop)) in enumerate(zip(batch.documents, batch.spans, strict=True)):
            part = sums[document]
            part.windows += 1
            part.seen[start:stop] += 1
            for name, probabilities in tags.items():
                part.tags[name][start:stop] += probabilities[offset + 1 : offset + 1 + stop - start]
            if classes is not None:
                part.classes = classes[i] if part.windows == 1 else part.classes + classes[i]
            offset += stop - start + 2

    def _scores(self, logits: torch.Tensor) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = (logits if self.multi_label else logits.log_softmax(-1)).cpu().numpy()
        return scores

    def _answer(
        self, document: Document, tokens: Tokens, sums: _Sums, classify: bool, schema: str | None
    ) -> tuple[dict[str, float], str | None, tuple[Entity, ...]]:
        """(class scores best first, the schema used, entities)."""
        ranked: dict[str, float] = {}
        if classify and self.info.classes:
            scored = zip(self.info.classes, map(float, sums.scores(self.multi_label)), strict=True)
            ranked = dict(sorted(scored, key=lambda pair: -pair[1]))
        if schema == _AUTO:
            label = "" if self.multi_label else next(iter(ranked), "")
            schema = self._model.config.schema_of_class.get(label)
        if schema is None:
            return ranked, None, ()
        words = sums.words(schema, tokens)
        return ranked, schema, find_entities(document, tokens.refs, words, self.schemas[schema])

    def _prediction(
        self, document: Document, tokens: Tokens, sums: _Sums, answer: tuple[Any, ...], seconds: float
    ) -> Prediction:
        scores, schema, entities = answer
        return Prediction(
            name=document.name,
            sha256=document.sha256,
            coverage=_coverage(document, tokens, sums.windows),
            scores=scores,
            schema=schema,
            entities=entities,
            model=self._signature,
            seconds=seconds,
            multi_label=self.multi_label,
        )


def _shares(encoded: Sequence[Tokens], seconds: float) -> list[float]:
    """Each document's share of the seconds, by tokens."""
    total = sum(len(tokens) + 1 for tokens in encoded)
    return [seconds * (len(tokens) + 1) / total for tokens in encoded]


def _coverage(document: Document, tokens: Tokens, windows: int) -> Coverage:
    return Coverage(len(document.pages), document.pages_read, document.pages_failed, len(tokens), windows)
