"""Document → windows of tokens with boxes, word references and attention plans.

numpy only: it runs in DataLoader workers.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.pre_tokenizers import ByteLevel

from models.attention.kinds import kind
from models.attention.layout import Layout
from models.attention.plan import Plan, make_plan
from models.config import LongleafConfig
from pipeline.text import normal
from pipeline.types import Document, Page, WordRef

GRID = 1000
NO_WORD = -1
# What begins and ends a window: BERT's names, RoBERTa's.
_ENDS = (("[CLS]", "[SEP]"), ("<s>", "</s>"))
_MASKS, _PADS = ("[MASK]", "<mask>"), ("[PAD]", "<pad>")


@dataclass(frozen=True)
class Tokens:
    """A whole document as N subword tokens, special ones not among them.

    ids: (N,) int32.  words: (N,) int32, the word a token belongs to, counted through the document from 0.
    pages: (N,) int32, index of the page.  boxes: (N, 4) float32 on a 0–1000 grid of the page.
    centres: (N, 2) float64, middle of the word's box in document coordinates, points; after a thousand pages a float32
        would be out by an eighth of a point.
    shapes: (N,) int8, see `word_shape`.  refs: where each word stands.
    """

    ids: NDArray[np.int32]
    words: NDArray[np.int32]
    pages: NDArray[np.int32]
    boxes: NDArray[np.float32]
    centres: NDArray[np.float64]
    shapes: NDArray[np.int8]
    refs: tuple[WordRef, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def starts_word(self) -> NDArray[np.bool_]:
        """(N,) True at the first token of each word, which carries the word's label."""
        first: NDArray[np.bool_] = np.diff(self.words, prepend=NO_WORD) != 0
        return first


@dataclass(frozen=True)
class EncodedDocument:
    """One window: [CLS], tokens start…stop-1 of the document, [SEP]. All arrays are (N, …) with N = stop - start + 2.

    input_ids, positions, shapes: int64.  boxes: (N, 4) float32 on the 0–1000 grid, zero at special tokens.
    pages: int64, counted from the window's first page.  plans: one for each attention kind of the model.
    """

    start: int
    stop: int
    input_ids: NDArray[np.int64]
    positions: NDArray[np.int64]
    boxes: NDArray[np.float32]
    pages: NDArray[np.int64]
    shapes: NDArray[np.int64]
    plans: Mapping[str, Plan]

    def __len__(self) -> int:
        return len(self.input_ids)


@dataclass(frozen=True)
class SpecialIds:
    """The tokens that stand for no text. begin, end: around a window, everywhere here called [CLS] and [SEP]; mask and
    pad: None where the vocabulary has none."""

    begin: int
    end: int
    mask: int | None
    pad: int | None


def special_ids(tokenizer: Tokenizer) -> SpecialIds:
    """The special tokens of a BERT-type or RoBERTa-type vocabulary.

    Raises ValueError where there are none to begin and end a window.
    """
    for begin, end in _ENDS:
        first, last = tokenizer.token_to_id(begin), tokenizer.token_to_id(end)
        if first is not None and last is not None:
            return SpecialIds(first, last, _first_of(_MASKS, tokenizer), _first_of(_PADS, tokenizer))
    raise ValueError("The tokenizer lacks [CLS] and [SEP], or <s> and </s>.")


def _first_of(tokens: Iterable[str], tokenizer: Tokenizer) -> int | None:
    return next((i for i in map(tokenizer.token_to_id, tokens) if i is not None), None)


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer saved in a model's folder, without truncation or padding; to it "[SEP]" in a document is text.

    Raises OSError where there is none, ValueError where it cannot be used.
    """
    try:
        tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text("utf-8"))
    except OSError:
        raise
    except Exception as error:  # tokenizers raises nothing more exact
        raise ValueError(f"{folder / 'tokenizer.json'} is not a tokenizer: {error}") from error
    special_ids(tokenizer)
    if isinstance(tokenizer.pre_tokenizer, ByteLevel):
        tokenizer.pre_tokenizer.add_prefix_space = True  # words come without the space that such a vocabulary marks
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def word_shape(text: str) -> int:
    """How a word is written, which an uncased vocabulary drops.

    1 lower case, 2 Capitalised, 3 UPPER CASE, 4 mIxed, 5 digits, 6 digits among others, 7 none of these; 0 is for
    special tokens.
    """
    letters = any(map(str.isalpha, text))
    if any(map(str.isdigit, text)):
        return 6 if letters or not text.strip(".,;:()").isdigit() else 5
    if not letters:
        return 7
    if text.islower():
        return 1
    if text.isupper():
        return 3
    return 2 if text.istitle() else 4


def tokenize(document: Document, tokenizer: Tokenizer) -> Tokens:
    """Every word of every page, in reading order."""
    parts = [_page(page, offset, tokenizer) for page, offset in zip(document.pages, document.offsets, strict=True)]
    counts = np.cumsum([0, *(len(page.words) for page in document.pages)])
    joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)] or list(_empty())
    ids, words, boxes, centres, shapes = joined
    lengths = np.array([len(part[0]) for part in parts], dtype=np.int64)
    return Tokens(
        ids=ids.astype(np.int32),
        words=(words + np.repeat(counts[:-1], lengths)).astype(np.int32),
        pages=np.repeat(np.arange(len(parts)), lengths).astype(np.int32),
        boxes=boxes.astype(np.float32),
        centres=centres.astype(np.float64),
        shapes=shapes.astype(np.int8),
        refs=tuple(WordRef(p, w) for p, page in enumerate(document.pages) for w in range(len(page.words))),
    )


_Arrays = tuple[NDArray[np.generic], ...]


def _empty() -> _Arrays:
    return np.zeros(0), np.zeros(0), np.zeros((0, 4)), np.zeros((0, 2)), np.zeros(0)


def _page(page: Page, offset: float, tokenizer: Tokenizer) -> _Arrays:
    """ids (n,), words on the page (n,), boxes (n, 4), centres (n, 2), shapes (n,) of a page's tokens."""
    if not page.words:
        return _empty()
    texts = [normal(word.text) for word in page.words]
    encoding = tokenizer.encode(texts, is_pretokenized=True, add_special_tokens=False)
    words = np.asarray(encoding.word_ids, dtype=np.int64)
    points = np.asarray(
        list(chain.from_iterable(page.upright(word.box) for word in page.words)), dtype=np.float64
    ).reshape(-1, 4)
    grid = (points / (page.upright_size * 2) * GRID).clip(0, GRID)
    centres = (points[:, :2] + points[:, 2:]) / 2 + (0, offset)
    shapes = np.asarray([word_shape(text) for text in texts])
    return np.asarray(encoding.ids), words, grid[words], centres[words], shapes[words]


def window_bounds(length: int, window: int, overlap: int) -> list[tuple[int, int]]:
    """(start, stop) of the windows over `length` tokens.

    window: the longest, [CLS] and [SEP] included.  overlap: tokens that neighbours share. Raises ValueError where
    windows of that length cannot share as many and still go forward.
    """
    room = window - 2
    step = room - overlap
    if not 0 <= overlap < room:
        raise ValueError(f"windows of {window} tokens cannot overlap by {overlap}")
    last = max(0, -(-(length - room) // step))
    return [(i * step, min(i * step + room, length)) for i in range(last + 1)]


def encode(tokens: Tokens, tokenizer: Tokenizer, config: LongleafConfig) -> Iterator[EncodedDocument]:
    """The windows of a document, one at a time; a document without words has one window without tokens."""
    for start, stop in window_bounds(len(tokens), config.max_tokens, config.overlap):
        yield cut(tokens, start, stop, tokenizer, config)


def cut(
    tokens: Tokens, start: int, stop: int, tokenizer: Tokenizer, config: LongleafConfig, shift: int = 0
) -> EncodedDocument:
    """The window over tokens start…stop-1. [CLS] is at position 0, the others begin at 1 + shift."""
    part = slice(start, stop)
    centres = np.pad(tokens.centres[part], ((1, 1), (0, 0)), mode="edge" if stop > start else "constant")
    centres = (centres - centres[0]).astype(np.float32)  # small numbers, so that float32 is exact enough
    is_global = np.zeros(len(centres), dtype=bool)
    is_global[: config.global_tokens] = True
    layout = Layout(centres, is_global)
    special = special_ids(tokenizer)
    pages = tokens.pages[part].astype(np.int64)
    first, last = (pages[0], pages[-1]) if len(pages) else (0, 0)
    return EncodedDocument(
        start=start,
        stop=stop,
        input_ids=np.concatenate([[special.begin], tokens.ids[part], [special.end]]).astype(np.int64),
        positions=np.concatenate([[0], np.arange(1, stop - start + 2) + shift]),
        boxes=np.pad(tokens.boxes[part], ((1, 1), (0, 0))),
        pages=np.concatenate([[0], pages - first, [last - first]]).astype(np.int64),
        shapes=np.pad(tokens.shapes[part], 1).astype(np.int64),
        plans={name: make_plan(layout, kind(name, config.kinds)) for name in config.attention_kinds},
    )
