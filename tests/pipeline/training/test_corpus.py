import gzip
import json
import logging
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pipeline.encode import Tokens, tokenize
from pipeline.plaintext import plain_document
from pipeline.training.corpus import Corpus, read_corpus, sources
from tests import tiny
from tests.pipeline.writing import text_pdf

TOKENIZER = tiny.tokenizer()
TEXTS = [tiny.long_text(20 + i, seed=i) for i in range(60)]


def written(folder: Path) -> Path:
    """A folder of rows."""
    folder.mkdir(exist_ok=True)
    with lzma.open(folder / "texts.jsonl.xz", "wt") as file:
        file.write("".join(json.dumps({"text": text, "source": "x"}) + "\n" for text in TEXTS))
    return folder


def corpus(folder: Path, tokens: int = 10**6, seed: int = 0, **options: Callable[[int, int], None]) -> Corpus:
    return read_corpus([folder], folder / "cache", TOKENIZER, tokens, seed, **options)


def which(parts: list[Tokens]) -> list[int]:
    """The texts' numbers."""
    known = {tokenize(plain_document("a", text), TOKENIZER).ids.tobytes(): i for i, text in enumerate(TEXTS)}
    return [known[part.ids.tobytes()] for part in parts]


def test_all_kinds_of_sources_are_found(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.PDF").write_bytes(b"")
    (tmp_path / "b.txt").write_text("one")
    (tmp_path / "labels.csv").write_text("file,label\n")
    (tmp_path / "c.jsonl").write_text('{"text": "two"}\n\n{"text": "three"}\n')
    with gzip.open(tmp_path / "d.jsonl.gz", "wt") as file:
        file.write('{"text": "four"}\n')
    found = sources([tmp_path, tmp_path / "b.txt"])
    assert {path.relative_to(tmp_path).as_posix(): text for path, text in found.items()} == {
        "deep/a.PDF": None,
        "b.txt": None,
        "c.jsonl#1": "two",
        "c.jsonl#2": "three",
        "d.jsonl.gz#1": "four",
    }


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "text\n", "nothing to read at"),
        ("a.jsonl", '{"words": "x"}\n', "a.jsonl#1 has no text"),
        ("a.jsonl", '{"text": 1}\n', "a.jsonl#1 has no text"),
        ("a.jsonl", "words\n", "a.jsonl cannot be read"),
        ("a.jsonl.xz", "words\n", "a.jsonl.xz cannot be read"),
    ],
)
def test_unusable_sources_are_an_error(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=said):
        sources([tmp_path])
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        sources([tmp_path / "nowhere"])


def test_pdfs_and_texts_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf([["between each party"]]))
    (tmp_path / "b.txt").write_text("this agreement", "utf-8")
    found = corpus(tmp_path)
    words = {" ".join(TOKENIZER.id_to_token(i) for i in part.ids) for part in (*found.learned, *found.held)}
    assert words == {"between each party", "this agreement"}
    assert all(part.refs == () for part in (*found.learned, *found.held))
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_what_is_held_out_goes_by_name(tmp_path: Path) -> None:
    made = [corpus(written(tmp_path), seed=seed) for seed in (0, 1)]
    learned, held = [which(one.learned) for one in made], [which(one.held) for one in made]
    assert held[0] == held[1]
    assert 1 <= len(held[0]) <= 8
    assert sorted(learned[0] + held[0]) == list(range(60))
    assert learned[0] != learned[1]
    assert sorted(learned[0]) == sorted(learned[1])


def test_no_more_is_read_than_is_needed(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    found = corpus(written(tmp_path), 500, told=lambda done, wanted: told.append((done, wanted)))
    lengths = [len(part) for part in found.learned]
    assert sum(lengths[:-1]) < 500 <= sum(lengths)
    assert which(found.learned) == which(corpus(tmp_path).learned)[: len(lengths)]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1]


def test_of_a_long_document_a_piece_is_held_out(tmp_path: Path) -> None:
    for i in range(2):
        (tmp_path / f"{i}.txt").write_text(tiny.long_text(6000, seed=i))
    [held] = corpus(tmp_path).held
    assert len(held) == 4094
    assert len(held.boxes) == len(held.shapes) == 4094
    whole = [tokenize(plain_document("", tiny.long_text(6000, seed=i)), TOKENIZER) for i in range(2)]
    assert any(held.ids.tobytes() in part.ids.tobytes() for part in whole)


def test_what_cannot_be_read_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (written(tmp_path) / "broken.pdf").write_bytes(b"no document")
    (tmp_path / "empty.txt").write_text(" ")
    with caplog.at_level(logging.WARNING):
        found = corpus(tmp_path)
    assert len(found.learned) + len(found.held) == 60
    assert "broken.pdf left out" in caplog.text
    assert all(np.isfinite(part.boxes).all() for part in found.learned)


def test_there_must_be_something_to_learn_from_and_to_hold_out(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    with pytest.raises(ValueError, match="at least two documents"):
        corpus(tmp_path)
    (tmp_path / "b.txt").write_text(" ")
    with pytest.raises(ValueError, match="could be read"):
        corpus(tmp_path)
