"""Writing text with a model that has a `generate` head, through transformers' own generation."""

from typing import Any, cast

import torch
from torch import Tensor
from transformers import (
    DynamicCache,
    EncoderDecoderCache,
    GenerationConfig,
    GenerationMixin,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.modeling_outputs import CausalLMOutputWithPast

from models.heads.generate import Head
from models.model import LongleafModel


def generate(
    model: LongleafModel,
    head: str,
    memory: Tensor,
    mask: Tensor,
    *,
    beams: int = 4,
    max_new_tokens: int = 256,
    min_new_tokens: int = 0,
    length_penalty: float = 1.0,
    no_repeat_ngram_size: int = 3,
) -> list[list[int]]:
    """Beam search over what the head would write of each memory; ids without start, stop and pad.

    memory: the encoder's hidden states, (B, N, hidden), of all windows of a document one after the other; mask: (B, N)
    bool, False at padding. At most the head's `max_length` tokens are written. Options are named as in transformers.
    """
    options = model.config.heads[head]
    most = min(max_new_tokens, options["max_length"] - 1)
    written: Any = _Writer(model, head, memory, mask).generate(
        torch.full((len(memory), 1), options["start"], device=memory.device),
        generation_config=GenerationConfig(  # type: ignore[no-untyped-call]
            bos_token_id=options["start"],
            eos_token_id=options["stop"],
            pad_token_id=options["pad"],
            num_beams=beams,
            max_new_tokens=most,
            min_new_tokens=min(min_new_tokens, most),
            length_penalty=length_penalty,
            no_repeat_ngram_size=no_repeat_ngram_size,
            do_sample=False,
        ),
    )
    unwanted = {options[name] for name in ("start", "stop", "pad")}
    return [[token for token in ids if token not in unwanted] for ids in written.tolist()]


class _Writer(PreTrainedModel, GenerationMixin):  # type: ignore[no-untyped-call]  # transformers' __init_subclass__
    """A head and what it reads as transformers' generation wants to see them: a decoder alone. Holds no weights.

    So the beams of a text share its memory, whose keys and values are neither copied nor moved at any step: of a long
    document they are most of what there is.
    """

    config_class = PreTrainedConfig
    _supports_sdpa = True

    def __init__(self, model: LongleafModel, head: str, memory: Tensor, mask: Tensor) -> None:
        part = cast(Head, model.heads[head])
        layers = len(part.decoder.blocks)
        sizes: dict[str, Any] = {"num_hidden_layers": layers, "vocab_size": len(part.bias)}
        super().__init__(PreTrainedConfig(**sizes))
        self.memory, self.mask, self.read = memory, mask, DynamicCache()
        # In a tuple, so that they do not become parts of this module: they are the model's, and only used here.
        self._parts = (part, model.encoder.embeddings.word)

    @property
    def device(self) -> torch.device:
        """Where the head is."""
        return self._parts[0].bias.device

    def forward(self, input_ids: Tensor, cache: DynamicCache, **kwargs: Any) -> CausalLMOutputWithPast:  # noqa: ANN401
        """Logits (rows, L, vocab) of input_ids (rows, L) after those in the cache; beams are successive rows."""
        head, words = self._parts
        decoded = head.decoder(input_ids, self.memory, self.mask, words, EncoderDecoderCache(cache, self.read))
        return CausalLMOutputWithPast(logits=cast(torch.FloatTensor, head.logits(decoded, words)), cache=cache)
