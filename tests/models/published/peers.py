"""transformers' own models, small and drawn at random, beside ours on their weights."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    FNetConfig,
    FNetForMaskedLM,
    FNetModel,
    LayoutLMConfig,
    LayoutLMForMaskedLM,
    LayoutLMModel,
    LEDConfig,
    LEDForConditionalGeneration,
    LEDModel,
    LongformerConfig,
    LongformerForMaskedLM,
    LongformerModel,
    PreTrainedModel,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaModel,
)

from models.attention.kinds import kind
from models.attention.layout import Layout
from models.attention.plan import make_plan
from models.batch import Batch
from models.checkpoint import import_published
from models.config import LongleafConfig
from models.model import LongleafModel
from models.published import describe
from models.translate import Account
from pipeline.dataset import collate
from pipeline.encode import EncodedDocument

VOCABULARY, POSITIONS, WINDOW = 90, 60, 8
_COMMON: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "intermediate_size": 64,
    "hidden_dropout_prob": 0.0,
    "max_position_embeddings": POSITIONS,
}
_ATTENTION = {"num_attention_heads": 4, "attention_probs_dropout_prob": 0.0}
_LED: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "dropout": 0.0,
    "max_encoder_position_embeddings": POSITIONS,
    "max_decoder_position_embeddings": 30,
    "encoder_layers": 2,
    "decoder_layers": 3,
    **{
        f"{side}_{part}": size
        for side in ("encoder", "decoder")
        for part, size in (("ffn_dim", 64), ("attention_heads", 4))
    },
}
# Of each family the encoder alone, the model with a head, and the configuration.
FAMILIES: dict[str, tuple[Any, Any, Any, dict[str, Any]]] = {
    "bert": (BertModel, BertForMaskedLM, BertConfig, _COMMON | _ATTENTION),
    "roberta": (RobertaModel, RobertaForMaskedLM, RobertaConfig, _COMMON | _ATTENTION),
    "longformer": (
        LongformerModel,
        LongformerForMaskedLM,
        LongformerConfig,
        _COMMON | _ATTENTION | {"attention_window": WINDOW},
    ),
    "led": (LEDModel, LEDForConditionalGeneration, LEDConfig, _LED | {"attention_window": WINDOW}),
    "fnet": (FNetModel, FNetForMaskedLM, FNetConfig, _COMMON),
    "layoutlm": (LayoutLMModel, LayoutLMForMaskedLM, LayoutLMConfig, _COMMON | _ATTENTION),
}


def peer(family: str, with_head: bool = True, seed: int = 0, **changes: object) -> Any:  # noqa: ANN401 (of any class)
    """One of transformers' models with all in it drawn anew, so that everything counts; in eval mode."""
    bare, headed, configuration, sizes = FAMILIES[family]
    return shaken((headed if with_head else bare)(configuration(**{**sizes, **changes})), seed)


def shaken(made: PreTrainedModel, seed: int = 0) -> Any:  # noqa: ANN401 (a model of any of transformers' classes)
    """The model with its weights drawn anew, those of the norms around 1."""
    torch.manual_seed(seed)
    biases = [(name, bias) for name, bias in made.named_buffers() if bias.is_floating_point()]
    for name, weight in [*made.named_parameters(), *biases]:
        is_scale = "norm" in name.lower() and name.endswith("weight")
        nn.init.normal_(weight, mean=float(is_scale), std=0.2)
    return made.eval()


def imported(published: PreTrainedModel, folder: Path, **options: Any) -> tuple[LongleafModel, Account]:  # noqa: ANN401
    """The model saved and read as ours."""
    published.save_pretrained(folder)
    return import_published(folder, **options)


def ids(length: int, seed: int = 1) -> Tensor:
    """Tokens, (length,); the first few entries of the vocabulary, which are special, are not among them."""
    return torch.randint(5, VOCABULARY, (length,), generator=torch.Generator().manual_seed(seed))


def batch(
    config: LongleafConfig, windows: Sequence[Tensor], is_global: Sequence[int] = (0,), boxes: Tensor | None = None
) -> Batch:
    """Windows of these tokens; the tokens at `is_global` are global; boxes: (N, 4) of the tokens of every window."""
    return collate([_window(config, tokens.numpy(), is_global, boxes) for tokens in windows])


def boxes(length: int) -> Tensor:
    """Boxes on the grid of a page, (length, 4)."""
    corners = torch.randint(500, (length, 4), generator=torch.Generator().manual_seed(length))
    return torch.cat([corners[:, :2], corners[:, :2] + corners[:, 2:]], dim=1)


def layout(family: str, places: Tensor) -> dict[str, Tensor]:
    """The boxes (N, 4) as a model of transformers takes them, if it does."""
    return {"bbox": places[None]} if family == "layoutlm" else {}


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
        boxes=np.zeros((n, 4), dtype=np.float32) if boxes is None else boxes.float().numpy()[:n],
        pages=nothing,
        shapes=nothing,
        plans={name: make_plan(layout, kind(name, config.kinds)) for name in config.attention_kinds},
    )


def ask(
    family: str,
    published: Any,  # noqa: ANN401
    windows: Sequence[Tensor],
    is_global: Sequence[int] = (0,),
    **further: Tensor,
) -> Any:  # noqa: ANN401
    """What a model of transformers says of these tokens as one batch, filled up with padding and its attention masked.

    FNet knows no mask: its windows must be equally long. LED writes the text `labels`, or one of a single word.
    """
    filled = nn.utils.rnn.pad_sequence(list(windows), batch_first=True, padding_value=published.config.pad_token_id)
    lengths = torch.tensor([len(tokens) for tokens in windows])
    if family == "fnet":
        assert (lengths == len(filled[0])).all()
        return published(filled, output_hidden_states=True, **further)
    further["attention_mask"] = (torch.arange(filled.shape[1]) < lengths[:, None]).long()
    if family in ("longformer", "led"):
        further["global_attention_mask"] = torch.zeros_like(filled).index_fill(
            1, torch.tensor(is_global, dtype=torch.int64), 1
        )
    if family == "led" and "labels" not in further:
        further["decoder_input_ids"] = torch.full((len(filled), 1), published.config.decoder_start_token_id)
    return published(filled, output_hidden_states=True, **further)


def hidden_of(answer: Any) -> Tensor:  # noqa: ANN401
    """The encoder's hidden states in an answer, (B, N, hidden)."""
    found: Tensor = answer.get("encoder_last_hidden_state", answer.get("last_hidden_state"))
    return answer.hidden_states[-1] if found is None else found


def gradients(ours: LongleafModel, published: Any) -> Iterator[tuple[str, Tensor, Tensor]]:  # noqa: ANN401
    """(name, ours, theirs) of every weight that has a published one."""
    told = describe(published.config.to_dict())
    theirs = {name.removeprefix(told.prefix): weight for name, weight in published.named_parameters()}
    tables = [told.encoder, *(head.table for head in told.heads.values())]
    for mine, its in {mine: its for table in tables for mine, its in table.keys.items()}.items():
        if its in theirs:
            yield mine, _gradient(ours.get_parameter(mine)), _gradient(theirs[its])
    position = "encoder.embeddings.position.weight"
    rows = _gradient(theirs[told.positions.key])[told.positions.skipped :]
    yield position, _gradient(ours.get_parameter(position)), rows


def _gradient(weight: nn.Parameter) -> Tensor:
    assert weight.grad is not None
    return weight.grad


def close(found: Tensor, wanted: Tensor, far: float = 1e-5) -> None:
    """Fails where any number is farther off."""
    torch.testing.assert_close(found, wanted, rtol=0, atol=far)
