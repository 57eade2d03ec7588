import pytest

from pipeline.normalise.duration import find, normalise


@pytest.mark.parametrize(
    ("text", "expected", "number", "unit"),
    [
        ("two (2) years", "2 years", 2, "years"),
        ("24 months", "24 months", 24, "months"),
        ("three years from the date hereof", "3 years", 3, "years"),
        ("a period of eighteen (18) months", "18 months", 18, "months"),
        ("5 (five) year", "5 years", 5, "years"),
        ("one year", "1 year", 1, "years"),
        ("a two-year period", "2 years", 2, "years"),
        ("TWENTY-FOUR (24) MONTHS", "24 months", 24, "months"),
        ("two (2) successive years", "2 years", 2, "years"),
        ("55.5 months", "55.5 months", 55.5, "months"),
        ("ten business days", "10 business days", 10, "business days"),
        ("the second (2nd) anniversary of the date hereof", "2 years", 2, "years"),
    ],
)
def test_number_and_unit(text: str, expected: str, number: float, unit: str) -> None:
    value = normalise(text)
    assert value is not None
    assert value.text == expected
    assert value.parts == {"number": number, "unit": unit}


@pytest.mark.parametrize("text", ["for years", "the fiscal year", "$52,884 per month", "Section 5. Year", "per year"])
def test_without_a_number_there_is_no_duration(text: str) -> None:
    assert normalise(text) is None


def test_a_duration_weighs_more_where_something_lasts_or_ends() -> None:
    text = "You shall not solicit for one year. This Agreement shall terminate one year after the Effective Date."
    plain, term = find(text)
    assert plain.value == term.value
    assert plain.weight < term.weight
