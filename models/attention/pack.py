"""The plans of a batch's windows as one plan over their tokens, in torch.

Windows of a batch are packed end to end, with no padding between them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from models.attention.plan import Block, Pairs, Plan


@dataclass(frozen=True)
class PackedPairs:
    """A `plan.Pairs` in the packed batch.

    values: (V,) int64 into the packed tokens, or a slice.  scored: (R, M) int64 into the block's keys.  weighed: (R, M)
    int64 into `values`.
    """

    values: Tensor | slice
    scored: Tensor
    weighed: Tensor


@dataclass(frozen=True)
class PackedBlock:
    """A `plan.Block` in the packed batch.

    rows: its queries.  keys: (U,) int64 into the packed tokens, or a slice where they are contiguous, which needs no
    copy.  mask: (R, U) or (G, R, U) bool, or None.  pairs: None unless values come from other tokens than scores.
    """

    rows: slice
    keys: Tensor | slice
    mask: Tensor | None
    pairs: PackedPairs | None = None

    @property
    def values(self) -> Tensor | slice:
        """Where the values are."""
        return self.keys if self.pairs is None else self.pairs.values


@dataclass(frozen=True, eq=False)
class PackedPlan:
    """The plans of the windows of a batch, packed. Equal to itself alone.

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
        plan = self._each(lambda part: part.cpu().numpy(), "cpu")
        return _unpickle, (plan.blocks, plan.windows)

    @property
    def is_paired(self) -> bool:
        """Whether scores and values come from different tokens."""
        return any(block.pairs for block in self.blocks)

    @cached_property
    def padded(self) -> "PaddedBlocks":
        """The blocks as one padded batch, made once for all layers."""
        return _pad_blocks(self.blocks, self.device)

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "PackedPlan":
        """The same plan with its tensors on `device`."""
        return self._each(lambda part: part.to(device, non_blocking=non_blocking), device)

    def pin_memory(self) -> "PackedPlan":
        """The same plan in page-locked memory, so that copies to a CUDA device overlap with computing."""
        return self._each(lambda part: part.pin_memory(), "cpu")

    def _each(self, change: Callable[[Any], Any], device: torch.device | str) -> "PackedPlan":
        """The same plan with every tensor changed."""

        def some(part: Any) -> Any:  # noqa: ANN401
            return part if part is None or isinstance(part, slice) else change(part)

        def block(b: PackedBlock) -> PackedBlock:
            p = b.pairs
            pairs = p and PackedPairs(some(p.values), some(p.scored), some(p.weighed))
            return PackedBlock(b.rows, some(b.keys), some(b.mask), pairs)

        windows = tuple((where, some(rows)) for where, rows in self.windows)
        return PackedPlan(tuple(map(block, self.blocks)), windows, device)


def _unpickle(blocks: Any, windows: Any) -> PackedPlan:  # noqa: ANN401
    """The plan that `PackedPlan.__reduce__` took apart."""
    return PackedPlan(blocks, windows)._each(torch.from_numpy, "cpu")


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
    return PackedBlock(
        rows=slice(offset + block.start, offset + block.stop),
        keys=_pack_keys(block.keys, offset),
        mask=None if block.mask is None else torch.from_numpy(block.mask),
        pairs=None if block.pairs is None else _pack_pairs(block.pairs, offset),
    )


def _pack_keys(keys: NDArray[np.int64], offset: int) -> Tensor | slice:
    first, last = int(keys[0]), int(keys[-1])
    contiguous = last - first + 1 == len(keys)
    return slice(offset + first, offset + last + 1) if contiguous else torch.from_numpy(keys + offset)


def _pack_pairs(pairs: Pairs, offset: int) -> PackedPairs:
    scored, weighed = torch.from_numpy(pairs.scored), torch.from_numpy(pairs.weighed)
    return PackedPairs(_pack_keys(pairs.values, offset), scored, weighed)


@dataclass(frozen=True)
class PaddedBlocks:
    """Blocks as a batch of n blocks with R queries and U keys each.

    queries: (n, R) int64, rows; a padded query repeats the block's last row.  keys: (n, U) int64; mask: (n, G, R, U)
    bool for G groups of heads, False at padded keys; a padded query sees every real key, so that no row is empty.
    real: (T,) int64, where row t is among the n · R queries.
    """

    queries: Tensor
    keys: Tensor
    mask: Tensor
    real: Tensor


def _pad_blocks(blocks: tuple[PackedBlock, ...], device: torch.device | str) -> PaddedBlocks:
    counts = [b.rows.stop - b.rows.start for b in blocks]
    rows = max(counts)
    keys = [_indices(b.keys, device) for b in blocks]
    width = max(map(len, keys))
    groups = max(b.mask.shape[0] if b.mask is not None and b.mask.ndim == 3 else 1 for b in blocks)
    starts = [torch.arange(b.rows.start, b.rows.start + rows, device=device).clamp(max=b.rows.stop - 1) for b in blocks]
    masks = [_padded_mask(b, len(k), rows, width, device) for b, k in zip(blocks, keys, strict=True)]
    return PaddedBlocks(
        queries=torch.stack(starts),
        keys=torch.stack([pad(k, (0, width - len(k))) for k in keys]),
        mask=torch.stack([mask.expand(groups, -1, -1) for mask in masks]),
        real=torch.cat([torch.arange(count, device=device) + i * rows for i, count in enumerate(counts)]),
    )


def _indices(keys: Tensor | slice, device: torch.device | str) -> Tensor:
    return torch.arange(keys.start, keys.stop, device=device) if isinstance(keys, slice) else keys


def _padded_mask(block: PackedBlock, keys: int, rows: int, width: int, device: torch.device | str) -> Tensor:
    """(G, rows, width), or (1, rows, width) where the heads see alike."""
    count = block.rows.stop - block.rows.start
    seen = torch.ones(count, keys, dtype=torch.bool, device=device) if block.mask is None else block.mask
    seen = seen if seen.ndim == 3 else seen[None]
    seen = torch.cat([seen, seen.new_ones(len(seen), rows - count, keys)], dim=1)
    return pad(seen, (0, width - keys))
