"""The encoder: embeddings, then transformer blocks whose attention follows the layer's plan."""

from torch import Tensor, nn
from torch.nn.functional import gelu

from models.attention.attend import attend, attend_global
from models.attention.pack import PackedPlan
from models.batch import Batch
from models.config import LongleafConfig
from models.embeddings import Embeddings


class SelfAttention(nn.Module):
    """Multi-head attention over a plan's keys."""

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()
        self.heads = config.num_attention_heads
        self.dropout = config.attention_probs_dropout_prob
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.output = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden: Tensor, plan: PackedPlan) -> Tensor:
        """(T, hidden) → (T, hidden)."""
        q, k, v = (x.unflatten(1, (self.heads, -1)) for x in (self.query(hidden), self.key(hidden), self.value(hidden)))
        dropout = self.dropout if self.training else 0.0
        found = attend(q, k, v, plan, dropout)  # (T, H, D)
        found = attend_global(q, k, v, plan, found, dropout)
        mixed: Tensor = self.output(found.flatten(1))
        return mixed


class EncoderBlock(nn.Module):
    """A post-norm transformer block, as in BERT."""

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()
        self.attention = SelfAttention(config)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.up = nn.Linear(config.hidden_size, config.intermediate_size)
        self.down = nn.Linear(config.intermediate_size, config.hidden_size)
        self.output_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden: Tensor, plan: PackedPlan) -> Tensor:
        """(T, hidden) → (T, hidden)."""
        hidden = self.attention_norm(hidden + self.dropout(self.attention(hidden, plan)))
        wide = gelu(self.up(hidden))
        normed: Tensor = self.output_norm(hidden + self.dropout(self.down(wide)))
        return normed


class Encoder(nn.Module):
    """Embeddings and blocks; layer i attends by the plan of its own kind."""

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()
        self.kinds = config.layer_kinds
        self.embeddings = Embeddings(config)
        self.blocks = nn.ModuleList(EncoderBlock(config) for _ in self.kinds)

    def forward(self, batch: Batch) -> Tensor:
        """The tokens' hidden states, (T, hidden)."""
        hidden: Tensor = self.embeddings(batch)
        for block, kind in zip(self.blocks, self.kinds, strict=True):
            hidden = block(hidden, batch.plans[kind])
        return hidden
