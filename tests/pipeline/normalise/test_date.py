import pytest

from pipeline.normalise.date import find, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("this 18th day of April, 2001", "2001-04-18"),
        ("April 18, 2001", "2001-04-18"),
        ("APRIL 18 , 2001.", "2001-04-18"),
        ("Sept. 3, 2010", "2010-09-03"),
        ("1st of May 2010", "2010-05-01"),
        ("as of the 3rd day of January 2005", "2005-01-03"),
        ("the twenty-first day of June, 2011", "2011-06-21"),
        ("30th (30th) day of June in the year 2011", "2011-06-30"),
        ("20t h day of November, 2018", "2018-11-20"),
        ("18-Apr-2001", "2001-04-18"),
        ("2001-04-18", "2001-04-18"),
        ("04/18/01", "2001-04-18"),
        ("4/18/1999", "1999-04-18"),
        ("1/2/99", "1999-01-02"),
        ("18/04/2001", "2001-04-18"),
        ("02.03.2021", "2021-03-02"),
    ],
)
def test_whole_dates(text: str, expected: str) -> None:
    value = normalise(text)
    assert value is not None
    assert value.text == expected


@pytest.mark.parametrize(
    "text",
    [
        "March __, 2012",
        "May 2010",
        "the 5th day of June",
        "February 30, 2011",
        "13/13/2011",
        "$1,250.00",
        "1-800-555-0199",
    ],
)
def test_a_missing_or_impossible_part_is_not_guessed(text: str) -> None:
    assert normalise(text) is None


def test_find_gives_every_date_where_it_stands() -> None:
    text = "made on May 1, 2010 and amended on the 2nd day of June, 2011."
    assert [(text[hit.start : hit.end], hit.value.text) for hit in find(text)] == [
        ("May 1, 2010", "2010-05-01"),
        ("2nd day of June, 2011", "2011-06-02"),
    ]
