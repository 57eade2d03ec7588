"""Train the encoder and its heads on data sets, on transformers' Trainer."""

import logging
import shutil
from collections.abc import Sequence
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import TrainingArguments

from models.checkpoint import load, save, with_heads
from models.model import LongleafModel
from pipeline.encode import load_tokenizer
from pipeline.ingest import IngestSettings
from pipeline.training.prepare import (
    Groups,
    Labelled,
    TrainingWindows,
    count_located,
    examples_of,
    heads_for,
    label,
    read_examples,
    teaches,
)
from pipeline.training.start import is_longleaf, warm
from pipeline.training.summaries import SUMMARY, summary_head
from pipeline.training.trainer import BatchTrainer, arguments, collate_groups, held_out, last_checkpoint

log = logging.getLogger(__name__)
_VALIDATION_SHARE = 10  # one document in ten
_HEAD_RATE = 5.0  # heads start from nothing and learn faster than the encoder
_LAYOUT_RATE = 0.25  # absolute layout learns slowly, or it disturbs the warm start


def run_training(
    data: Sequence[tuple[Path, str]],
    out: Path,
    cache: Path,
    start: Path | None = None,
    preset_name: str = "longleaf",
    epochs: float = 4.0,
    learning_rate: float = 2e-4,
    window: int = 1024,
    batch_tokens: int = 4096,
    seed: int = 0,
    resume: bool = False,
    limit: int | None = None,
) -> Path:
    """Train on (folder, split) pairs and write the model to `out`; checkpoints lie in out/checkpoints.

    start: a BERT-type checkpoint with its tokenizer.json, or a Longleaf model to go on from; window: tokens of a
    training window, at most the model's own; batch_tokens: tokens of an optimiser step, filled with as many windows as
    there is room for, one at least; limit: documents at most, see `examples_of`. One document in ten, chosen by file
    name, is held out to choose the best checkpoint. Raises ValueError for unusable data or settings.
    """
    if start is None:
        raise ValueError("Name a checkpoint to start from; it brings the tokenizer.")
    last = last_checkpoint(out, resume)
    torch.manual_seed(seed)
    tokenizer = load_tokenizer(start)
    documents = _labelled(data, limit, cache, tokenizer)
    model = _model(start, preset_name, documents, tokenizer)
    learned, held = (
        Groups(TrainingWindows(part, tokenizer, model.config, window, seed), batch_tokens, seed)
        for part in _split([document for document in documents if teaches(document, model.config)])
    )
    trainer = BatchTrainer(
        rate=_rate,
        model=model,
        args=_arguments(out, epochs, learning_rate, seed),
        train_dataset=learned,
        eval_dataset=held,
        data_collator=collate_groups,
    )
    trainer.train(resume_from_checkpoint=last)
    if trainer.is_world_process_zero():
        save(model, out)
        shutil.copy(start / "tokenizer.json", out / "tokenizer.json")
    return out


def _labelled(data: Sequence[tuple[Path, str]], limit: int | None, cache: Path, tokenizer: Tokenizer) -> list[Labelled]:
    """All documents, read and located, with a line in the log on what could not be."""
    read = read_examples(examples_of(data, limit), cache, IngestSettings(), _report)
    documents = [label(example, document, tokenizer) for example, document in read]
    if not documents:
        raise ValueError("No document of the data could be read.")
    for name, (found, total) in count_located(documents).items():
        log.info("%s: %d of %d values located", name, found, total)
    return documents


def _report(example: Any, outcome: Any) -> None:  # noqa: ANN401
    if isinstance(outcome, Exception):
        log.warning("%s left out: %s", example.path.name, outcome)


def _model(start: Path, preset_name: str, documents: Sequence[Labelled], tokenizer: Tokenizer) -> LongleafModel:
    """A Longleaf model and the heads it lacks, or a new one with heads for the documents on a BERT-type encoder.

    The head of pretraining is left behind.
    """
    heads, schema_of_class = heads_for(documents)
    if any(document.example.summary is not None for document in documents):
        heads[SUMMARY] = summary_head(tokenizer, preset_name)
    if not is_longleaf(start):
        return warm(start, preset_name, heads=heads, schema_of_class=schema_of_class)
    model = load(start)
    model.config.heads = {name: head for name, head in model.config.heads.items() if head["kind"] != "mlm"}
    return with_heads(model, heads, schema_of_class)


def _split(documents: Sequence[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """(documents to learn from, documents held out)."""
    held = held_out([document.example.path.name for document in documents], _VALIDATION_SHARE)
    return list(compress(documents, map(not_, held))), list(compress(documents, held))


def _arguments(out: Path, epochs: float, learning_rate: float, seed: int) -> TrainingArguments:
    return arguments(
        out,
        num_train_epochs=epochs,
        learning_rate=learning_rate,
        per_device_train_batch_size=1,  # an item is a batch
        per_device_eval_batch_size=1,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        seed=seed,
    )


def _rate(name: str) -> float:
    """A weight's factor of the learning rate; the word embeddings stay as published, and a decoder has
    published layers to begin with, as the encoder does."""
    if name.startswith("encoder.embeddings.word."):
        return 0.0
    if name.startswith("heads.") and ".decoder." not in name:
        return _HEAD_RATE
    return _LAYOUT_RATE if ".layout." in name else 1.0
