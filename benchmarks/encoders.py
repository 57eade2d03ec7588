"""Whole encoders against their peers, all in this run, on the CPU: seconds and peak memory as documents grow.

    python benchmarks/encoders.py [--lengths 512 1024 …] [--rounds 3] [--picture FILE.svg] [--json]

Two layers of base width (768, 12 heads), random weights, one document on a made-up page layout, its first token global.
Each model at each length runs in a process of its own, which tells its own peak memory; the models take turns, round
after round, and the least time counts. `longformer`, `led` and `fnet` have the very weights of their peers in
transformers, and the script exits 1 where their output differs by more than 1e-3; `sw` and `longleaf` are as large.

    dense           transformers' RoBERTa, scaled_dot_product_attention, every token sees all
    hf-longformer   transformers' Longformer, window 512; hf-led its encoder in LED; hf-fnet FNet
"""

import argparse
import ctypes
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import (
    FNetConfig,
    FNetModel,
    LEDConfig,
    LEDForConditionalGeneration,
    LongformerConfig,
    LongformerModel,
    PreTrainedModel,
    RobertaConfig,
    RobertaModel,
)

from benchmarks._report import Row, report
from benchmarks.attention import page_layout
from models.attention.kinds import kind
from models.attention.layout import Layout
from models.attention.pack import pack_plans
from models.attention.plan import make_plan
from models.batch import Batch
from models.checkpoint import import_published
from models.model import LongleafModel
from models.presets import preset

VOCABULARY, LAYERS, TOLERANCE = 1000, 2, 1e-3
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)
PRESETS = {"sw": "sw", "longleaf": "longleaf", "hnet": "hnet-4096"}
SAME_WEIGHTS = {"longformer": "hf-longformer", "led": "hf-led", "fnet": "hf-fnet"}
PEERS = ("dense", *SAME_WEIGHTS.values())
OURS = (*PRESETS, *SAME_WEIGHTS)
COMPARED = (
    *((ours, peer) for ours in ("sw", "longleaf", "longformer") for peer in ("hf-longformer", "dense")),
    ("led", "hf-led"),
    ("hnet", "hf-fnet"),
    ("fnet", "hf-fnet"),
    ("hnet", "dense"),
)
_BASE: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 768,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
}


@dataclass(frozen=True)
class Measured:
    """seconds: of one forward.  memory: MB that the process grew by from before the first.  plan_seconds: to plan."""

    seconds: float
    memory: float
    plan_seconds: float = 0.0


def peer(name: str, length: int) -> PreTrainedModel:
    """transformers' own model, in eval mode, for documents of that length."""
    torch.manual_seed(0)
    positions = {"max_position_embeddings": length + 2}
    if name == "hf-longformer":
        return LongformerModel(LongformerConfig(**_BASE, **positions, attention_window=512)).eval()
    if name == "hf-fnet":
        return FNetModel(FNetConfig(**_without_heads(), max_position_embeddings=length)).eval()
    if name == "hf-led":
        sizes = {"encoder_layers": LAYERS, "encoder_ffn_dim": 3072, "encoder_attention_heads": 12}
        decoder = {"decoder_layers": 1, "decoder_ffn_dim": 3072, "decoder_attention_heads": 12}
        lengths = {"max_encoder_position_embeddings": length, "max_decoder_position_embeddings": 16}
        words = {"vocab_size": VOCABULARY, "d_model": 768, "attention_window": 512}
        return LEDForConditionalGeneration(LEDConfig(**words, **sizes, **decoder, **lengths)).eval()
    return RobertaModel(RobertaConfig(**_BASE, **positions)).eval()


def _without_heads() -> dict[str, Any]:
    return {name: value for name, value in _BASE.items() if name != "num_attention_heads"}


def document(length: int) -> tuple[Tensor, Layout]:
    """Token ids (N,), none of them special, and where they are; the first is global."""
    torch.manual_seed(1)
    is_global = np.zeros(length, dtype=bool)
    is_global[0] = True
    return torch.randint(5, VOCABULARY, (length,)), Layout(page_layout(length).centres, is_global)


def run_peer(model: PreTrainedModel, ids: Tensor) -> Callable[[], Tensor]:
    """A forward of its encoder over the document: hidden states (N, 768)."""
    given: dict[str, Tensor] = {"input_ids": ids[None]}
    if isinstance(model, LongformerModel | LEDForConditionalGeneration):
        first = torch.zeros(1, len(ids), dtype=torch.long)
        first[0, 0] = 1
        given |= {"attention_mask": torch.ones_like(first), "global_attention_mask": first}
    encoder: Any = model.get_encoder() if isinstance(model, LEDForConditionalGeneration) else model
    return lambda: encoder(**given).last_hidden_state[0]


def ours(name: str, length: int) -> LongleafModel:
    """One of our presets, or a peer's weights in our model."""
    if name in SAME_WEIGHTS:
        with tempfile.TemporaryDirectory() as folder:
            peer(SAME_WEIGHTS[name], length).save_pretrained(folder)
            return import_published(Path(folder))[0].eval()
    torch.manual_seed(0)
    return LongleafModel(preset(PRESETS[name], "base", **_BASE, max_tokens=length)).eval()


def run_ours(model: LongleafModel, ids: Tensor, layout: Layout) -> tuple[Callable[[], Tensor], float]:
    """A forward of the encoder over the document, (N, 768), and the seconds its plans took."""
    config, n, zeros = model.config, len(ids), torch.zeros(len(ids), dtype=torch.long)
    start = time.perf_counter()
    plans = {name: pack_plans([make_plan(layout, kind(name, config.kinds))]) for name in config.attention_kinds}
    spent = time.perf_counter() - start
    boxes = torch.zeros(n, 4)
    batch = Batch(ids, torch.arange(n), boxes, zeros, zeros, zeros, torch.tensor([0]), plans, {})
    return lambda: model.encoder(batch), spent


def measure_here(name: str, length: int) -> Measured:
    """In this process, which must have measured nothing else."""
    ids, layout = document(length)
    planned = 0.0
    if name in PEERS:
        step = run_peer(peer(name, length), ids)
    else:
        step, planned = run_ours(ours(name, length), ids, layout)
    before = _start_peak()
    step()
    least, since = float("inf"), time.perf_counter()
    for _ in range(5):
        start = time.perf_counter()
        step()
        least = min(least, time.perf_counter() - start)
        if time.perf_counter() - since > 6:
            break
    return Measured(least, _memory("VmHWM") - before, planned)


def _start_peak() -> float:
    """Give back what building the model left behind, begin a new peak, and tell the memory in use, MB (Linux)."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(name: str) -> float:
    """A line of this process's status, MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def measure_apart(name: str, length: int) -> Measured:
    """In a process of its own; SystemExit where that fails."""
    command = [sys.executable, __file__, "--one", name, "--lengths", str(length)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name} at {length} tokens failed: {done.stderr}")
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def differences(length: int) -> dict[str, float]:
    """The largest difference between a peer's hidden states and those of ours with its weights."""
    ids, layout = document(length)
    found = {}
    for name, theirs in SAME_WEIGHTS.items():
        mine, _ = run_ours(ours(name, length), ids, layout)
        found[name] = float((mine() - run_peer(peer(theirs, length), ids)()).abs().max())
    return found


def measure_all(lengths: list[int], rounds: int) -> dict[tuple[str, int], Measured]:
    """Every model at every length, the least of the rounds."""
    found: dict[tuple[str, int], Measured] = {}
    for length in lengths:
        for turn in range(rounds):
            for name in (*OURS, *PEERS):
                print(f"{name} at {length} tokens, round {turn + 1} of {rounds}", file=sys.stderr)
                new, old = measure_apart(name, length), found.get((name, length))
                parts = zip(asdict(new).items(), asdict(old or new).values(), strict=True)
                found[name, length] = Measured(**{field: min(a, b) for (field, a), b in parts})
    return found


def rows(found: dict[tuple[str, int], Measured], lengths: list[int], apart: dict[str, float]) -> list[Row]:
    """Seconds and memory of every comparison at every length, and how ours grow from 4,096 to 16,384 tokens."""
    made = []
    for length in lengths:
        for mine, theirs in COMPARED:
            a, b = found[mine, length], found[theirs, length]
            same = mine in SAME_WEIGHTS and SAME_WEIGHTS[mine] == theirs
            note = f"seconds{f'; same weights, largest difference {apart[mine]:.0e}' if same else ''}"
            made.append(Row(f"{mine}-vs-{theirs}-{length}", a.seconds, b.seconds, note))
            made.append(Row(f"{mine}-vs-{theirs}-{length}-memory", a.memory, b.memory, "MB above the loaded model"))
    if {4096, 16384} <= set(lengths):
        for name in (*OURS, *PEERS):
            short, long = found[name, 4096], found[name, 16384]
            made.append(Row(f"{name}-growth-4096-to-16384", long.seconds / short.seconds, 4.0, "times the seconds"))
            made.append(Row(f"{name}-growth-memory", long.memory / short.memory, 4.0, "times the memory"))
    return made


def draw(found: dict[tuple[str, int], Measured], lengths: list[int], file: Path) -> None:
    """Seconds and memory against length, ours in full lines."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "longleaf"
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    names = ("dense", "longformer", "led", "fnet", "sw", "longleaf", "hnet")
    colours = dict(zip(names, mpl.color_sequences["tab10"], strict=False))
    units = {"seconds": "seconds a document", "memory": "MB above the loaded model"}
    for axis, (part, unit) in zip(axes, units.items(), strict=True):
        for name in (*OURS, *PEERS):
            values = [getattr(found[name, length], part) for length in lengths]
            style = "--" if name in PEERS else "-"
            axis.plot(lengths, values, style, marker="o", ms=3, label=name, color=colours[name.removeprefix("hf-")])
        axis.set(xscale="log", yscale="log", xlabel="tokens", ylabel=unit, xticks=lengths, xticklabels=lengths)
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=int, nargs="+", default=list(LENGTHS), help="tokens")
    parser.add_argument("--rounds", type=int, default=3, help="times each is measured")
    parser.add_argument("--picture", type=Path, help="an .svg of how they grow")
    parser.add_argument("--one", choices=(*OURS, *PEERS), help="measure this one alone, in this process")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with torch.inference_mode():
        if options.one:
            print(json.dumps(asdict(measure_here(options.one, options.lengths[0]))))
            return
        apart = differences(min(options.lengths, key=lambda n: abs(n - 4096)))
    if max(apart.values()) > TOLERANCE:
        sys.exit(f"Ours and theirs differ: {apart}")
    found = measure_all(options.lengths, options.rounds)
    report(rows(found, options.lengths, apart), options.json)
    if options.picture:
        draw(found, options.lengths, options.picture)


if __name__ == "__main__":
    main()
