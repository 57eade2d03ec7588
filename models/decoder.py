"""The attention decoder of the encoder–decoders: RAED (Legal-HNet) and LED (Longformer, arXiv:2004.05150 section 7)."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import DynamicCache, EncoderDecoderCache
from transformers.activations import ACT2FN

from models.config import LongleafConfig


class Attention(nn.Module):
    """Multi-head attention of B sequences, over themselves or over a memory."""

    def __init__(self, config: LongleafConfig, layer: int) -> None:
        super().__init__()
        size = config.hidden_size
        self.heads, self.layer = config.num_attention_heads, layer
        self.dropout = config.attention_probs_dropout_prob
        self.query, self.key, self.value = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.output = nn.Linear(size, size)

    def forward(self, hidden: Tensor, source: Tensor | None, mask: Tensor, cache: DynamicCache | None) -> Tensor:
        """hidden (B, L, C) attends to source (B, N, C) where mask, broadcast to (B, heads, L, N), is True: (B, L, C).

        source: None where the cache holds all there is to attend to; what is given is added to the cache. It may be of
        fewer sequences than hidden is, each then read by as many in turn.
        """
        q = self._split(self.query(hidden))
        if source is None:
            assert cache is not None
            kept: Any = cache.layers[self.layer]
            k, v = kept.keys, kept.values
        else:
            k, v = self._split(self.key(source)), self._split(self.value(source))
            if cache is not None:
                k, v = cache.update(k, v, self.layer)
        dropout = self.dropout if self.training else 0.0
        rows = q.shape[0] // k.shape[0]  # sequences that read the same
        if rows > 1:
            q = q.reshape(len(k), rows, *q.shape[1:]).transpose(1, 2).flatten(2, 3)  # (B, H, rows × L, D)
        found = scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout)
        if rows > 1:
            found = found.reshape(*k.shape[:2], rows, -1, k.shape[3]).transpose(1, 2).flatten(0, 1)
        mixed: Tensor = self.output(found.transpose(1, 2).flatten(2))
        return mixed

    def _split(self, hidden: Tensor) -> Tensor:
        return hidden.view(*hidden.shape[:2], self.heads, -1).transpose(1, 2)  # (B, H, L, D)


class DecoderBlock(nn.Module):
    """A post-norm block: causal self-attention, attention over the encoder's hidden states, feed-forward."""

    def __init__(self, config: LongleafConfig, layer: int) -> None:
        super().__init__()
        self.attention, self.cross_attention = Attention(config, layer), Attention(config, layer)
        self.attention_norm, self.cross_norm, self.output_norm = (
            nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps) for _ in range(3)
        )
        self.up = nn.Linear(config.hidden_size, config.intermediate_size)
        self.activation = ACT2FN[config.hidden_act]
        self.down = nn.Linear(config.intermediate_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self, hidden: Tensor, causal: Tensor, memory: Tensor | None, mask: Tensor, cache: EncoderDecoderCache | None
    ) -> Tensor:
        """(B, L, C) → (B, L, C)."""
        own = None if cache is None else cache.self_attention_cache
        other = None if cache is None else cache.cross_attention_cache
        hidden = self.attention_norm(hidden + self.dropout(self.attention(hidden, hidden, causal, own)))
        hidden = self.cross_norm(hidden + self.dropout(self.cross_attention(hidden, memory, mask, other)))
        normed: Tensor = self.output_norm(hidden + self.dropout(self.down(self.activation(self.up(hidden)))))
        return normed


class Decoder(nn.Module):
    """Word and position embeddings, then blocks that read the encoder's hidden states."""

    def __init__(self, config: LongleafConfig, layers: int, max_length: int) -> None:
        super().__init__()
        self.position = nn.Embedding(max_length, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.blocks = nn.ModuleList(DecoderBlock(config, i) for i in range(layers))

    def forward(
        self,
        ids: Tensor,
        memory: Tensor,
        mask: Tensor,
        words: nn.Embedding,
        cache: EncoderDecoderCache | None = None,
    ) -> Tensor:
        """Hidden states (B, L, C) of ids (B, L), which follow those in the cache.

        memory: the encoder's hidden states, (B, N, C); mask: (B, N) bool, False at padding. Where several texts about
        one memory are written at a time, ids has so many successive rows for each.
        """
        past = 0 if cache is None else cache.get_seq_length()
        there = past > 0  # the memory's keys and values are in the cache from the first step on
        places = torch.arange(past, past + ids.shape[1], device=ids.device)
        hidden: Tensor = self.dropout(self.norm(words(ids) + self.position(places)))
        causal = places[:, None] >= torch.arange(past + ids.shape[1], device=ids.device)  # (L, past + L)
        for block in self.blocks:
            hidden = block(hidden, causal, None if there else memory, mask[:, None, None], cache)
        return hidden


def memory_of(hidden: Tensor, windows: tuple[slice, ...]) -> tuple[Tensor, Tensor]:
    """The packed hidden states (T, C) of B windows as the decoder's memory (B, N, C), zero beyond a window's end, and
    its mask (B, N) bool."""
    return stack_memories([hidden[window] for window in windows])


def stack_memories(parts: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """The hidden states (N, C) of B texts to read as one memory and its mask, as `memory_of` gives them."""
    memory = nn.utils.rnn.pad_sequence(list(parts), batch_first=True)
    lengths = torch.tensor([len(part) for part in parts], device=memory.device)
    return memory, torch.arange(memory.shape[1], device=memory.device) < lengths[:, None]


def shifted(targets: Tensor, options: dict[str, Any]) -> Tensor:
    """The decoder's input for targets (B, L): `start`, then all but the last of them; `pad` where there is none."""
    ids = targets.masked_fill(targets == -100, options["pad"])
    return torch.cat([torch.full_like(ids[:, :1], options["start"]), ids[:, :-1]], dim=1)
