from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models
from transformers import RobertaTokenizer

from pipeline.encode import (
    EncodedDocument,
    Tokens,
    encode,
    load_tokenizer,
    special_ids,
    tokenize,
    window_bounds,
    word_shape,
)
from pipeline.types import Box, Document, Page, Word, WordRef
from tests import tiny

TOKENIZER = tiny.tokenizer()
PAGES = ("This agreement is made by Acme", "", "between the \x07 party and NDA's", "2017")


def tokens_of(*texts: str) -> Tokens:
    return tokenize(tiny.document(*texts), TOKENIZER)


def test_every_token_knows_its_word_and_every_word_its_page() -> None:
    document = tiny.document(*PAGES)
    tokens = tokenize(document, TOKENIZER)
    assert tokens.refs == tuple(WordRef(p, w) for p, page in enumerate(document.pages) for w in range(len(page.words)))
    for number, ref in enumerate(tokens.refs):
        mine = tokens.words == number
        word = document.pages[ref.page].words[ref.word]
        spelt = "".join(TOKENIZER.id_to_token(i).removeprefix("##") for i in tokens.ids[mine])
        assert spelt == word.text.lower().strip("\x07")
        assert (tokens.pages[mine] == ref.page).all()
    assert (np.diff(tokens.words) >= 0).all()


def test_a_word_begins_with_its_first_token() -> None:
    tokens = tokens_of(*PAGES)
    starts = np.flatnonzero(tokens.starts_word)
    assert starts[0] == 0
    assert tokens.words[starts].tolist() == sorted(set(tokens.words.tolist()))
    assert all(tokens.words[i - 1] != tokens.words[i] for i in starts[1:])


def test_a_word_that_leaves_no_token_keeps_its_number() -> None:
    tokens = tokens_of(*PAGES)
    unseen = set(range(len(tokens.refs))) - set(tokens.words.tolist())
    assert [tokens.refs[i] for i in unseen] == [WordRef(2, 2)]


def test_ligatures_and_soft_hyphens_are_read_as_the_letters_they_stand_for() -> None:
    plain, written = (
        tokens_of("made by ACME Inc. oﬃce".replace("ﬃ", "ffi")),
        tokens_of("ma\xadde by ＡＣＭＥ Inc. oﬃce"),
    )
    assert (written.ids == plain.ids).all()
    assert (written.shapes == plain.shapes).all()


def test_what_looks_like_a_special_token_is_text(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(tiny.model_folder(tmp_path))
    tokens = tokenize(tiny.document("[SEP] by [CLS]"), tokenizer)
    special = {tokenizer.token_to_id(f"[{name}]") for name in ("CLS", "SEP", "PAD", "MASK")}
    assert special.isdisjoint(tokens.ids.tolist())
    assert set(tokens.words.tolist()) == {0, 1, 2}


def test_boxes_are_on_the_grid_even_of_words_partly_outside_the_page() -> None:
    boxes = [Box(306, 396, 612, 792), Box(-20, -5, 30, 10), Box(600, 780, 700, 900), Box(800, 900, 900, 950)]
    page = Page(1, 612, 792, tuple(Word("by", box) for box in boxes))
    tokens = tokenize(Document("a", "", (page,)), TOKENIZER)
    assert tokens.boxes[0].tolist() == [500, 500, 1000, 1000]
    assert tokens.boxes.min() >= 0
    assert tokens.boxes.max() <= 1000
    assert (tokens.boxes[:, :2] <= tokens.boxes[:, 2:]).all()
    assert tokens.boxes[3].tolist() == [1000, 1000, 1000, 1000]


def test_document_coordinates_stack_the_pages() -> None:
    tall = Page(1, 612, 1000, (Word("by", Box(0, 0, 10, 20)),))
    flat = Page(2, 612, 500, ())
    last = Page(3, 612, 792, (Word("by", Box(100, 50, 120, 60)), Word("of", Box(200, -6, 220, 4))))
    tokens = tokenize(Document("a", "", (tall, flat, last)), TOKENIZER)
    assert tokens.centres.tolist() == [[5, 10], [110, 1555], [210, 1499]]


def test_far_down_a_long_document_neighbours_are_those_of_its_beginning() -> None:
    text = tiny.long_text(30)
    near = tokens_of(text)
    far = tokenize(Document("a", "", (Page(1, 612, 792.3 * 1999), tiny.page(2, text))), TOKENIZER)
    config = tiny.config(mixers="distance", max_tokens=1024)
    [[a], [b]] = (
        [window.plans["distance"].blocks[0].mask for window in encode(t, TOKENIZER, config)] for t in (near, far)
    )
    assert (a == b).all()


def test_shapes_are_those_of_the_words() -> None:
    tokens = tokens_of("This agreement 2017 NDA's")
    written = {tokens.refs[word].word: int(shape) for word, shape in zip(tokens.words, tokens.shapes, strict=True)}
    assert written == {0: 2, 1: 1, 2: 5, 3: word_shape("NDA's")}


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("agreement", 1),
        ("e.g.", 1),
        ("Agreement", 2),
        ("Non-Disclosure", 2),
        ("NDA", 3),
        ("A", 3),
        ("McDonald", 4),
        ("iPhone", 4),
        ("2017", 5),
        ("(2017),", 5),
        ("10:", 5),
        ("2nd", 6),
        ("1,000", 6),
        ("$100", 6),
        ("10/02/2017", 6),
        ("—", 7),
        ("...", 7),
        ("", 7),
    ],
)
def test_how_a_word_is_written(text: str, shape: int) -> None:
    assert word_shape(text) == shape


@pytest.mark.parametrize("length", [0, 1, 37, 38, 39, 68, 69, 500])
@pytest.mark.parametrize("overlap", [0, 8, 37])
def test_windows_cover_every_token_and_share_as_many_as_asked(length: int, overlap: int) -> None:
    bounds = window_bounds(length, 40, overlap)
    assert bounds[0][0] == 0
    assert bounds[-1][1] == length
    assert all(stop - start <= 38 for start, stop in bounds)
    for (_, stop), (start, _) in pairwise(bounds):
        assert stop - start == overlap
    assert len(bounds) == 1 or bounds[-2][1] < length


@pytest.mark.parametrize(("window", "overlap"), [(40, 38), (40, 500), (40, -1), (2, 0)])
def test_windows_that_do_not_go_forward_are_an_error(window: int, overlap: int) -> None:
    with pytest.raises(ValueError, match=f"{window} tokens cannot overlap by {overlap}"):
        window_bounds(1000, window, overlap)


def joined(windows: list[EncodedDocument], name: str) -> list[list[float]]:
    """An array of the windows without special tokens and without what the window before held."""
    found: list[list[float]] = []
    for window in windows:
        found += getattr(window, name)[1:-1].tolist()[len(found) - window.start :]
    return found


def test_windows_hold_the_document() -> None:
    tokens = tokens_of(tiny.long_text(40), tiny.long_text(40, seed=1))
    config = tiny.config(mixers=["sliding", "distance+sliding"])
    windows = list(encode(tokens, TOKENIZER, config))
    assert len(windows) > 3
    for window in windows:
        size = len(window)
        assert size == window.stop - window.start + 2 <= config.max_tokens
        assert (window.input_ids[0], window.input_ids[-1]) == (2, 3)
        assert window.positions.tolist() == list(range(size))
        assert window.boxes.shape == (size, 4)
        assert not window.boxes[[0, -1]].any()
        assert not window.shapes[[0, -1]].any()
        assert (window.pages[1:-1] == tokens.pages[window.start : window.stop] - tokens.pages[window.start]).all()
        assert window.pages[[0, -1]].tolist() == [0, window.pages[-2]]
        assert set(window.plans) == {"sliding", "distance+sliding"}
        assert all(plan.length == size and plan.global_rows.tolist() == [0] for plan in window.plans.values())
        assert {window.boxes.dtype, window.input_ids.dtype} == {np.dtype("float32"), np.dtype("int64")}
    for name, whole in (("input_ids", tokens.ids), ("boxes", tokens.boxes), ("shapes", tokens.shapes)):
        assert joined(windows, name) == whole.tolist()


@pytest.mark.parametrize("texts", [(), ("",), ("", "")])
def test_a_document_without_words_has_one_window_without_tokens(texts: tuple[str, ...]) -> None:
    tokens = tokens_of(*texts)
    assert (len(tokens), tokens.refs) == (0, ())
    [window] = encode(tokens, TOKENIZER, tiny.config())
    assert window.input_ids.tolist() == [2, 3]
    assert (window.start, window.stop) == (0, 0)


def test_a_folder_without_a_usable_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"tokenizer\.json"):
        load_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="not a tokenizer"):
        load_tokenizer(tmp_path)


def test_a_tokenizer_neither_cuts_nor_pads(tmp_path: Path) -> None:
    made = tiny.tokenizer()
    made.enable_truncation(4)
    made.enable_padding(length=30)
    made.save(str(tmp_path / "tokenizer.json"))
    assert len(load_tokenizer(tmp_path).encode("this agreement is made by the party").ids) == 7


def test_a_tokenizer_without_the_tokens_around_a_window(tmp_path: Path) -> None:
    text = tiny.tokenizer().to_str().replace("[CLS]", "<s>")
    (tmp_path / "tokenizer.json").write_text(text)
    with pytest.raises(ValueError, match=r"lacks \[CLS\]"):
        load_tokenizer(tmp_path)


def test_special_tokens_are_found_under_the_names_they_have(tmp_path: Path) -> None:
    found = special_ids(TOKENIZER)
    assert (found.begin, found.end, found.mask, found.pad) == (2, 3, 4, 0)
    found = special_ids(load_tokenizer(tiny.roberta_tokenizer(tmp_path)))
    assert (found.begin, found.end, found.mask, found.pad) == (0, 2, 4, 1)
    bare = Tokenizer(models.WordPiece({"[CLS]": 0, "[SEP]": 1}, unk_token="[CLS]"))
    assert special_ids(bare).mask is special_ids(bare).pad is None


def test_a_byte_level_vocabulary_reads_words_as_transformers_does(tmp_path: Path) -> None:
    folder = tiny.roberta_tokenizer(tmp_path)
    theirs = RobertaTokenizer.from_pretrained(folder, add_prefix_space=True)
    ours = load_tokenizer(folder)
    words = "this agreement, between Acme Inc. and NDA's É party".split()
    tokens = tokenize(tiny.document(" ".join(words)), ours)
    wanted = theirs(words, is_split_into_words=True)
    [window] = encode(tokens, ours, tiny.config())
    assert window.input_ids.tolist() == wanted["input_ids"]
    assert tokens.words.tolist() == wanted.word_ids()[1:-1]
    assert ours.decode(window.input_ids.tolist()).strip() == " ".join(words)
