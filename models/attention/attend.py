"""The one attention kernel: for each block of queries, ordinary attention over the keys that block needs.

Windows of a batch are packed end to end (no padding between them), so queries, keys and values are (T, H, D): T tokens
of all windows, H heads, D channels a head.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import dropout as drop
from torch.nn.functional import scaled_dot_product_attention

from models.attention.pack import PackedBlock, PackedPairs, PackedPlan


def attend(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float = 0.0) -> Tensor:
    """What each local query gathers, (T, H, D), from q, k, v of that shape. Rows of global tokens are to be replaced
    by `attend_global` or `attend_unprojected`, in place: no gradient needs what is given back.

    On the CPU block after block, which keeps keys and scores in cache; on a device all blocks at once, padded.
    """
    if torch.compiler.is_compiling():  # torch.export follows operations, not a gradient of our own
        return _every_block(q, k, v, plan, dropout)
    if not q.is_cuda:
        found: Tensor = _OneByOne.apply(q, k, v, plan, dropout)  # type: ignore[no-untyped-call]
        return found
    return (_every_block if plan.is_paired else _all_at_once)(q, k, v, plan, dropout)


def attend_global(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, out: Tensor, dropout: float = 0.0) -> Tensor:
    """`out` (T, H, D), its rows of global tokens replaced in place: each sees every token of its own window."""
    for where, rows in plan.windows:
        found = _attention(q[rows], k[where], v[where], None, dropout)
        out.index_copy_(0, rows, found)
    return out


def attend_unprojected(q: Tensor, hidden: Tensor, key: nn.Linear, value: nn.Linear, dropout: float = 0.0) -> Tensor:
    """Attention of a few queries (G, H, D) over all tokens' hidden states (N, C), as if `key` and `value` had projected
    each: (G, H, D).

    Scores and sums are linear in what is projected, so the projections are moved to the queries' side: for one global
    token that is a hundredth of the work of projecting 4,096 tokens twice.
    """
    g, h, d = q.shape
    if not torch.compiler.is_compiling() and g * h > hidden.shape[1]:  # many global tokens: projecting costs less
        k, v = (layer(hidden).view(-1, h, d) for layer in (key, value))
        return _attention(q, k, v, None, dropout)
    by_key, by_value = (layer.weight.view(h, d, -1) for layer in (key, value))  # (H, D, C)
    probes = torch.einsum("ghd,hdc->ghc", q, by_key).flatten(0, 1)
    scores = probes @ hidden.T + (q * key.bias.view(h, d)).sum(-1).view(-1, 1)  # (G H, N)
    weights = drop((scores / d**0.5).softmax(-1), dropout, training=dropout > 0)
    gathered = (weights @ hidden).view(g, h, -1)  # (G, H, C)
    bias = value.bias.view(h, d) * weights.sum(1).view(g, h, 1)
    found: Tensor = torch.einsum("ghc,hdc->ghd", gathered, by_value) + bias
    return found


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
            found[b.rows] = _block(q[b.rows], k[b.keys], v[b.values], b, dropout)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        # Sums over many blocks are kept in float32 at least, whatever autocast computes in.
        wide = torch.promote_types(ctx.saved_tensors[0].dtype, torch.float32)
        totals = tuple(torch.zeros(x.shape, dtype=wide, device=x.device) for x in ctx.saved_tensors)
        with torch.random.fork_rng(devices=[], enabled=ctx.dropout > 0), torch.enable_grad():
            if ctx.dropout:
                torch.set_rng_state(ctx.random_state)
            for b in ctx.plan.blocks:
                where = (b.rows, b.keys, b.values)
                parts = [x[at].detach().requires_grad_() for x, at in zip(ctx.saved_tensors, where, strict=True)]
                out = _block(parts[0], parts[1], parts[2], b, ctx.dropout)
                for total, at, part in zip(totals, where, torch.autograd.grad(out, parts, grad[b.rows]), strict=True):
                    total[at] += part  # a block names each key once, so nothing is overwritten
        return *(t.to(x.dtype) for t, x in zip(totals, ctx.saved_tensors, strict=True)), None, None


def _block(q: Tensor, k: Tensor, v: Tensor, block: PackedBlock, dropout: float) -> Tensor:
    """Attention of one block's queries q (R, H, D) over its keys k (U, H, D) and values v (V, H, D): (R, H, D)."""
    if block.pairs is None:
        return _attention(q, k, v, block.mask, dropout)
    return _paired(q, k, v, block.pairs, dropout)


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    """Plain attention of q (R, H, D) over k and v (U, H, D), with mask (R, U), or (G, R, U) for G groups of heads:
    (R, H, D)."""
    groups = mask.shape[0] if mask is not None and mask.ndim == 3 else 1
    q, k, v = (x.view(x.shape[0], groups, -1, x.shape[2]).permute(1, 2, 0, 3) for x in (q, k, v))  # (G, H / G, …, D)
    seen = None if mask is None else mask.unsqueeze(-3) if mask.ndim == 3 else mask[None, None]
    found = scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=dropout)
    return found.permute(2, 0, 1, 3).flatten(1, 2)


def _paired(q: Tensor, k: Tensor, v: Tensor, pairs: PackedPairs, dropout: float) -> Tensor:
    """Attention whose scores are one token's and whose values another's, (R, H, D)."""
    q, k, v = (x.transpose(0, 1) for x in (q, k, v))  # (H, …, D)
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(1, 2)  # (H, R, U)
    shape = (len(q), -1, -1)
    weights = scores.gather(2, pairs.scored.expand(shape)).softmax(-1)  # (H, R, M)
    weights = drop(weights, dropout, training=dropout > 0)
    spread = weights.new_zeros(len(q), pairs.scored.shape[0], v.shape[1])
    spread = spread.scatter(2, pairs.weighed.expand(shape), weights)  # (H, R, V)
    return (spread @ v).transpose(0, 1)


def _every_block(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float) -> Tensor:
    """Block after block, each as a step of its own: for what cannot be padded on a device, plans of pairs, and to be
    exported."""
    return torch.cat([_block(q[b.rows], k[b.keys], v[b.values], b, dropout) for b in plan.blocks])


def _all_at_once(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float) -> Tensor:
    """The blocks as one padded batch, for a device that is quicker with few large steps."""
    blocks = plan.padded
    qb, kb, vb = (x.transpose(1, 2) for x in (q[blocks.queries], k[blocks.keys], v[blocks.keys]))  # (n, H, …, D)
    groups = blocks.mask.shape[1]
    mask = blocks.mask if groups == 1 else blocks.mask.repeat_interleave(q.shape[1] // groups, dim=1)
    found = scaled_dot_product_attention(qb, kb, vb, attn_mask=mask, dropout_p=dropout)
    return found.transpose(1, 2).flatten(0, 1)[blocks.real]
