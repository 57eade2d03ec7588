"""Train the encoder and its heads on data sets, on transformers' Trainer."""

import hashlib
import logging
import shutil
from collections.abc import Sequence
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from models.checkpoint import load, save, warm_start, with_heads
from models.config import LongleafConfig
from models.model import LongleafModel
from models.presets import preset
from pipeline.dataset import Targets, collate
from pipeline.encode import EncodedDocument, load_tokenizer
from pipeline.ingest import IngestSettings
from pipeline.training.prepare import (
    Labelled,
    TrainingWindows,
    count_located,
    examples_of,
    heads_for,
    label,
    read_examples,
)

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
) -> Path:
    """Train on (folder, split) pairs and write the model to `out`; checkpoints lie in out/checkpoints.

    start: a BERT-type checkpoint with its tokenizer.json, or a Longleaf model to go on from; window: tokens of a
    training window, at most the model's own; batch_tokens: tokens of an optimiser step. One document in ten, chosen by
    file name, is held out to choose the best checkpoint. Raises ValueError for unusable data or settings.
    """
    if start is None:
        raise ValueError("Name a checkpoint to start from; it brings the tokenizer.")
    last = _last_checkpoint(out / "checkpoints")
    if last and not resume:  # the Trainer would mix the two runs' checkpoints up
        raise ValueError(f"{out} holds the checkpoints of another run: resume it, or name another folder.")
    torch.manual_seed(seed)
    tokenizer = load_tokenizer(start)
    documents = _labelled(data, cache, tokenizer)
    model = _model(start, preset_name, documents)
    learned, held_out = _split([document for document in documents if _teaches(document, model.config)])
    trainer = _TokenTrainer(
        model=model,
        args=_arguments(out, epochs, learning_rate, max(1, batch_tokens // window), seed),
        train_dataset=TrainingWindows(learned, tokenizer, model.config, window, seed),
        eval_dataset=TrainingWindows(held_out, tokenizer, model.config, window, seed),
        data_collator=_collate,
    )
    trainer.train(resume_from_checkpoint=last)
    save(model, out)
    shutil.copy(start / "tokenizer.json", out / "tokenizer.json")
    return out


def _labelled(data: Sequence[tuple[Path, str]], cache: Path, tokenizer: Tokenizer) -> list[Labelled]:
    """All documents, read and located, with a line in the log on what could not be."""
    read = read_examples(examples_of(data), cache, IngestSettings(), _report)
    documents = [label(example, document, tokenizer) for example, document in read]
    if not documents:
        raise ValueError("No document of the data could be read.")
    for name, (found, total) in count_located(documents).items():
        log.info("%s: %d of %d values located", name, found, total)
    return documents


def _report(example: Any, outcome: Any) -> None:  # noqa: ANN401
    if isinstance(outcome, Exception):
        log.warning("%s left out: %s", example.path.name, outcome)


def _model(start: Path, preset_name: str, documents: Sequence[Labelled]) -> LongleafModel:
    """A Longleaf model and the heads it lacks, or a new one with heads for the documents on a BERT-type encoder."""
    config = LongleafConfig.get_config_dict(start)[0]
    heads, schema_of_class = heads_for(documents)
    if config.get("model_type") == LongleafConfig.model_type:
        return with_heads(load(start), heads, schema_of_class)
    sizes = {k: config[k] for k in ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")}
    wanted = preset(
        preset_name,
        **sizes,
        intermediate_size=config["intermediate_size"],
        layer_norm_eps=config["layer_norm_eps"],
        heads=heads,
        schema_of_class=schema_of_class,
    )
    return warm_start(start, wanted)


def _last_checkpoint(folder: Path) -> str | None:
    return get_last_checkpoint(str(folder)) if folder.is_dir() else None  # type: ignore[no-untyped-call]


def _teaches(document: Labelled, config: LongleafConfig) -> bool:
    """Whether a head of the model can learn anything from a document."""
    labels = {label for head in config.heads.values() for label in head.get("labels", ())}
    return document.label in labels or document.schema in config.heads


def _split(documents: Sequence[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """(documents to learn from, documents held out), neither of them empty.

    Raises ValueError for fewer than two documents.
    """
    if len(documents) < 2:
        raise ValueError("Training needs at least two documents that teach the model something; one is held out.")
    draws = [_draw(document) for document in documents]
    held = [draw % _VALIDATION_SHARE == 0 for draw in draws]
    if len(set(held)) == 1:
        held = [i == draws.index(min(draws)) for i in range(len(draws))]
    return list(compress(documents, map(not_, held))), list(compress(documents, held))


def _draw(document: Labelled) -> int:
    """A number from the document's file name, the same on every machine."""
    return hashlib.sha256(document.example.path.name.encode()).digest()[0]


def _arguments(out: Path, epochs: float, learning_rate: float, batch: int, seed: int) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(out / "checkpoints"),
        num_train_epochs=epochs,
        learning_rate=learning_rate,
        per_device_train_batch_size=batch,
        per_device_eval_batch_size=batch,
        warmup_steps=0.1,
        weight_decay=0.01,
        lr_scheduler_type="linear",
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        logging_steps=20,
        seed=seed,
        bf16=torch.cuda.is_available(),
        dataloader_num_workers=1,
        dataloader_pin_memory=torch.cuda.is_available(),
        remove_unused_columns=False,
        report_to="none",
    )


def _collate(items: Sequence[tuple[EncodedDocument, Targets]]) -> dict[str, Any]:
    return {"batch": collate([window for window, _ in items], [targets for _, targets in items])}


class _TokenTrainer(Trainer):
    """transformers' Trainer over `Batch`, with learning rates by part."""

    def _prepare_inputs(self, inputs: dict[str, Any]) -> dict[str, Any]:
        return {"batch": inputs["batch"].to(self.args.device, non_blocking=True)}

    def compute_loss(self, model: nn.Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Tensor:  # noqa: ANN401
        """The summed loss of the heads with targets in the batch."""
        loss: Tensor = model(inputs["batch"]).loss
        return loss

    def prediction_step(self, model: nn.Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        """The loss alone; figures over whole documents are `pipeline.training.evaluate`'s."""
        with torch.no_grad(), self.compute_loss_context_manager():
            return self.compute_loss(model, self._prepare_inputs(inputs)).detach(), None, None

    def create_optimizer(self, *args: Any, **kwargs: Any) -> torch.optim.Optimizer:  # noqa: ANN401
        """AdamW; the word embeddings stay as published, heads learn faster, layout slower."""
        model = self.model
        assert isinstance(model, LongleafModel)
        model.encoder.embeddings.word.weight.requires_grad_(False)
        rate = self.args.learning_rate
        groups: dict[tuple[float, float], list[nn.Parameter]] = {}
        for name, weight in model.named_parameters():
            if weight.requires_grad:
                factor = _HEAD_RATE if name.startswith("heads.") else _LAYOUT_RATE if ".layout." in name else 1.0
                decay = self.args.weight_decay if weight.ndim > 1 else 0.0
                groups.setdefault((rate * factor, decay), []).append(weight)
        options = [{"params": p, "lr": lr, "weight_decay": decay} for (lr, decay), p in groups.items()]
        self.optimizer = torch.optim.AdamW(options, betas=(0.9, 0.98))
        return self.optimizer
