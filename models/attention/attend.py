"""The one attention kernel: for each block of queries, ordinary attention over the keys that block needs.

Windows of a batch are packed end to end (no padding between them), so queries, keys and values are (T, H, D): T tokens
of all windows, H heads, D channels a head.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import scaled_dot_product_attention

from models.attention.pack import PackedPlan


def attend(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float = 0.0) -> Tensor:
    """What each local query gathers, (T, H, D), from q, k, v of that shape. Rows of global tokens are to be replaced
    by `attend_global`.

    On the CPU block after block, which keeps keys and scores in cache; on a device all blocks at once, padded.
    """
    if q.is_cuda:
        return _all_at_once(q, k, v, plan, dropout)
    found: Tensor = _OneByOne.apply(q, k, v, plan, dropout)  # type: ignore[no-untyped-call]
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
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float) -> Tensor:  # noqa: ANN401
        ctx.save_for_backward(q, k, v)
        ctx.plan, ctx.dropout = plan, dropout
        ctx.random_state = torch.get_rng_state() if dropout else None
        found = torch.empty_like(q, memory_format=torch.contiguous_format)
        for b in plan.blocks:
            found[b.start : b.stop] = _attention(q[b.start : b.stop], k[b.keys], v[b.keys], b.mask, dropout)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        q, k, v = ctx.saved_tensors
        grads = tuple(torch.zeros_like(x, memory_format=torch.contiguous_format) for x in (q, k, v))
        with torch.random.fork_rng(devices=[], enabled=ctx.dropout > 0), torch.enable_grad():
            if ctx.dropout:
                torch.set_rng_state(ctx.random_state)
            for b in ctx.plan.blocks:
                where = (slice(b.start, b.stop), b.keys, b.keys)
                parts = [x[at].detach().requires_grad_() for x, at in zip((q, k, v), where, strict=True)]
                out = _attention(parts[0], parts[1], parts[2], b.mask, ctx.dropout)
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


def _all_at_once(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float) -> Tensor:
    """The blocks as one padded batch, for a device that is quicker with few large steps."""
    blocks = plan.padded
    qb, kb, vb = (x.transpose(1, 2) for x in (q[blocks.queries], k[blocks.keys], v[blocks.keys]))  # (n, H, …, D)
    found = scaled_dot_product_attention(qb, kb, vb, attn_mask=blocks.mask[:, None], dropout_p=dropout)
    return found.transpose(1, 2).flatten(0, 1)[blocks.real]
