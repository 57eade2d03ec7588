"""What block attention is held against: one softmax over the whole window with the exact mask, and layouts to try."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from models.attention.attend import attend, attend_global
from models.attention.kinds import kind
from models.attention.layout import Layout
from models.attention.pack import PackedPlan, pack_plans
from models.attention.plan import make_plan
from models.registry import names

PARAMETERS = {
    "sliding": {"window": 5},
    "distance": {"neighbours": 9},
    "dilated": {"window": 3, "dilations": (1, 3)},
    "random": {"blocks": 2, "block": 8},
    "distance-sw": {"neighbours": 9},
}
KINDS = [name.replace("_", "-") for name in names("models.attention.kinds")]
ADDABLE = [name for name in KINDS if kind(name).allowed]
LENGTHS = (1, 7, 64, 101, 130)
BLOCK = 16
HEADS, CHANNELS = 2, 4
Three = tuple[Tensor, Tensor, Tensor]


def layout(length: int, global_tokens: Sequence[int] = (), seed: int = 0) -> Layout:
    """Words on lines of a page; many tokens share a word's centre. Global tokens beyond the end are left out."""
    draw = np.random.default_rng(seed)
    words = np.cumsum(draw.random(length) < 0.5)
    centres = np.stack([72.0 + words % 9 * 50, 80.0 + words // 9 * 14], axis=1).astype(np.float32)
    is_global = np.zeros(length, dtype=bool)
    is_global[[i for i in global_tokens if i < length]] = True
    return Layout(centres, is_global)


def planned(layouts: Sequence[Layout], name: str, block: int = BLOCK, device: str = "cpu") -> PackedPlan:
    """The plan of windows packed end to end, in blocks however short they are."""
    made = kind(name, PARAMETERS)
    return pack_plans([make_plan(each, made, block=block, dense_share=9) for each in layouts]).to(device)


def dense_mask(each: Layout, name: str) -> Tensor:
    """(G, N, N) bool: which key a query sees, global tokens included, for each of G groups of heads."""
    seen = kind(name, PARAMETERS).allowed(each, 0, each.n)
    seen = seen if seen.ndim == 3 else seen[None]
    seen[:, :, each.is_global] = True
    seen[:, each.is_global, :] = True
    return torch.from_numpy(seen)


def dense(q: Tensor, k: Tensor, v: Tensor, layouts: Sequence[Layout], name: str) -> Tensor:
    """Attention of packed windows (T, H, D), window by window, written out."""
    found, offset = [], 0
    for each in layouts:
        at = slice(offset, offset + each.n)
        way = _masked if kind(name).allowed else _paired
        found.append(way(q[at], k[at], v[at], each, name))
        offset += each.n
    return torch.cat(found)


def _masked(q: Tensor, k: Tensor, v: Tensor, each: Layout, name: str) -> Tensor:
    mask = dense_mask(each, name).to(q.device)
    scores = torch.einsum("rhd,uhd->hru", q, k) / q.shape[-1] ** 0.5
    hidden = ~mask.repeat_interleave(q.shape[1] // len(mask), dim=0)
    return torch.einsum("hru,uhd->rhd", scores.masked_fill(hidden, -torch.inf).softmax(-1), v)


def _paired(q: Tensor, k: Tensor, v: Tensor, each: Layout, name: str) -> Tensor:
    """Query by query."""
    scored, weighed = kind(name, PARAMETERS).pairs(each, 0, each.n)
    everywhere = np.flatnonzero(each.is_global)
    rows = []
    for i in range(each.n):
        keys, values = (np.concatenate([part[i], everywhere]) for part in (scored, weighed))
        if each.is_global[i]:
            keys = values = np.arange(each.n)
        weights = (torch.einsum("hd,mhd->hm", q[i], k[keys]) / q.shape[-1] ** 0.5).softmax(-1)
        rows.append(torch.einsum("hm,mhd->hd", weights, v[values]))
    return torch.stack(rows)


def in_blocks(q: Tensor, k: Tensor, v: Tensor, plan: PackedPlan, dropout: float = 0.0) -> Tensor:
    """What a layer does: local rows, then the global ones."""
    return attend_global(q, k, v, plan, attend(q, k, v, plan, dropout), dropout)


def random_parts(
    length: int, device: str = "cpu", dtype: torch.dtype = torch.float64, channels: int = CHANNELS
) -> Three:
    """Queries, keys and values (length, H, D) that want gradients, always the same."""
    draw = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(length, HEADS, channels, generator=draw, dtype=dtype).to(device) for _ in range(3))
    return q.requires_grad_(), k.requires_grad_(), v.requires_grad_()


def gradients(out: Tensor, parts: Three) -> Three:
    """Those of q, k, v for a loss in which every number of `out` counts differently."""
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype, device=out.device).reshape(out.shape)
    q, k, v = torch.autograd.grad((out * weights).sum(), parts)
    return q, k, v
