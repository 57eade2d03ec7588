"""Tokens to hidden states: words, positions, layout, page and the words' written shape."""

from torch import Tensor, nn

from models.batch import Batch
from models.config import LongleafConfig
from models.registry import pick

WORD_SHAPES = 8


class Embeddings(nn.Module):
    """The sum of all embeddings, normalised. Words, positions and norm have published weights after a warm start."""

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()
        self.word = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position = nn.Embedding(config.max_tokens, config.hidden_size)
        self.page = nn.Embedding(config.max_pages, config.hidden_size)
        self.shape = nn.Embedding(WORD_SHAPES, config.hidden_size)
        self.layout = pick("models.layouts", config.layout).Layout(config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        size = config.hidden_size
        self.projection = nn.Linear(size, size) if config.embedding_projection else nn.Identity()
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def start_gently(self) -> None:
        """Set what is new beside a text encoder to zero: page and shape."""
        for weight in (self.page.weight, self.shape.weight):
            nn.init.zeros_(weight)

    def forward(self, batch: Batch) -> Tensor:
        """(T, hidden)."""
        pages = batch.pages.clamp(max=self.page.num_embeddings - 1)
        hidden = self.word(batch.input_ids) + self.position(batch.positions)
        hidden = hidden + self.page(pages) + self.shape(batch.shapes) + self.layout(batch.boxes)
        embedded: Tensor = self.dropout(self.projection(self.norm(hidden)))
        return embedded
