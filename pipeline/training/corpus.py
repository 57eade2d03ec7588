"""What is pretrained on: PDFs and plain text, as many as a run needs, one in twenty held out."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import not_
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from pipeline.batch import Failure, documents_in, read_ahead
from pipeline.cache import cached_ingest
from pipeline.encode import Tokens, tokenize
from pipeline.ingest import IngestSettings
from pipeline.plaintext import plain_document
from pipeline.training.tables import row_path, rows
from pipeline.training.trainer import held_out
from pipeline.types import Document

log = logging.getLogger(__name__)
ROWS = (".jsonl", ".jsonl.gz", ".jsonl.xz")
KNOWN = (".pdf", ".txt", *ROWS)
_HELD_OUT = 20  # one document in so many …
_HELD_OUT_TOKENS = 32_768  # … as long as they are no more than these together, of each a piece of at most those:
_PIECE = 4094


@dataclass(frozen=True)
class Corpus:
    """Documents to learn from and pieces of documents held out, without their `refs`."""

    learned: list[Tokens]
    held: list[Tokens]


def sources(paths: Iterable[Path]) -> dict[Path, str | None]:
    """The documents at the paths, folders looked through to the bottom: of a row of a file its text, else None.

    A row is named after its file and its number, from 1: "texts.jsonl.xz#12". Raises ValueError for a path without
    documents or a row without text, OSError for a file that cannot be read.
    """
    found: dict[Path, str | None] = {}
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"There is no file or folder {path}.")
        files = [f for f in (documents_in(path) if path.is_dir() else [path]) if f.name.lower().endswith(KNOWN)]
        if not files:
            raise ValueError(f"There is nothing to read at {path}: wanted are {', '.join(KNOWN)}.")
        for file in files:
            found |= _rows(file) if file.name.lower().endswith(ROWS) else {file: None}
    return found


def _rows(table: Path) -> dict[Path, str | None]:
    """The text of each row, under its name."""
    texts = {row_path(table, number): row.get("text") for number, row in enumerate(rows(table), start=1)}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise ValueError(f"{name} has no text.")
    return texts


def read_corpus(
    paths: Iterable[Path],
    cache: Path,
    tokenizer: Tokenizer,
    tokens: int,
    seed: int,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> Corpus:
    """Documents in an order drawn by the seed until they have `tokens` tokens; those held out are the same for each.

    told: called with (tokens read, tokens wanted), the same in the end.  A document that cannot be read is left out,
    with a line in the log. Raises what `sources` raises, and ValueError where nothing remains to learn from or to hold
    out.
    """
    found = sources(paths)
    names = sorted(found)
    held = held_out([name.name for name in names], _HELD_OUT)

    def read(name: Path) -> Tokens:
        text = found[name]
        document = _document(name, cache) if text is None else plain_document(name.name, text)
        return replace(tokenize(document, tokenizer), refs=())  # a run reads millions of words and points at none

    kept = _take(sorted(compress(names, held), key=_draw), lambda name: _piece(name, read(name)), _HELD_OUT_TOKENS)
    others = list(compress(names, map(not_, held)))
    order = np.random.default_rng(seed).permutation(len(others))
    learned = _take([others[i] for i in order], read, tokens, told)
    if not learned or not kept:
        raise ValueError("None of the documents to learn from, or none of those held out, could be read.")
    return Corpus(learned, kept)


def _document(path: Path, cache: Path) -> Document:
    if path.suffix.lower() == ".txt":
        return plain_document(path.name, path.read_text("utf-8", "replace"))
    return cached_ingest(path, IngestSettings(), cache)


def _draw(name: Path) -> int:
    """A number from a document's name, the same on every machine."""
    return int.from_bytes(hashlib.sha256(name.name.encode()).digest()[1:8])


def _piece(name: Path, tokens: Tokens) -> Tokens:
    """As much of a document held out as fills a window, from anywhere."""
    start = _draw(name) % max(1, len(tokens) - _PIECE + 1)
    arrays = ("ids", "words", "pages", "boxes", "centres", "shapes")
    return replace(tokens, **{a: getattr(tokens, a)[start : start + _PIECE] for a in arrays})


def _take(
    names: Sequence[Path],
    read: Callable[[Path], Tokens],
    enough: int,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> list[Tokens]:
    """The first documents that have tokens, until there are enough."""
    found: list[Tokens] = []
    total = 0
    for name, outcome in read_ahead(names, read):
        if isinstance(outcome, Failure):
            log.warning("%s left out: %s", name.name, outcome.error)
        elif len(outcome):
            found.append(outcome)
            total += len(outcome)
            told(min(total, enough), enough)
        if total >= enough:
            break
    told(total, total)
    return found
