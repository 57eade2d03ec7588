"""Values are found in small documents as they are written in contracts."""

from pipeline.training.locate import Located, locate
from pipeline.types import Box, Document, Page, Word

NORMALISERS = {"party": "name", "effective_date": "date", "jurisdiction": "jurisdiction", "term": "duration"}


def document(*pages: str) -> Document:
    return Document(
        "test",
        "0",
        tuple(
            Page(number, 612, 792, tuple(Word(word, Box(0, 0, 1, 1)) for word in text.split()), "text")
            for number, text in enumerate(pages, start=1)
        ),
    )


def texts(source: Document, located: list[Located]) -> list[str]:
    return [" ".join(source.pages[ref.page].words[ref.word].text for ref in mention.words) for mention in located]


def find(source: Document, label: str, value: str) -> list[str]:
    return texts(source, locate(source, [(label, value)], NORMALISERS))


def test_every_mention_of_a_date_however_written() -> None:
    source = document("Dated April 18, 2001. Made this 18th day of April, 2001, not April 19, 2001. Signed 4/18/01")
    assert find(source, "effective_date", "2001-04-18") == ["April 18, 2001.", "18th day of April, 2001,", "4/18/01"]


def test_a_mention_may_cross_a_page_break() -> None:
    source = document("between Acme Data", "Systems, Inc. and others")
    (mention,) = locate(source, [("party", "Acme Data Systems Inc.")], NORMALISERS)
    assert [tuple(ref) for ref in mention.words] == [(0, 1), (0, 2), (1, 0), (1, 1)]
    assert mention.score == 1.0


def test_names_in_capitals_and_with_other_punctuation_and_wrong_letters() -> None:
    source = document("ENERGIZER HOLDINGS, INC. (“Energizer”). Energizer Ho1dings Incorporated. Energizer in part")
    assert find(source, "party", "Energizer Holdings Inc.") == [
        "ENERGIZER HOLDINGS, INC.",
        "Energizer Ho1dings Incorporated.",
    ]


def test_the_full_form_is_preferred_to_the_short_name() -> None:
    assert find(document("Cardinal Health, Inc. or Cardinal Health is"), "party", "Cardinal Health Inc.") == [
        "Cardinal Health, Inc."
    ]


def test_of_two_overlapping_names_the_longer_is_kept() -> None:
    source = document("Neogenomics Laboratories, Inc., and its parent Neogenomics")
    located = locate(source, [("party", "Neogenomics"), ("party", "Neogenomics Laboratories Inc.")], NORMALISERS)
    assert texts(source, located) == ["Neogenomics Laboratories, Inc.,", "Neogenomics"]


def test_a_state_in_an_address_is_passed_over_where_its_law_is_named() -> None:
    source = document("Acme of Austin, Texas 73301", "governed by the laws of the State of Texas.")
    (mention,) = locate(source, [("jurisdiction", "Texas")], NORMALISERS)
    assert mention.words[0].page == 1


def test_a_state_named_nowhere_else_is_found_in_an_address() -> None:
    assert find(document("Acme of Austin, Texas 73301"), "jurisdiction", "Texas") == ["Texas"]


def test_a_term_is_found_where_the_agreement_ends() -> None:
    source = document("Do not solicit for two years. This Agreement expires two (2) years from its date.")
    assert find(source, "term", "2 years") == ["two (2) years"]


def test_words_divided_at_the_end_of_a_line_and_ligatures_are_read_through() -> None:
    lines = ("signed Janu-", "ary 5, 2020 by Paciﬁc Interna-", "tional Inc. for two", "years")
    words = [
        Word(text, Box(50 * column, 20 * row, 50 * column + 40, 20 * row + 10))
        for row, line in enumerate(lines)
        for column, text in enumerate(line.split())
    ]
    source = Document("test", "0", (Page(1, 612, 792, tuple(words), "text"),))
    assert find(source, "effective_date", "2020-01-05") == ["Janu- ary 5, 2020"]
    assert find(source, "party", "Pacific International Inc.") == ["Paciﬁc Interna- tional Inc."]
    assert find(source, "term", "2 years") == ["two years"]


def test_what_is_not_there_is_not_found() -> None:
    source = document("An agreement about nothing")
    values = [("party", "Acme Inc."), ("term", "2 years"), ("jurisdiction", "Ohio"), ("effective_date", "2001-04-18")]
    assert locate(source, values, NORMALISERS) == []
    assert locate(document("", ""), values, NORMALISERS) == []
