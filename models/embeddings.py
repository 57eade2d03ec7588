"""Tokens to hidden states: words, positions, layout, page and the words' written shape."""

import math

import torch
from torch import Tensor, nn

from models.batch import Batch
from models.config import LongleafConfig

WORD_SHAPES = 8
_FREQUENCIES = 8


class LayoutEmbedding(nn.Module):
    """Fourier features of a box, projected; zero at the start.

    Starting at zero leaves a warm-started encoder undisturbed; on FUNSD, embedding tables added at full rate cost a
    third of the accuracy that text alone had reached.
    """

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.projection = nn.Linear(6 * 2 * _FREQUENCIES, hidden_size, bias=False)

    def forward(self, boxes: Tensor) -> Tensor:
        """(T, 4) on a 0–1000 grid → (T, hidden)."""
        box = boxes / 1000
        sides = torch.cat([box, box[:, 2:] - box[:, :2]], dim=1)  # (T, 6): x0 y0 x1 y1 width height
        frequencies = math.pi * 2.0 ** torch.arange(_FREQUENCIES, device=boxes.device)
        angles = sides[:, :, None] * frequencies  # (T, 6, F)
        features = torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (T, 12 F)
        projected: Tensor = self.projection(features.to(self.projection.weight.dtype))
        return projected


class Embeddings(nn.Module):
    """The sum of all embeddings, normalised. Words, positions and norm carry BERT's weights after a warm start."""

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()
        self.word = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position = nn.Embedding(config.max_tokens, config.hidden_size)
        self.page = nn.Embedding(config.max_pages, config.hidden_size)
        self.shape = nn.Embedding(WORD_SHAPES, config.hidden_size)
        self.layout = LayoutEmbedding(config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def start_gently(self) -> None:
        """Set what is new beside a text encoder to zero: page, shape and layout."""
        for weight in (self.page.weight, self.shape.weight, self.layout.projection.weight):
            nn.init.zeros_(weight)

    def forward(self, batch: Batch) -> Tensor:
        """(T, hidden)."""
        pages = batch.pages.clamp(max=self.page.num_embeddings - 1)
        hidden = self.word(batch.input_ids) + self.position(batch.positions)
        hidden = hidden + self.page(pages) + self.shape(batch.shapes) + self.layout(batch.boxes)
        normed: Tensor = self.dropout(self.norm(hidden))
        return normed
