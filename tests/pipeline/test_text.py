import pytest

from pipeline.text import joined, known_in, normal, same_line, searchable
from pipeline.types import Box, Document, Page, Word


def lines(*texts: str) -> list[Word]:
    """Words of five letters' width on lines below each other."""
    return [
        Word(text, Box(50 * column, 20 * row, 50 * column + 40, 20 * row + 10))
        for row, line in enumerate(texts)
        for column, text in enumerate(line.split())
    ]


@pytest.mark.parametrize(
    ("raw", "matched"),
    [
        ("Agreement’s", "Agreement’s"),
        ("Oﬃce ﬂow", "Office flow"),
        ("ＡＢＣ１２", "ABC12"),
        ("five‑year", "five-year"),
        ("e\u0301t\u00e9", "été"),
        ("Zu\xadsam\xadmen\u200bhang\ufeff", "Zusammenhang"),
        ("2020\xad01\xad31", "2020-01-31"),
        ("\xad", "-"),
        ("\u200fשלום\u200e", "שלום"),
        ("ﻻﺗﻔﺎق", "لاتفاق"),
        ("", ""),
    ],
)
def test_text_is_matched_in_one_form(raw: str, matched: str) -> None:
    assert normal(raw) == matched
    assert normal(matched) == matched


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (("an agree-", "ment of"), "an agreement of"),
        (("an agree\xad", "ment of"), "an agreement of"),
        (("Ge\xad", "Wert"), "GeWert"),
        (("Hewlett-", "Packard Inc."), "Hewlett-Packard Inc."),
        (("2020-", "01-31"), "2020-01-31"),
        (("state-of-the-", "art"), "state-of-the-art"),
        (("two-", "and three-year"), "two- and three-year"),
        (("two- year term",), "two- year term"),
        (("Acme -", "the buyer"), "Acme - the buyer"),
        (("Acme,-", "the"), "Acme,- the"),
        (("agree-",), "agree-"),
        ((), ""),
        (("Oﬃce", "2"), "Oﬃce 2"),
    ],
)
def test_words_divided_at_the_end_of_a_line_are_put_together(written: tuple[str, ...], text: str) -> None:
    assert joined(lines(*written)) == text


@pytest.mark.parametrize(
    ("elsewhere", "text"),
    [
        ("the term", "a twoyear term"),
        ("in two months or a year", "a two-year term"),
        ("the “two-year” period", "a two-year term"),
        ("twoyear in a year or two", "a twoyear term"),
    ],
)
def test_the_document_tells_which_hyphens_are_written(elsewhere: str, text: str) -> None:
    words = lines("a two-", "year term")
    document = Document("a", "", (Page(1, 612, 792, tuple(words)), Page(2, 612, 792, tuple(lines(elsewhere)))))
    assert joined(words, known_in(document)) == text


def test_capitals_are_put_together_where_the_document_has_the_word() -> None:
    words = lines("NON-DISCLOSURE AGREE-", "MENT")
    assert joined(words) == "NON-DISCLOSURE AGREE-MENT"
    document = Document("a", "", (Page(1, 612, 792, tuple(words + lines("this Agreement,"))),))
    assert joined(words, known_in(document)) == "NON-DISCLOSURE AGREEMENT"


def test_it_is_known_where_each_word_begins() -> None:
    text, begins = searchable(lines("the oﬃce, Janu-", "ary 5, 2020"))
    assert text == "the office, January 5, 2020"
    assert [text[begin:].split()[0] for begin in begins] == ["the", "office,", "January", "ary", "5,", "2020"]
    assert searchable([]) == ("", [])


def test_a_line_in_hebrew_goes_on_to_the_left() -> None:
    first, second = Word("שלום", Box(100, 0, 130, 10)), Word("עולם", Box(60, 0, 90, 10))
    assert same_line(first, second)
    assert not same_line(first._replace(text="one"), second._replace(text="two"))
