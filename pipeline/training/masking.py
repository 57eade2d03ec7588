"""Tokens to guess: 15 % of a document's, by whole words, and batches of windows in which they are hidden."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.utils.data import Dataset

from models.config import LongleafConfig
from models.embeddings import WORD_SHAPES
from pipeline.dataset import NOT_LABELLED, Targets
from pipeline.encode import EncodedDocument, Tokens, cut, special_ids
from pipeline.training.packing import Window

HEAD = "mlm"
SHARE = 0.15  # BERT, arXiv:1810.04805 section 3.1: of these 80 % become [MASK], 10 % another token, 10 % stay
_MASKED, _CHANGED = 0.8 * SHARE, 0.9 * SHARE


class Masker:
    """Hides words of documents tokenised with one tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Raises ValueError for a tokenizer without a token to hide words with."""
        mask = special_ids(tokenizer).mask
        if mask is None:
            raise ValueError("The tokenizer has no [MASK], so nothing can be hidden.")
        added = tokenizer.get_added_tokens_decoder()
        self.mask = mask
        self.special = np.array([number for number, token in added.items() if token.special])
        self.ordinary = np.setdiff1d(np.arange(tokenizer.get_vocab_size()), self.special)

    def __call__(self, tokens: Tokens, draw: np.random.Generator) -> tuple[Tokens, NDArray[np.int64]]:
        """(the document with hidden words, for each token the one that stood there or -100 where it was not chosen).

        What happens to a word happens to all its tokens; words with [UNK] are not chosen. A hidden word's written shape
        is hidden as well, its box is not, as in LayoutLM (arXiv:1912.13318 section 2.3).
        """
        words = tokens.words - tokens.words[:1]
        count = int(words.max(initial=-1)) + 1
        fate = draw.random(count)
        fate[words[np.isin(tokens.ids, self.special)]] = 1.0
        fate = fate[words]
        changed = (fate >= _MASKED) & (fate < _CHANGED)
        ids = np.where(changed, draw.choice(self.ordinary, len(tokens)), tokens.ids)
        shapes = np.where(changed, draw.integers(1, WORD_SHAPES, count)[words], tokens.shapes)
        hidden = replace(
            tokens,
            ids=np.where(fate < _MASKED, self.mask, ids).astype(np.int32),
            shapes=np.where(fate < _MASKED, 0, shapes).astype(np.int8),
        )
        return hidden, np.where(fate < SHARE, tokens.ids, NOT_LABELLED).astype(np.int64)


class MaskedBatches(Dataset[list[tuple[EncodedDocument, Targets]]]):
    """Batches of windows with hidden words, made when a DataLoader worker asks for them.

    What is hidden is drawn from the seed, the pass over the documents and the document, so it is another in each pass,
    the same in every run, and the same whatever the windows are.

    shift: whether every second window is put anywhere among the model's positions, so that all of them are trained; the
    others begin with the first, as documents do.
    """

    def __init__(
        self,
        documents: Sequence[Tokens],
        batches: Sequence[Sequence[Window]],
        tokenizer: Tokenizer,
        config: LongleafConfig,
        seed: int,
        shift: bool,
    ) -> None:
        self.documents, self.batches, self.tokenizer, self.config = documents, batches, tokenizer, config
        self.seed, self.shift, self.masker = seed, shift, Masker(tokenizer)

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, index: int) -> list[tuple[EncodedDocument, Targets]]:
        """The windows of a batch and the targets of each for the head `HEAD`."""
        return [self._window(window) for window in self.batches[index]]

    def _window(self, window: Window) -> tuple[EncodedDocument, Targets]:
        """Raises IndexError where there is no such document."""
        number, turn, start, stop = window
        hidden, stood = self.masker(self.documents[number], np.random.default_rng([self.seed, turn, number]))
        draw = np.random.default_rng([self.seed, turn, number, start])
        room = self.config.max_tokens - (stop - start) - 1
        shift = int(draw.integers(room) * draw.integers(2)) if self.shift else 0
        encoded = cut(hidden, start, stop, self.tokenizer, self.config, shift)
        return encoded, {HEAD: np.pad(stood[start:stop], 1, constant_values=NOT_LABELLED)}
