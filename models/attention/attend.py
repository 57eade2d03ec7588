"""The one attention kernel: for each block of queries, ordinary attention over the keys that block needs.

Windows of a batch are packed end to end (no padding between them), so queries, keys and values are (T, H, D): T tokens
of all windows, H heads, D channels a head.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad, scaled_dot_product_attention

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
    """

    blocks: tuple[PackedBlock, ...]
    windows: tuple[tuple[slice, Tensor], ...]

    def to(self, device: torch.device | str, non_blocking: bool = False) -> "PackedPlan":
        """The same plan with its tensors on `device`."""

        def move(block: PackedBlock) -> PackedBlock:
            keys = block.keys if isinstance(block.keys, slice) else block.keys.to(device, non_blocking=non_blocking)
            mask = None if block.mask is None else block.mask.to(device, non_blocking=non_blocking)
            return replace(block, keys=keys, mask=mask)

        windows = tuple((where, rows.to(device, non_blocking=non_blocking)) for where, rows in self.windows)
        return PackedPlan(tuple(map(move, self.blocks)), windows)

    def pin_memory(self) -> "PackedPlan":
        """The same plan in page-locked memory, so that copies to a CUDA device overlap with computing."""

        def pin(block: PackedBlock) -> PackedBlock:
            keys = block.keys if isinstance(block.keys, slice) else block.keys.pin_memory()
            return replace(block, keys=keys, mask=None if block.mask is None else block.mask.pin_memory())

        return PackedPlan(tuple(map(pin, self.blocks)), tuple((w, rows.pin_memory()) for w, rows in self.windows))


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


def attend(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float = 0.0) -> Tensor:
    """What each local query gathers, (T, H, D), from q, k, v of that shape. Rows of global tokens are to be replaced
    by `attend_global`.

    On the CPU block after block, which keeps keys and scores in cache; on a device all blocks at once, padded.
    """
    if q.is_cuda:
        return _all_at_once(q, k, v, plan.blocks, dropout)
    found: Tensor = _OneByOne.apply(q, k, v, plan, dropout)
    return found


def attend_global(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, out: Tensor, dropout: float = 0.0) -> Tensor:
    """`out` (T, H, D) with the rows of global tokens replaced: each sees every token of its own window."""
    for where, rows in plan.windows:
        found = _attention(q[rows], k[where], v[where], None, dropout)
        out = out.index_copy(0, rows, found)
    return out


class _OneByOne(torch.autograd.Function):
    """Block after block. Backward computes each block anew instead of keeping what it gathered, and adds into one
    gradient: autograd would fill a gradient of the whole batch for every block."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float) -> Tensor:
        ctx.save_for_backward(q, k, v)
        ctx.plan, ctx.dropout = plan, dropout
        ctx.random_state = torch.get_rng_state() if dropout else None
        found = torch.empty_like(q, memory_format=torch.contiguous_format)
        for b in plan.blocks:
            found[b.start : b.stop] = _attention(q[b.start : b.stop], k[b.keys], v[b.keys], b.mask, dropout)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v = ctx.saved_tensors
        grads = tuple(torch.zeros_like(x, memory_format=torch.contiguous_format) for x in (q, k, v))
        with torch.random.fork_rng(devices=[], enabled=ctx.dropout > 0), torch.enable_grad():
            if ctx.dropout:
                torch.set_rng_state(ctx.random_state)
            for b in ctx.plan.blocks:
                where = (slice(b.start, b.stop), b.keys, b.keys)
                parts = [x[at].detach().requires_grad_() for x, at in zip((q, k, v), where, strict=True)]
                out = _attention(*parts, b.mask, ctx.dropout)
                for total, at, part in zip(
                    grads, where, torch.autograd.grad(out, parts, grad[b.start : b.stop]), strict=True
                ):
                    total[at] += part  # a block names each key once, so nothing is overwritten
        return *grads, None, None


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    """Plain attention of q (R, H, D) over k and v (U, H, D), with mask (R, U): (R, H, D)."""
    q, k, v = (x.transpose(0, 1)[None] for x in (q, k, v))  # (1, H, …, D)
    seen = None if mask is None else mask[None, None]
    return scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=dropout)[0].transpose(0, 1)


def _all_at_once(q: Tensor, k: Tensor, v: Tensor, blocks: tuple[PackedBlock, ...], dropout: float) -> Tensor:
    """The blocks as one padded batch. A padded query sees the keys of its block; its row is dropped."""
    rows = max(b.stop - b.start for b in blocks)
    indices = [_indices(b.keys, q.device) for b in blocks]
    width = max(len(i) for i in indices)
    keys = torch.stack([pad(i, (0, width - len(i))) for i in indices])  # (blocks, U)
    mask = torch.stack([_padded_mask(b, len(i), rows, width, q.device) for b, i in zip(blocks, indices, strict=True)])
    asked = torch.stack([_queries(b, rows, q.device) for b in blocks])  # (blocks, R)
    qb, kb, vb = (x.transpose(1, 2) for x in (q[asked], k[keys], v[keys]))  # (blocks, H, …, D)
    found = scaled_dot_product_attention(qb, kb, vb, attn_mask=mask[:, None], dropout_p=dropout)
    real = torch.cat([torch.arange(b.stop - b.start, device=q.device) + i * rows for i, b in enumerate(blocks)])
    return found.transpose(1, 2).flatten(0, 1)[real]


def _indices(keys: Tensor | slice, device: torch.device) -> Tensor:
    return torch.arange(keys.start, keys.stop, device=device) if isinstance(keys, slice) else keys


def _queries(block: PackedBlock, rows: int, device: torch.device) -> Tensor:
    return torch.arange(block.start, block.start + rows, device=device).clamp(max=block.stop - 1)


def _padded_mask(block: PackedBlock, keys: int, rows: int, width: int, device: torch.device) -> Tensor:
    """(rows, width) bool: False at padded keys; a padded query sees every real key, so that no row is empty."""
    count = block.stop - block.start
    seen = torch.ones(count, keys, dtype=torch.bool, device=device) if block.mask is None else block.mask
    seen = torch.cat([seen, seen.new_ones(rows - count, keys)])
    return pad(seen, (0, width - keys))
