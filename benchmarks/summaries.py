"""Encoder–decoders of equal size: what reading, writing and learning cost, and how good trained ones summarise.

    python benchmarks/summaries.py [--size small] [--tokens 4096] [--written 128] [--rounds 3] [--json]
    python benchmarks/summaries.py --trained "models/{family}" --data summaries:test [--documents 50] [--json]

Costs are of models with random weights, one document of `tokens` tokens on typed pages: seconds of the encoder alone;
seconds of beam search (4 beams) for a text of `written` tokens; seconds of a step of training (forward, backward,
AdamW), for each 1,000 tokens of the document, its summary as long. The families take turns, and the least time counts.
ROUGE is that of `longleaf evaluate`, beside the documents' first three sentences.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from app.catalogue import find_model
from app.cli._documents import check_data
from benchmarks._report import print_markdown
from models.batch import Batch
from models.model import LongleafModel
from models.presets import preset
from models.seq2seq import generate
from pipeline.dataset import collate
from pipeline.encode import cut, load_tokenizer, tokenize
from pipeline.plaintext import plain_document
from pipeline.training.evaluate import run_evaluation
from pipeline.training.summaries import SUMMARY, summary_head

FAMILIES = ("raed-hnet", "raed-fnet", "led")
COSTS = {
    "parameters": "parameters",
    "read": "s to read",
    "write": "s to write",
    "learn_1000": "s of training / 1,000 tokens",
}
SCORES = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}


class Family:
    """A model with random weights, a document for it, and what one does with them."""

    def __init__(self, name: str, tokenizer: Tokenizer, options: argparse.Namespace) -> None:
        torch.manual_seed(0)
        head = summary_head(tokenizer, name)
        config = preset(name, options.size, vocab_size=tokenizer.get_vocab_size(), heads={SUMMARY: head})
        self.model = LongleafModel(config)
        self.written = min(options.written, head["max_length"] - 1)
        words = "this agreement is made between the company and each other party of it".split()
        text = " ".join(words[i] for i in torch.randint(len(words), (options.tokens,)).tolist())
        window = cut(tokenize(plain_document("a", text), tokenizer), 0, options.tokens - 2, tokenizer, config)
        target = np.random.default_rng(0).integers(1000, config.vocab_size, (1, self.written))
        self.batch: Batch = collate([window], [{SUMMARY: target}])
        self.optimiser = torch.optim.AdamW(self.model.parameters())

    @torch.inference_mode()
    def read(self) -> torch.Tensor:
        """Hidden states (1, N, hidden)."""
        return self.model.eval()(self.batch, ()).hidden_states[None]

    @torch.inference_mode()
    def write(self, memory: torch.Tensor) -> None:
        """A text of so many tokens, whatever they are."""
        mask = torch.ones(memory.shape[:2], dtype=torch.bool)
        length = {"max_new_tokens": self.written, "min_new_tokens": self.written}
        generate(self.model.eval(), SUMMARY, memory, mask, **length)

    def learn(self) -> None:
        """A step of training."""
        loss = self.model.train()(self.batch).loss
        loss.backward()
        self.optimiser.step()
        self.optimiser.zero_grad()


def costs(families: dict[str, Family], tokens: int, rounds: int) -> dict[str, list[float]]:
    """In the order of COSTS."""
    least = {name: [float("inf")] * 3 for name in families}
    for _ in range(rounds):
        for name, family in families.items():
            memory = family.read().clone()
            steps: list[Callable[[], Any]] = [family.read, lambda f=family, m=memory: f.write(m), family.learn]
            least[name] = [min(old, seconds(step)) for old, step in zip(least[name], steps, strict=True)]
    return {
        name: [families[name].model.num_parameters(), read, written, 1000 * learnt / tokens]
        for name, (read, written, learnt) in least.items()
    }


def seconds(step: Callable[[], Any]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def scores(family: str, options: argparse.Namespace) -> dict[str, list[float]]:
    """ROUGE of the family's trained model, and of the first three sentences."""
    folder = Path(str(options.trained).format(family=family))
    with TemporaryDirectory() as cache:
        data = [check_data(options.data, "test")]
        metrics = run_evaluation(folder, data, Path(cache), "summarize", limit=options.documents)["metrics"]
    return {family: [metrics[name] for name in SCORES], "lead-3": [metrics["lead_3"][name] for name in SCORES]}


def show(what: str, columns: dict[str, str], rows: dict[str, list[float]], as_json: bool) -> None:
    if as_json:
        for name, row in rows.items():
            print(json.dumps({"name": f"summaries-{what}-{name}", **dict(zip(columns, row, strict=True))}))
    else:
        cells = [
            [name, *(f"{value:,}" if isinstance(value, int) else f"{value:.3g}" for value in row)]
            for name, row in rows.items()
        ]
        print_markdown(("family", *columns.values()), cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", default=FAMILIES, help="presets with a decoder")
    parser.add_argument("--size", default="small", help="tiny, small or base")
    parser.add_argument("--tokens", type=int, default=4096, help="of the document")
    parser.add_argument("--written", type=int, default=128, help="tokens of the text")
    parser.add_argument("--rounds", type=int, default=3, help="times each is measured")
    parser.add_argument("--trained", help="measure these models' summaries instead; a folder with {family} in its path")
    parser.add_argument("--data", metavar="FOLDER[:SPLIT]", help="documents with summaries")
    parser.add_argument("--documents", type=int, help="draw no more than so many")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.trained:
        found: dict[str, list[float]] = {}
        for family in options.families:
            found |= scores(family, options)
        show("rouge", SCORES, found, options.json)
        return
    tokenizer = load_tokenizer(find_model(None))
    families = {name: Family(name, tokenizer, options) for name in options.families}
    show("cost", COSTS, costs(families, options.tokens, options.rounds), options.json)


if __name__ == "__main__":
    main()
