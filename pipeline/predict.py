"""Documents → predictions with provenance: the model's owner."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader

from models.checkpoint import load
from pipeline.dataset import WindowBatch, Windows
from pipeline.decode import find_entities
from pipeline.encode import Tokens, load_tokenizer, tokenize
from pipeline.types import Coverage, Document, Entity, Prediction

_AUTO = "auto"


@dataclass(frozen=True)
class ModelInfo:
    """What a loaded model is and can tell.  schemas: the entity types of each extraction schema."""

    name: str
    version: str
    classes: tuple[str, ...]
    schemas: dict[str, tuple[str, ...]]
    parameters: int
    max_tokens: int
    device: str


class _Sums:
    """What the windows of one document add up to: class log-probabilities, and tag probabilities of every token."""

    def __init__(self, tokens: Tokens, tags: dict[str, int]) -> None:
        self.windows = 0
        self.classes: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self.seen = np.zeros(len(tokens), dtype=np.float32)
        self.tags = {name: np.zeros((len(tokens), count), dtype=np.float32) for name, count in tags.items()}

    def scores(self) -> NDArray[np.float32]:
        """Probability of each class, (classes,), the windows' log-probabilities averaged."""
        mean = self.classes / max(self.windows, 1)
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
        self.info = ModelInfo(
            name=model.name,
            version=self._model.config.version,
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
        spent = time.perf_counter() - started
        total = sum(len(tokens) + 1 for tokens in encoded)
        return [
            self._prediction(document, tokens, part, answer, spent * (len(tokens) + 1) / total)
            for document, tokens, part, answer in zip(documents, encoded, sums, found, strict=True)
        ]

    def _run(self, encoded: Sequence[Tokens], classify: bool, schema: str | None) -> list[_Sums]:
        """Every window of every document through the model, once."""
        labellers = list(self.info.schemas) if schema == _AUTO else [schema] if schema else []
        tags = {name: 1 + 2 * len(self.info.schemas[name]) for name in labellers}
        sums = [_Sums(tokens, tags) for tokens in encoded]
        heads = [*([self._classifier] if classify and self._classifier else []), *labellers]
        on_cuda = self._device.type == "cuda"
        budget = self._model.config.max_tokens * (16 if on_cuda else 1)
        windows = Windows(encoded, self._tokenizer, self._model.config, budget)
        loader = DataLoader(windows, batch_size=None, num_workers=self._workers, pin_memory=on_cuda)
        half = torch.autocast("cuda", dtype=torch.bfloat16) if on_cuda else nullcontext()
        with torch.inference_mode(), half:
            for window_batch in loader:
                batch = window_batch.batch.to(self._device, non_blocking=True)
                self._add(window_batch, self._model(batch, heads).logits, sums)
        return sums

    def _add(self, batch: WindowBatch, logits: dict[str, torch.Tensor], sums: list[_Sums]) -> None:
        """Add the windows of a batch to the sums of their documents."""
        offset = 0
        tags = {name: logits[name].float().softmax(-1).cpu().numpy() for name in logits if name != self._classifier}
        classes = logits[self._classifier].float().log_softmax(-1).cpu().numpy() if self._classifier in logits else None
        for i, (document, (start, stop)) in enumerate(zip(batch.documents, batch.spans, strict=True)):
            part = sums[document]
            part.windows += 1
            part.seen[start:stop] += 1
            for name, probabilities in tags.items():
                part.tags[name][start:stop] += probabilities[offset + 1 : offset + 1 + stop - start]
            if classes is not None:
                part.classes = classes[i] if part.windows == 1 else part.classes + classes[i]
            offset += stop - start + 2

    def _answer(
        self, document: Document, tokens: Tokens, sums: _Sums, classify: bool, schema: str | None
    ) -> tuple[dict[str, float], str | None, tuple[Entity, ...]]:
        """(class scores best first, the schema used, entities)."""
        ranked: dict[str, float] = {}
        if classify and self.info.classes:
            scored = zip(self.info.classes, map(float, sums.scores()), strict=True)
            ranked = dict(sorted(scored, key=lambda pair: -pair[1]))
        if schema == _AUTO:
            schema = self._model.config.schema_of_class.get(next(iter(ranked), ""))
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
            coverage=Coverage(
                len(document.pages), document.pages_read, document.pages_failed, len(tokens), sums.windows
            ),
            scores=scores,
            schema=schema,
            entities=entities,
            model=f"{self.info.name}@{self.info.version}" if self.info.version else self.info.name,
            seconds=seconds,
        )
