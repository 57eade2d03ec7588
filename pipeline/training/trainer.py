"""transformers' Trainer over `Batch`, as fine-tuning and pretraining use it."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint
from transformers.utils.logging import disable_progress_bar

from models.model import LongleafModel
from pipeline.dataset import Targets, collate
from pipeline.encode import EncodedDocument


def last_checkpoint(out: Path, resume: bool) -> str | None:
    """The newest checkpoint of the run in `out`, to go on from; None where there is none.

    Raises ValueError where there is one and the run is not to be resumed.
    """
    folder = out / "checkpoints"
    last = get_last_checkpoint(str(folder)) if folder.is_dir() else None  # type: ignore[no-untyped-call]
    if last and not resume:  # the Trainer would mix the two runs' checkpoints up
        raise ValueError(f"{out} holds the checkpoints of another run: resume it, or name another folder.")
    return last


def held_out(names: Sequence[str], one_in: int) -> list[bool]:
    """For each document whether it is held out of training: one in so many, chosen by name, the same on every machine.

    One at least is, and one is not. Raises ValueError for fewer than two.
    """
    if len(names) < 2:
        raise ValueError("Training needs at least two documents that teach the model something; one is held out.")
    draws = [hashlib.sha256(name.encode()).digest()[0] for name in names]
    held = [draw % one_in == 0 for draw in draws]
    if len(set(held)) == 1:
        held = [i == draws.index(min(draws)) for i in range(len(draws))]
    return held


def arguments(out: Path, **changes: Any) -> TrainingArguments:  # noqa: ANN401 (any of the Trainer's options)
    """The Trainer's options that every training has in common, with changes; checkpoints lie in out/checkpoints."""
    disable_progress_bar()  # type: ignore[no-untyped-call]  # it would show one for each checkpoint's single file
    common = {
        "warmup_steps": 0.1,
        "weight_decay": 0.01,
        "lr_scheduler_type": "linear",
        "save_total_limit": 2,
        "logging_steps": 20,
        "bf16": torch.cuda.is_available(),
        "dataloader_num_workers": 1,
        "dataloader_pin_memory": torch.cuda.is_available(),
        "remove_unused_columns": False,
        "report_to": "none",
    }
    made = TrainingArguments(output_dir=str(out / "checkpoints"), **{**common, **changes})
    if made.n_gpu > 1:  # torch's DataParallel cannot divide a Batch; torchrun gives each GPU its own process
        made._n_gpu = 1
    return made


def collate_groups(groups: Iterable[Sequence[tuple[EncodedDocument, Targets]]]) -> dict[str, Any]:
    """Groups of windows and their targets, joined to one batch, as the Trainer's inputs."""
    items = list(chain.from_iterable(groups))
    return {"batch": collate([window for window, _ in items], [targets for _, targets in items])}


class BatchTrainer(Trainer):
    """transformers' Trainer over `Batch`, with learning rates by part."""

    def __init__(self, rate: Callable[[str], float] = lambda name: 1.0, **options: Any) -> None:  # noqa: ANN401
        """rate: for a weight's name its factor of the learning rate, 0 leaves it as it is.  options: the Trainer's."""
        super().__init__(**options)
        self._rate = rate

    def _prepare_inputs(self, inputs: dict[str, Any]) -> dict[str, Any]:
        return {"batch": inputs["batch"].to(self.args.device, non_blocking=True)}

    def compute_loss(self, model: nn.Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Tensor:  # noqa: ANN401
        """The summed loss of the heads with targets in the batch."""
        loss: Tensor = model(inputs["batch"], list(inputs["batch"].targets)).loss
        return loss

    def prediction_step(self, model: nn.Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        """The loss alone; figures over whole documents are `pipeline.training.evaluate`'s."""
        with torch.no_grad(), self.compute_loss_context_manager():
            return self.compute_loss(model, self._prepare_inputs(inputs)).detach(), None, None

    def create_optimizer(self, *args: Any, **kwargs: Any) -> torch.optim.Optimizer:  # noqa: ANN401
        """AdamW; biases and norms do not decay."""
        model = self.model
        assert isinstance(model, LongleafModel)
        groups: dict[tuple[float, float], list[nn.Parameter]] = {}
        for name, weight in model.named_parameters():
            weight.requires_grad_(self._rate(name) > 0)
            if weight.requires_grad:
                decay = self.args.weight_decay if weight.ndim > 1 else 0.0
                groups.setdefault((self.args.learning_rate * self._rate(name), decay), []).append(weight)
        options = [{"params": p, "lr": lr, "weight_decay": decay} for (lr, decay), p in groups.items()]
        self.optimizer = torch.optim.AdamW(options, betas=(0.9, 0.98))
        return self.optimizer
