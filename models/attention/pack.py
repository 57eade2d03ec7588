"""The plans of a batch's windows as one plan over their tokens, in torch.

Windows of a batch are packed end to end, with no padding between them.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from models.attention.plan import Block, Plan


@dataclass(frozen=True)
class PackedBlock:
    """A `plan.Block` in the packed batch: rows start…stop-1.

    keys: (U,) int64 into the packed tokens, or a slice where they are contiguous, which needs no copy.
    mask: (stop - start, U) bool or None.
    """

    start: int
    stop: int
    keys: Tensor | slice
    mask: Tensor | None


@dataclass(frozen=True)
class PackedPlan:
    """The plans of the windows of a batch, packed.

    blocks: cover rows 0…T-1 in order.
    windows: for each window that has global rows: the slice of its tokens and those rows, (G,) int64, packed.
    device: where the tensors are, and those of `padded` will be.
    """

    blocks: tuple[PackedBlock, ...]
    windows: tuple[tuple[slice, Tensor], ...]
    device: torch.device | str = "cpu"

    def __reduce__(self) -> tuple[Any, ...]:
        """Between processes the tensors travel as arrays, to arrive on the CPU: each tensor would keep a file open on
        the way, and a batch may hold thousands."""
        plan = self.to("cpu")
        blocks = [(b.start, b.stop, _as_array(b.keys), _as_array(b.mask)) for b in plan.blocks]
        return _unpickle, (blocks, [(where, rows.numpy()) for where, rows in plan.windows])

    @cached_property
    def padded(self) -> "PaddedBlocks":
        """The blocks as one padded batch, made once for all layers."""
        return _pad_blocks(self.blocks, self.device)

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "PackedPlan":
        """The same plan with its tensors on `device`."""

        def move(block: PackedBlock) -> PackedBlock:
            keys = block.keys if isinstance(block.keys, slice) else block.keys.to(device, non_blocking=non_blocking)
            mask = None if block.mask is None else block.mask.to(device, non_blocking=non_blocking)
            return replace(block, keys=keys, mask=mask)

        windows = tuple((where, rows.to(device, non_blocking=non_blocking)) for where, rows in self.windows)
        return PackedPlan(tuple(map(move, self.blocks)), windows, device)

    def pin_memory(self) -> "PackedPlan":
        """The same plan in page-locked memory, so that copies to a CUDA device overlap with computing."""

        def pin(block: PackedBlock) -> PackedBlock:
            keys = block.keys if isinstance(block.keys, slice) else block.keys.pin_memory()
            return replace(block, keys=keys, mask=None if block.mask is None else block.mask.pin_memory())

        return PackedPlan(tuple(map(pin, self.blocks)), tuple((w, rows.pin_memory()) for w, rows in self.windows))


def _as_array(part: Tensor | slice | None) -> NDArray[np.generic] | slice | None:
    return part.numpy() if isinstance(part, Tensor) else part


def _unpickle(blocks: list[tuple[Any, ...]], windows: list[tuple[slice, NDArray[np.int64]]]) -> PackedPlan:
    """The plan that `PackedPlan.__reduce__` took apart."""

    def tensor(part: NDArray[np.generic] | slice | None) -> Any:  # noqa: ANN401
        return torch.from_numpy(part) if isinstance(part, np.ndarray) else part

    made = tuple(PackedBlock(start, stop, tensor(keys), tensor(mask)) for start, stop, keys, mask in blocks)
    return PackedPlan(made, tuple((where, tensor(rows)) for where, rows in windows))


def pack_plans(plans: list[Plan]) -> PackedPlan:
    """The plans of several windows as one over their tokens laid end to end."""
    blocks: list[PackedBlock] = []
    windows: list[tuple[slice, Tensor]] = []
    offset = 0
    for plan in plans:
        blocks += [_pack_block(block, offset) for block in plan.blocks]
        if len(plan.global_rows):
            windows.append((slice(offset, offset + plan.length), torch.from_numpy(plan.global_rows + offset)))
        offset += plan.length
    return PackedPlan(tuple(blocks), tuple(windows))


def _pack_block(block: Block, offset: int) -> PackedBlock:
    first, last = int(block.keys[0]), int(block.keys[-1])
    contiguous = last - first + 1 == len(block.keys)
    keys = slice(offset + first, offset + last + 1) if contiguous else torch.from_numpy(block.keys + offset)
    mask = None if block.mask is None else torch.from_numpy(block.mask)
    return PackedBlock(offset + block.start, offset + block.stop, keys, mask)


@dataclass(frozen=True)
class PaddedBlocks:
    """Blocks as a batch of n blocks with R queries and U keys each.

    queries: (n, R) int64, rows; a padded query repeats the block's last row.  keys: (n, U) int64; mask: (n, R, U) bool,
    False at padded keys; a padded query sees every real key, so that no row is empty.
    real: (T,) int64, where row t is among the n · R queries.
    """

    queries: Tensor
    keys: Tensor
    mask: Tensor
    real: Tensor


def _pad_blocks(blocks: tuple[PackedBlock, ...], device: torch.device | str) -> PaddedBlocks:
    rows = max(b.stop - b.start for b in blocks)
    keys = [_indices(b.keys, device) for b in blocks]
    width = max(map(len, keys))
    starts = [torch.arange(b.start, b.start + rows, device=device).clamp(max=b.stop - 1) for b in blocks]
    return PaddedBlocks(
        queries=torch.stack(starts),
        keys=torch.stack([pad(k, (0, width - len(k))) for k in keys]),
        mask=torch.stack([_padded_mask(b, len(k), rows, width, device) for b, k in zip(blocks, keys, strict=True)]),
        real=torch.cat([torch.arange(b.stop - b.start, device=device) + i * rows for i, b in enumerate(blocks)]),
    )


def _indices(keys: Tensor | slice, device: torch.device | str) -> Tensor:
    return torch.arange(keys.start, keys.stop, device=device) if isinstance(keys, slice) else keys


def _padded_mask(block: PackedBlock, keys: int, rows: int, width: int, device: torch.device | str) -> Tensor:
    count = block.stop - block.start
    seen = torch.ones(count, keys, dtype=torch.bool, device=device) if block.mask is None else block.mask
    seen = torch.cat([seen, seen.new_ones(rows - count, keys)])
    return pad(seen, (0, width - keys))
