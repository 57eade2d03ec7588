"""Exact spatial attention (`distance`) against its peers, all in this run, on the CPU.

    python benchmarks/attention.py [--length 4096] [--neighbours 512] [--json]

12 heads × 64 on a made-up page layout: lines of words, the tokens of a word sharing its centre. First our output is
checked against dense attention under the same mask; the seconds are the least of several runs that take turns.

    distance-vs-gather           gathering every query's own keys and values
    distance-vs-hf-longformer    transformers' LongformerSelfAttention, window 512; both with their projections
    distance-vs-dense            scaled_dot_product_attention over all tokens, without a mask
    plan-vs-forward              planning `distance+sliding`, in a DataLoader worker, and the encoder of size small
"""

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers import LongformerConfig
from transformers.models.longformer.modeling_longformer import LongformerSelfAttention

from benchmarks._report import Row, report
from models.attention.attend import attend
from models.attention.kinds import kind
from models.attention.layout import Layout
from models.attention.pack import PackedPlan, pack_plans
from models.attention.plan import make_plan
from models.batch import Batch
from models.model import LongleafModel
from models.presets import preset

HEADS, CHANNELS, WINDOW, TOLERANCE = 12, 64, 512, 1e-5


def page_layout(length: int, seed: int = 0) -> Layout:
    """Lines of words 14 points apart, one or two tokens a word."""
    draw = np.random.default_rng(seed)
    centres: list[tuple[float, float]] = []
    line = 0
    while len(centres) < length:
        x = 72.0
        while x < 540:
            width = draw.uniform(15, 50)
            centres += [(x + width / 2, 14.0 * line)] * int(draw.integers(1, 3))
            x += width + 4
        line += 1
    return Layout(np.array(centres[:length], dtype=np.float32), np.zeros(length, dtype=bool))


def by_gathering(q: Tensor, k: Tensor, v: Tensor, keys: Tensor, chunk: int = 64) -> Tensor:
    """Every query gathers its own keys and values, (N, M) indices; so many queries at a time that memory is bounded."""
    found = []
    for start in range(0, len(q), chunk):
        rows = keys[start : start + chunk]
        scores = torch.einsum("nhd,nmhd->nhm", q[start : start + chunk], k[rows]) / CHANNELS**0.5
        found.append(torch.einsum("nhm,nmhd->nhd", scores.softmax(-1), v[rows]))
    return torch.cat(found)


def least_seconds(*steps: tuple[Callable[[], object], int]) -> list[float]:
    """For each (step, runs) its least time; the steps take turns, after one run each that is not counted."""
    times: list[list[float]] = [[] for _ in steps]
    for turn in range(max(runs for _, runs in steps) + 1):
        for (step, runs), spent in zip(steps, times, strict=True):
            if turn <= runs:
                start = time.perf_counter()
                step()
                spent.append(time.perf_counter() - start)
    return [min(spent[1:]) for spent in times]


def longformer(length: int) -> Callable[[Tensor], object]:
    """transformers' own layer on hidden states (1, N, 768)."""
    config = LongformerConfig(
        attention_window=[WINDOW], num_attention_heads=HEADS, hidden_size=HEADS * CHANNELS, num_hidden_layers=1
    )
    layer = LongformerSelfAttention(config, layer_id=0).eval()
    mask, no_token = torch.zeros(1, length), torch.zeros(1, length, dtype=torch.bool)
    return lambda hidden: layer(
        hidden,
        attention_mask=mask,
        is_index_masked=no_token,
        is_index_global_attn=no_token,
        is_global_attn=False,
    )


def measure(length: int, neighbours: int) -> list[Row]:
    """The rows; SystemExit where our output is not what dense attention under the mask gives."""
    layout = page_layout(length)
    distance = kind("distance", {"distance": {"neighbours": neighbours}})
    assert distance.allowed
    seen = distance.allowed(layout, 0, length)
    plan = pack_plans([make_plan(layout, distance)])
    keys = torch.from_numpy(np.nonzero(seen)[1].reshape(length, -1))
    hidden = torch.randn(1, length, HEADS * CHANNELS)
    projections = torch.nn.ModuleList(torch.nn.Linear(HEADS * CHANNELS, HEADS * CHANNELS) for _ in range(3))
    q, k, v = (project(hidden[0]).unflatten(1, (HEADS, CHANNELS)) for project in projections)
    qd, kd, vd = (x.transpose(0, 1)[None].contiguous() for x in (q, k, v))
    dense = scaled_dot_product_attention(qd, kd, vd, attn_mask=torch.from_numpy(seen)[None, None])[0].transpose(0, 1)
    difference = float((attend(q, k, v, plan) - dense).abs().max())
    if difference > TOLERANCE:
        sys.exit(f"Our output is {difference:.1e} away from dense attention under the same mask.")
    peer = longformer(length)
    ours, with_projections, gather, hf, full = least_seconds(
        (lambda: attend(q, k, v, plan), 7),
        (lambda: projected(hidden[0], projections, plan), 7),
        (lambda: by_gathering(q, k, v, keys), 1),
        (lambda: peer(hidden), 5),
        (lambda: scaled_dot_product_attention(qd, kd, vd), 7),
    )
    note = f"seconds; N = {length}, M = {neighbours}, largest difference {difference:.0e}"
    return [
        Row("distance-vs-gather", ours, gather, note),
        Row("distance-vs-hf-longformer", with_projections, hf, f"{note}; both with their projections"),
        Row("distance-vs-dense", ours, full, note),
    ]


def projected(hidden: Tensor, projections: torch.nn.ModuleList, plan: PackedPlan) -> Tensor:
    """Our attention with query, key and value projections before it, (N, H, D)."""
    q, k, v = (project(hidden).unflatten(1, (HEADS, CHANNELS)) for project in projections)
    return attend(q, k, v, plan)


def planning(length: int) -> Row:
    """What it takes to plan a window of the small model, against a forward of its encoder."""
    model = LongleafModel(preset("longleaf", "small", max_tokens=length)).eval()
    zeros = torch.zeros(length, dtype=torch.int64)
    layout = page_layout(length)
    kinds = {name: kind(name, model.config.kinds) for name in model.config.attention_kinds}

    def plans() -> dict[str, PackedPlan]:
        return {name: pack_plans([make_plan(layout, its)]) for name, its in kinds.items()}

    batch = Batch(zeros, zeros, torch.zeros(length, 4), zeros, zeros, zeros, zeros[:1], plans(), {})
    plan, forward = least_seconds((plans, 7), (lambda: model.encoder(batch), 5))
    return Row("plan-vs-forward", plan, forward, f"seconds; N = {length}, longleaf, 6 layers × 384")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=4096, help="tokens, a multiple of 512")
    parser.add_argument("--neighbours", type=int, default=512, help="keys of a query")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    with torch.inference_mode():
        report([*measure(options.length, options.neighbours), planning(options.length)], options.json)


if __name__ == "__main__":
    main()
