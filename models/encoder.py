"""The encoder: embeddings, then transformer blocks, each with its layer's mixer."""

from torch import Tensor, nn
from transformers.activations import ACT2FN

from models.batch import Batch
from models.config import LongleafConfig
from models.embeddings import Embeddings
from models.mixers import make_mixer


class EncoderBlock(nn.Module):
    """A post-norm transformer block, as in BERT; `mixer` names what stands where BERT has full attention."""

    def __init__(self, config: LongleafConfig, mixer: str) -> None:
        super().__init__()
        self.mixer = mixer
        self.attention = make_mixer(config, mixer)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.up = nn.Linear(config.hidden_size, config.intermediate_size)
        self.activation = ACT2FN[config.hidden_act]
        self.down = nn.Linear(config.intermediate_size, config.hidden_size)
        self.output_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden: Tensor, batch: Batch) -> Tensor:
        """(T, hidden) → (T, hidden)."""
        hidden = self.attention_norm(hidden + self.dropout(self.attention(hidden, batch, self.mixer)))
        wide = self.activation(self.up(hidden))
        normed: Tensor = self.output_norm(hidden + self.dropout(self.down(wide)))
        return normed


class Encoder(nn.Module):
    """Embeddings and blocks."""

    def __init__(self, config: LongleafConfig) -> None:
        super().__init__()
        self.embeddings = Embeddings(config)
        self.blocks = nn.ModuleList(EncoderBlock(config, mixer) for mixer in config.layer_mixers)

    def forward(self, batch: Batch) -> Tensor:
        """The tokens' hidden states, (T, hidden)."""
        hidden: Tensor = self.embeddings(batch)
        for block in self.blocks:
            hidden = block(hidden, batch)
        return hidden
