import hashlib

import pytest

from pipeline.plaintext import plain_document
from pipeline.types import Box, Document
from tests import tiny


def cells(document: Document, page: int = 0) -> list[tuple[int, int, str]]:
    """(line, column, word) of a page."""
    words = document.pages[page].words
    return [(round((w.box.y0 - 72) / 12), round((w.box.x0 - 72) / 6), w.text) for w in words]


def test_a_text_lies_on_a_typed_page() -> None:
    document = plain_document("a.txt", "This agreement\n  is made\t2017")
    assert cells(document) == [(0, 0, "This"), (0, 5, "agreement"), (1, 2, "is"), (1, 5, "made"), (1, 16, "2017")]
    assert document.pages[0].words[1].box == Box(102, 72, 156, 82)
    assert (document.name, document.sha256) == ("a.txt", hashlib.sha256(b"This agreement\n  is made\t2017").hexdigest())
    assert [(p.number, p.width, p.height, p.source, p.reason, p.failure) for p in document.pages] == [
        (1, 612.0, 792.0, "text", "plain text", None)
    ]


def test_no_word_is_lost_and_none_leaves_the_page() -> None:
    text = tiny.long_text(3000) + "\n" + "x" * 200 + " " + "y" * 78 + "\n" + " " * 300 + "far"
    document = plain_document("a", text)
    words = [word for page in document.pages for word in page.words]
    assert [word.text for word in words] == text.split()
    assert len(document.pages) > 1
    for word in words:
        assert 72 <= word.box.x0 < word.box.x1 <= 540
        assert 72 <= word.box.y0 < word.box.y1 <= 720


def test_a_long_line_is_wrapped_between_words() -> None:
    wide = " ".join(["word"] * 16)
    assert cells(plain_document("a", wide))[-2:] == [(0, 70, "word"), (1, 0, "word")]
    assert cells(plain_document("a", "one" + " " * 100 + "two\nthree")) == [
        (0, 0, "one"),
        (1, 0, "two"),
        (2, 0, "three"),
    ]
    assert cells(plain_document("a", "a\n" + "b" * 200 + " c"))[1:] == [(1, 0, "b" * 200), (2, 0, "c")]


def test_two_blank_lines_in_a_row_are_the_most() -> None:
    assert cells(plain_document("a", "\n \n\n  a\n\nb\n\n \n\n\nc\n")) == [(0, 2, "a"), (2, 0, "b"), (5, 0, "c")]


def test_pages_are_filled_and_a_form_feed_ends_one() -> None:
    filled = plain_document("a", "\n".join(map(str, range(55))))
    assert [len(page.words) for page in filled.pages] == [54, 1]
    assert [page.number for page in filled.pages] == [1, 2]
    assert cells(filled, 1) == [(0, 0, "54")]
    assert [cells(plain_document("a", "one\ftwo"), page) for page in (0, 1)] == [[(0, 0, "one")], [(0, 0, "two")]]


@pytest.mark.parametrize("text", ["", " \n\t", "\f"])
def test_a_text_without_words_is_a_blank_page(text: str) -> None:
    [page] = plain_document("a", text).pages
    assert (page.words, page.source, page.reason) == ((), "none", "blank page")


def test_what_no_encoding_can_write_is_no_obstacle() -> None:
    assert [word.text for word in plain_document("a", "a\ud800 b").pages[0].words] == ["a?", "b"]
