"""Summaries to learn from: the decoder's head, and the ids it is to write."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from models.presets import preset
from pipeline.dataset import NOT_LABELLED
from pipeline.encode import special_ids

SUMMARY = "summary"  # the head's name
_LONGEST = 512


def summary_head(tokenizer: Tokenizer, preset_name: str) -> dict[str, Any]:
    """The preset's decoder, or where it has none one that writes 512 tokens at most, with the tokenizer's ids.

    A text begins with [CLS] and ends with [SEP]. Raises ValueError for an unknown preset or a tokenizer without [PAD].
    """
    special = special_ids(tokenizer)
    if special.pad is None:
        raise ValueError("A decoder needs a tokenizer with [PAD].")
    ids = {"start": special.begin, "stop": special.end, "pad": special.pad}
    options = preset(preset_name).heads.get(SUMMARY, {"kind": "generate", "max_length": _LONGEST})
    return {**options, **ids}


def summary_target(summary: str | None, tokenizer: Tokenizer, options: Mapping[str, Any]) -> NDArray[np.int64]:
    """(1, L): the summary's ids, as many as the head with these options writes, the last of them `stop`; one -100
    where there is no summary."""
    if summary is None:
        return np.array([[NOT_LABELLED]])
    ids = tokenizer.encode(summary, add_special_tokens=False).ids[: options["max_length"] - 1]
    return np.array([[*ids, options["stop"]]])
