"""A model's encoder as one program of torch.export, for runtimes that have no Longleaf.

The program reads one window of any length. What a plan says block by block is given whole there, so attention is dense:
its cost grows with the square of the window, where the model's own grows with the window.
"""

from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export

from models.attention.kinds import Kind, kind
from models.attention.layout import Layout
from models.attention.pack import PackedBlock, PackedPairs, PackedPlan, pack_plans
from models.attention.plan import make_plan
from models.batch import Batch
from models.config import LongleafConfig
from models.encoder import Encoder
from models.model import LongleafModel

# input_ids, positions, boxes, pages, shapes, global_rows, patterns
Inputs = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, dict[str, Tensor]]

_TRACED = 8  # tokens; any number that is not special


class _OneWindow(Batch):
    @cached_property
    def windows(self) -> tuple[slice, ...]:
        """Whatever its length, which `Batch` would make a number."""
        return (slice(0, self.input_ids.shape[0]),)


class EncoderOfWindow(nn.Module):
    """An encoder whose input is plain tensors of one window of N tokens."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(
        self,
        input_ids: Tensor,
        positions: Tensor,
        boxes: Tensor,
        pages: Tensor,
        shapes: Tensor,
        global_rows: Tensor,
        patterns: dict[str, Tensor],
    ) -> Tensor:
        """The tokens' hidden states, (N, hidden).

        input_ids, positions, boxes, pages, shapes: as in `Batch`, 2 ≤ N ≤ `max_tokens`.
        global_rows: (G,) int64, the global tokens among them, at least one where the model attends at all.
        patterns: for each of `LongleafConfig.attention_kinds` (N, N) bool, which keys each query may see, global tokens
            among the keys; (heads or a divisor of them, N, N) where heads differ; of a kind of pairs (2, N, M) int64,
            M ≥ 2, the tokens each query scores and the tokens whose values those scores weigh.
        """
        every = slice(0, input_ids.shape[0])
        plans = {
            name: PackedPlan((_block(every, pattern),), ((every, global_rows),)) for name, pattern in patterns.items()
        }
        first, window_of = input_ids[:1], input_ids  # the encoder looks at neither
        batch = _OneWindow(input_ids, positions, boxes, pages, shapes, window_of, first, plans, {})
        hidden: Tensor = self.encoder(batch)
        return hidden


def _block(every: slice, pattern: Tensor) -> PackedBlock:
    if pattern.dtype == torch.bool:
        return PackedBlock(every, every, pattern)
    return PackedBlock(every, every, None, PackedPairs(every, pattern[0], pattern[1]))


def window_inputs(batch: Batch, config: LongleafConfig) -> Inputs:
    """A batch's one window as the inputs of `EncoderOfWindow`, and of what is exported; its plans may be in any blocks.

    Raises ValueError for a batch of several windows.
    """
    if len(batch.first) != 1:
        raise ValueError(f"an exported encoder reads one window at a time, not {len(batch.first)}")
    rows = [rows for plan in batch.plans.values() for _, rows in plan.windows]
    global_rows = rows[0] if rows else batch.input_ids[:0]
    patterns = {name: _pattern(plan, kind(name, config.kinds)) for name, plan in batch.plans.items()}
    return batch.input_ids, batch.positions, batch.boxes, batch.pages, batch.shapes, global_rows, patterns


def _pattern(plan: PackedPlan, its: Kind) -> Tensor:
    if its.allowed is None:
        return _whole_pairs(plan)
    length = plan.blocks[-1].rows.stop
    # Of one token: a plan leaves out what hides nothing, and with it whether heads differ.
    groups = its.allowed(Layout(np.zeros((1, 2), dtype=np.float32), np.zeros(1, dtype=bool)), 0, 1).shape[:-2]
    whole = torch.zeros(*groups, length, length, dtype=torch.bool, device=plan.device)
    for block in plan.blocks:
        whole[..., block.rows, block.keys] = True if block.mask is None else block.mask
    return whole


def _whole_pairs(plan: PackedPlan) -> Tensor:
    """(2, N, M) int64."""
    pairs = [(block.keys, block.values, block.pairs) for block in plan.blocks if block.pairs is not None]
    scored = torch.cat([_tokens(keys, p.scored) for keys, _, p in pairs])
    weighed = torch.cat([_tokens(values, p.weighed) for _, values, p in pairs])
    return torch.stack([scored, weighed])


def _tokens(among: Tensor | slice, indices: Tensor) -> Tensor:
    return indices + among.start if isinstance(among, slice) else among[indices]


def export_encoder(model: LongleafModel) -> ExportedProgram:
    """The encoder, exported: its inputs and output are those of `EncoderOfWindow`, on the model's device.

    `torch.export.save` writes it to a file. Raises ValueError for a model in training mode, which would drop at random.
    """
    if model.training:
        raise ValueError("a model is exported in eval mode")
    inputs = window_inputs(_sample(model.config).to(model.device), model.config)
    tokens, pairs = Dim("tokens", min=2, max=model.config.max_tokens), Dim("pairs", min=2)
    shapes = {
        name: {p.ndim - 2: tokens, p.ndim - 1: tokens if p.dtype == torch.bool else pairs}
        for name, p in inputs[6].items()
    }
    rows = {0: Dim("global_tokens")} if shapes else None
    with torch.no_grad():
        return export(
            EncoderOfWindow(model.encoder),
            inputs,
            dynamic_shapes=(*[{0: tokens}] * 5, rows, shapes),
            strict=False,
        )


def _sample(config: LongleafConfig) -> Batch:
    """A window to trace with: a few tokens in one place, two of them global."""
    layout = Layout(np.zeros((_TRACED, 2), dtype=np.float32), np.arange(_TRACED) < 2)
    plans = {name: pack_plans([make_plan(layout, kind(name, config.kinds))]) for name in config.attention_kinds}
    # Each a tensor of its own: to export, one that is given twice is one input.
    ids, positions, pages, shapes, window_of = torch.zeros(5, _TRACED, dtype=torch.int64).unbind()
    first = window_of[:1]
    return Batch(ids, positions, torch.zeros(_TRACED, 4), pages, shapes, window_of, first, plans, {})
