"""Documents → summaries: what the decoder is given to read, and the text from what it writes.

The encoder reads a document window by window; the decoder sees the hidden states of all of them, one after the other.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from tokenizers import Tokenizer, models
from torch import Tensor

from models.decoder import stack_memories
from models.model import LongleafModel
from pipeline.dataset import WindowBatch
from pipeline.encode import Tokens

# What a WordPiece vocabulary takes apart, put together again, in this order.
_JOINTS = [
    (r" ##", ""),
    (r" ([.,;:!?)\]}%’'])", r"\1"),
    (r"([(\[{$£€#@]) ", r"\1"),
    (r" ?([-/_]) ?", r"\1"),
    (r'" ([^"]*) "', r'"\1"'),
    (r"(['’]) (?=(?:s|t|d|m|re|ve|ll)\b)", r"\1"),
    (r"(?<=\d)([.:]) (?=\d)", r"\1"),  # 5.50, 10:30
    (r"(?<=\d), (?=\d{3}\b)", ","),  # 1,000
    (r"(?<=\d) – (?=\d)", "–"),
    (r"\b([A-Za-z])\. (?=[A-Za-z]\.)", r"\1."),  # e.g., U.S.
]


def memories(encoded: Sequence[Tokens], read: Iterable[tuple[WindowBatch, Tensor]], overlap: int) -> list[Tensor]:
    """Each document's hidden states, (N + 2, hidden): the first window's [CLS], the N tokens, the last window's [SEP].

    read: all windows of the documents, in any order, with their hidden states (T, hidden).  overlap: tokens that
    successive windows share; of such a token the state is that of the window in which it is farther from the edge.
    """
    found: dict[int, Tensor] = {}
    for windows, hidden in read:
        offset = 0
        for document, (start, stop) in zip(windows.documents, windows.spans, strict=True):
            length, size = len(encoded[document]), stop - start + 2
            memory = found.setdefault(document, hidden.new_empty(length + 2, hidden.shape[1]))
            # The window's row r is the memory's row start + r.
            first = overlap // 2 + 1 if start else 0
            last = size if stop == length else size - 1 - (overlap - overlap // 2)
            memory[start + first : start + last] = hidden[offset + first : offset + last]
            offset += size
    return [found[document] for document in range(len(encoded))]


def write(
    model: LongleafModel, head: str, memory: Sequence[Tensor], budget: int, beams: int, max_new_tokens: int
) -> Iterator[list[int]]:
    """The token ids of each document's summary; nothing of a document without tokens.

    memory: (N, hidden) of each document.  budget: rows of memory, filled up to the longest, that are read at a time.
    """
    from models.seq2seq import generate

    for group in groups([len(rows) for rows in memory], budget):
        parts = [memory[i] for i in group]
        written = generate(model, head, *stack_memories(parts), beams=beams, max_new_tokens=max_new_tokens)
        yield from (ids if len(rows) > 2 else [] for ids, rows in zip(written, parts, strict=True))


def groups(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Successive indices whose lengths, filled up to the longest of them, make at most `budget`; one index at least."""
    group: list[int] = []
    for index, length in enumerate(lengths):
        if group and max(length, *(lengths[i] for i in group)) * (len(group) + 1) > budget:
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def text_of(ids: Sequence[int], tokenizer: Tokenizer) -> str:
    """The text of token ids; special tokens are left out, words and signs joined as they are commonly written."""
    if not isinstance(tokenizer.model, models.WordPiece):
        return str(tokenizer.decode(list(ids))).strip()
    special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    text = " ".join(filter(None, (tokenizer.id_to_token(i) for i in ids if i not in special)))
    for pattern, joined in _JOINTS:
        text = re.sub(pattern, joined, text)
    return text
