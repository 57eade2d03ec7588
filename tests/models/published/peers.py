"""transformers' own models, small and drawn at random, beside ours on their weights."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel

from models.attention.kinds import kind
from models.attention.layout import Layout
from models.attention.plan import make_plan
from models.batch import Batch
from models.checkpoint import import_published
from models.config import LongleafConfig
from models.model import LongleafModel
from models.translate import Account
from pipeline.dataset import collate
from pipeline.encode import EncodedDocument

VOCABULARY = 90
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}


def shaken(peer: PreTrainedModel, seed: int = 0) -> Any:  # noqa: ANN401 (a model of any of transformers' classes)
    """The model with everything in it drawn anew, so that everything counts; in eval mode."""
    torch.manual_seed(seed)
    for name, weight in peer.named_parameters():
        centre = float("norm" in name.lower() and name.endswith("weight"))
        torch.nn.init.normal_(weight, mean=centre, std=0.2)
    return peer.eval()


def imported(peer: PreTrainedModel, folder: Path, **options: Any) -> tuple[LongleafModel, Account]:  # noqa: ANN401
    """The model saved and read as ours."""
    peer.save_pretrained(folder)
    return import_published(folder, **options)


def ids(length: int, seed: int = 1) -> Tensor:
    """Tokens, (length,); the first few entries of the vocabulary, which are special, are not among them."""
    return torch.randint(5, VOCABULARY, (length,), generator=torch.Generator().manual_seed(seed))


def batch(
    config: LongleafConfig, windows: Sequence[Tensor], is_global: Sequence[int] = (0,), boxes: Tensor | None = None
) -> Batch:
    """Windows of these tokens; the tokens at `is_global` are global; boxes: (N, 4) of the tokens of every window."""
    return collate([_window(config, tokens.numpy(), is_global, boxes) for tokens in windows])


def _window(config: LongleafConfig, tokens: Any, is_global: Sequence[int], boxes: Tensor | None) -> EncodedDocument:  # noqa: ANN401
    n = len(tokens)
    marks = np.zeros(n, dtype=bool)
    marks[list(is_global)] = True
    layout = Layout(np.zeros((n, 2), dtype=np.float32), marks)
    nothing = np.zeros(n, dtype=np.int64)
    return EncodedDocument(
        start=0,
        stop=n - 2,
        input_ids=tokens,
        positions=np.arange(n),
        boxes=np.zeros((n, 4), dtype=np.float32) if boxes is None else boxes.numpy()[:n],
        pages=nothing,
        shapes=nothing,
        plans={name: make_plan(layout, kind(name, config.kinds)) for name in config.attention_kinds},
    )


def padded(windows: Sequence[Tensor], pad: int) -> tuple[Tensor, Tensor]:
    """Tokens as a batch of transformers', (B, N), and its attention mask."""
    filled = torch.nn.utils.rnn.pad_sequence(list(windows), batch_first=True, padding_value=pad)
    lengths = torch.tensor([len(tokens) for tokens in windows])
    return filled, (torch.arange(filled.shape[1]) < lengths[:, None]).long()


def marked(shape: Sequence[int], is_global: Sequence[int]) -> Tensor:
    """transformers' global attention mask, (B, N)."""
    mask = torch.zeros(*shape, dtype=torch.long)
    mask[:, list(is_global)] = 1
    return mask


def difference(found: Tensor, wanted: Tensor) -> float:
    """The largest between two tensors of one shape."""
    assert found.shape == wanted.shape
    return float((found - wanted).abs().max())
