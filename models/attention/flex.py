"""FlexAttention (torch.nn.attention.flex_attention) as an optional kernel for a GPU, in place of `attend.attend`.

    use_kernel(model, flex.attend)      # models.mixers.attention

It works through tiles of queries × keys, and passes over those that no query sees. A plan tells the tiles that are seen
in full, which need no mask, and of the others each its own: no mask of all tokens by all tokens is ever made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, flex_attention

from models.attention.pack import PackedPlan

TILE = 128
_NONE, _ALL = 0, 1  # the places of these two among the tiles

_masks: WeakKeyDictionary[PackedPlan, dict[int, BlockMask]] = WeakKeyDictionary()


def attend(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float = 0.0) -> Tensor:
    """As `models.attention.attend.attend`: what each local query gathers, (T, H, D), from q, k, v of that shape.

    On CUDA it is compiled at the first call. On the CPU it computes all pairs and has no gradients; it is there so that
    it can be tested. Raises ValueError for a plan of pairs, and for dropout, which FlexAttention does not have.
    """
    if plan.is_paired:
        raise ValueError("FlexAttention cannot weigh values by the scores of other tokens")
    if dropout:
        raise ValueError("FlexAttention has no attention dropout; set attention_probs_dropout_prob to 0")
    heads = q.shape[1]
    made = _masks.setdefault(plan, {})  # once for all layers
    if heads not in made:
        made[heads] = block_mask(plan, heads)
    attention: Any = _compiled() if q.is_cuda else flex_attention
    found: Tensor = attention(*(x.transpose(0, 1)[None] for x in (q, k, v)), block_mask=made[heads])
    # A copy: FlexAttention needs its own for the gradient, and the rows of global tokens are replaced in what is given.
    return found[0].transpose(0, 1).clone(memory_format=torch.contiguous_format)


@cache
def _compiled() -> Callable[..., Any]:
    return torch.compile(flex_attention, dynamic=True)


def block_mask(plan: PackedPlan, heads: int) -> BlockMask:
    """What the queries of a plan see, for FlexAttention."""
    tiled = tiles(plan)
    tile, at = tiled.tile, tiled.at
    group = heads // len(at)

    def seen(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return tile[at[head // group, query // TILE, key // TILE], query % TILE, key % TILE]

    each_head = at.repeat_interleave(group, dim=0)[None] if len(at) > 1 else at[None]
    length = plan.blocks[-1].rows.stop
    return BlockMask.from_kv_blocks(
        *_listed(each_head > _ALL), *_listed(each_head == _ALL), TILE, seen, seq_lengths=(length, length)
    )


def _listed(chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Of (…, n, n) bool: how many are True in each row, and where they are, (…, n, n) with those first; int32."""
    places = chosen.int().argsort(dim=-1, descending=True, stable=True)
    return chosen.sum(-1, dtype=torch.int32), places.int()


@dataclass(frozen=True)
class Tiles:
    """A plan over T tokens as n × n tiles of TILE queries × TILE keys, for G groups of heads.

    tile: (P, TILE, TILE) bool, the different ones: none seen, all seen, and each that is seen in part.
    at: (G, n, n) int64, which of them stands where.
    """

    tile: Tensor
    at: Tensor


def tiles(plan: PackedPlan) -> Tiles:
    """The plan in tiles, wherever its blocks begin and end. Memory grows with what is seen, and by n² numbers."""
    count = -(-plan.blocks[-1].rows.stop // TILE)
    groups = max(b.mask.shape[0] if b.mask is not None and b.mask.ndim == 3 else 1 for b in plan.blocks)
    at = torch.full((groups, count, count), _NONE, device=plan.device)
    found = [torch.arange(2, device=plan.device).bool().view(2, 1, 1).expand(2, TILE, TILE)]
    there = 2
    for row in range(count):
        columns, seen = _row(plan, row * TILE, groups)
        whole = seen.all(dim=(2, 3))
        partly = seen.any(dim=(2, 3)) & ~whole
        numbers = there - 1 + partly.flatten().cumsum(0).view_as(partly)
        at[:, row, columns] = torch.where(partly, numbers, whole.long())
        found.append(seen[partly])
        there += len(found[-1])
    return Tiles(torch.cat(found), at)


def _row(plan: PackedPlan, first: int, groups: int) -> tuple[Tensor, Tensor]:
    """The tiles of queries from `first` on: the K columns in which there is a key, and what is seen there,
    (G, K, TILE, TILE) bool."""
    blocks = [b for b in plan.blocks if b.rows.start < first + TILE and b.rows.stop > first]
    keys = [b.keys if isinstance(b.keys, Tensor) else _range(b.keys, plan.device) for b in blocks]
    columns = (torch.cat(keys) // TILE).unique()  # type: ignore[no-untyped-call]  # torch's own
    seen = torch.zeros(groups, TILE, len(columns), TILE, dtype=torch.bool, device=plan.device)
    for block, its in zip(blocks, keys, strict=True):
        start, stop = max(block.rows.start, first), min(block.rows.stop, first + TILE)
        mask = slice(start - block.rows.start, stop - block.rows.start)
        place = torch.searchsorted(columns, its // TILE)
        part = True if block.mask is None else block.mask[..., mask, :]
        seen[:, start - first : stop - first, place, its % TILE] = part
    return columns, seen.transpose(1, 2)


def _range(run: slice, device: torch.device | str) -> Tensor:
    return torch.arange(run.start, run.stop, device=device)
