"""Train the encoder to guess hidden words from those around them, in the text and on the page.

On transformers' Trainer. Several GPUs: a process each, by `torchrun --nproc-per-node 4 -m -- app.cli pretrain …`; a
step has as many times the tokens. On a GPU the model computes in bfloat16 where that is exact enough (autocast).
"""

import math
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.utils.data import DataLoader

from models.checkpoint import load, save, with_heads
from models.model import LongleafModel
from models.presets import preset
from pipeline.dataset import NOT_LABELLED
from pipeline.encode import load_tokenizer
from pipeline.slots import cores
from pipeline.training.corpus import Corpus, read_corpus
from pipeline.training.cost import measured, require
from pipeline.training.masking import HEAD, MaskedBatches
from pipeline.training.packing import lay_out, pack, windows_of
from pipeline.training.record import Record, Row, peak_memory_mb
from pipeline.training.start import is_longleaf, warm
from pipeline.training.trainer import BatchTrainer, arguments, collate_groups, last_checkpoint

RECORD = "pretraining.jsonl"
_INTERVAL = 0.1  # of the run, after which is evaluated and a checkpoint written
_HELD_OUT_SEED = 0  # whatever the run's own, so that runs can be compared
_MOST_WORKERS = 8


@dataclass(frozen=True)
class Recipe:
    """How to pretrain.

    budget: tokens of the whole run, at most; documents are gone through as often as that takes.
    preset: the new model's shape.  size: begin with random weights in this size; None begins with those of the start.
    window: tokens of a window, at most the model's own.  batch_tokens: what a device takes at once.
    accumulate: batches of each device to a step.  learning_rate: the highest, of all weights, words included.
    """

    budget: int
    preset: str = "longleaf"
    size: str | None = None
    window: int = 4096
    batch_tokens: int = 8192
    accumulate: int = 1
    learning_rate: float = 5e-4
    seed: int = 0


def run_pretraining(
    data: Sequence[Path],
    out: Path,
    cache: Path,
    start: Path,
    recipe: Recipe,
    resume: bool = False,
    country: str | None = None,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> Row:
    """Train on the PDFs and texts at the paths `data` and write the model to `out`; checkpoints lie in out/checkpoints.

    out/pretraining.jsonl gets a row for each of about ten evaluations, and a last one, which is given back:

        step, tokens                          so far
        train_loss                            mean since the row before; nats a hidden token, as all losses
        held_out_loss, perplexity             on documents held out, always with the same words hidden; e to the loss
        seconds, seconds_per_1000_tokens      of training so far; evaluations and checkpoints take none
        memory_mb                             the most that this process has used, of the GPU where there is one

    and in the last also `final`, `parameters`, the recipe, and with a `country` the `cost` of the training since it was
    last resumed (`pipeline.training.cost`).

    start: a BERT-type checkpoint or a Longleaf model to go on from, of which the encoder is kept; where the recipe has
    a size, only its tokenizer.  told: called with (tokens read, tokens wanted) while the documents are read. Raises
    ValueError or OSError for unusable data or settings, ImportError for a cost without codecarbon.
    """
    last = last_checkpoint(out, resume)
    if recipe.window > recipe.batch_tokens:
        raise ValueError(f"A batch of {recipe.batch_tokens} tokens does not hold a window of {recipe.window}.")
    if country is not None:
        require(country)
    torch.manual_seed(recipe.seed)
    tokenizer = load_tokenizer(start)
    model = _model(start, recipe, tokenizer)
    corpus = read_corpus(data, cache, tokenizer, recipe.budget, recipe.seed, told)
    trainer = _trainer(model, tokenizer, corpus, recipe, out, int(last.rpartition("-")[2]) if last else 0)
    with measured(country) as meter:
        trainer.train(resume_from_checkpoint=last)
        if trainer.record.last("step") < trainer.state.global_step:
            trainer.evaluate()
    row = {**trainer.record.rows[-1], "final": True, "parameters": model.num_parameters(), **asdict(recipe)}
    row |= {"cost": asdict(meter.cost)} if meter.cost else {}
    trainer.record.add(row)
    if trainer.is_world_process_zero():
        save(model, out)
        shutil.copy(start / "tokenizer.json", out / "tokenizer.json")
    return row


def _model(start: Path, recipe: Recipe, tokenizer: Tokenizer) -> LongleafModel:
    """A model whose one head guesses words."""
    heads = {HEAD: {"kind": HEAD}}
    if recipe.size:
        return LongleafModel(preset(recipe.preset, recipe.size, vocab_size=tokenizer.get_vocab_size(), heads=heads))
    if not is_longleaf(start):
        return warm(start, recipe.preset, heads=heads)
    model = load(start)
    model.config.heads, model.config.schema_of_class = {}, {}
    return with_heads(model, heads, {})


def _trainer(
    model: LongleafModel, tokenizer: Tokenizer, corpus: Corpus, recipe: Recipe, out: Path, step: int
) -> "_Pretrainer":
    """step: the one to go on from."""
    options = arguments(
        out,
        num_train_epochs=1,  # the whole run is laid out beforehand
        learning_rate=recipe.learning_rate,
        per_device_train_batch_size=1,  # an item is a batch
        gradient_accumulation_steps=recipe.accumulate,
        train_sampling_strategy="sequential",
        eval_strategy="steps",
        eval_steps=_INTERVAL,
        save_strategy="steps",
        save_steps=_INTERVAL,
        seed=recipe.seed,
        dataloader_num_workers=min(max(1, cores() - 1), _MOST_WORKERS),
    )
    window, group = min(recipe.window, model.config.max_tokens), recipe.accumulate * options.world_size
    lengths = [len(tokens) for tokens in corpus.learned]
    batches = lay_out(lengths, window, recipe.batch_tokens, recipe.budget, recipe.seed, group)
    held = pack(windows_of([len(tokens) for tokens in corpus.held], window), recipe.batch_tokens)
    sizes = np.array([sum(part.size for part in batch) for batch in batches])
    return _Pretrainer(
        record=Record(out / RECORD, step, writes=options.process_index == 0),
        tokens=sizes.reshape(-1, group).sum(axis=1).cumsum(),
        model=model,
        args=options,
        train_dataset=MaskedBatches(corpus.learned, batches, tokenizer, model.config, recipe.seed, shift=True),
        eval_dataset=MaskedBatches(corpus.held, held, tokenizer, model.config, _HELD_OUT_SEED, shift=False),
        data_collator=collate_groups,
    )


class _Pretrainer(BatchTrainer):
    """The Trainer that keeps the record.  tokens: (steps,) how many there were after each step."""

    def __init__(self, record: Record, tokens: NDArray[np.int64], **options: Any) -> None:  # noqa: ANN401 (the Trainer's)
        super().__init__(**options)
        self.record, self.tokens = record, tokens
        self.seconds = record.last("seconds")
        self.since: float | None = None
        self.losses: list[Tensor] = []

    def compute_loss(self, model: nn.Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Tensor:  # noqa: ANN401
        """The loss of a batch to learn from; with the first one after an evaluation the clock goes on."""
        self.since = self.since or time.perf_counter()
        loss = super().compute_loss(model, inputs)
        self.losses.append(loss.detach())
        return loss

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:  # noqa: ANN401
        """Measure on what is held out, and add a row to the record."""
        learned = torch.stack(self.losses).mean().item() if self.losses else None  # waits for the GPU
        self.seconds += time.perf_counter() - self.since if self.since else 0.0
        self.losses, self.since = [], None
        loss = self._held_out_loss()
        tokens = int(self.tokens[self.state.global_step - 1])
        row = {
            "step": self.state.global_step,
            "tokens": tokens,
            "train_loss": learned,
            "held_out_loss": loss,
            "perplexity": math.exp(loss),
            "seconds": self.seconds,
            "seconds_per_1000_tokens": 1000 * self.seconds / tokens,
            "memory_mb": max(peak_memory_mb(), self.record.last("memory_mb")),
        }
        self.record.add(row)
        metrics = {"eval_loss": loss, "perplexity": math.exp(loss)}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def _held_out_loss(self) -> float:
        """Mean over all hidden tokens. Each process goes through all that is held out: it is little."""
        assert isinstance(self.model, LongleafModel)
        assert isinstance(self.eval_dataset, MaskedBatches)
        loader = DataLoader(
            self.eval_dataset,
            collate_fn=self.data_collator,
            num_workers=1,
            generator=torch.Generator(),  # the run's own would go on otherwise after a resumption
        )
        total, count = torch.zeros((), dtype=torch.float64), 0
        nn.Module.eval(self.model)
        for inputs in loader:
            batch = self._prepare_inputs(inputs)["batch"]
            with torch.no_grad(), self.compute_loss_context_manager():
                loss = self.model(batch).loss
            hidden = int((batch.targets[HEAD] != NOT_LABELLED).sum())
            total += loss.double().cpu() * hidden
            count += hidden
        nn.Module.train(self.model)
        return float(total / max(count, 1))
