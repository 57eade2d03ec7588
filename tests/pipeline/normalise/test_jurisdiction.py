import pytest

from pipeline.normalise.jurisdiction import find, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("State of New York", "New York"),
        ("laws of the Commonwealth of Massachusetts", "Massachusetts"),
        ("the State of Delaware, without regard", "Delaware"),
        ("THE LAWS OF THE STATE OF NORTH\nCAROLINA", "North Carolina"),
        ("California law", "California"),
        ("West Virginia", "West Virginia"),
        ("Washington, D.C.", "District of Columbia"),
        ("England and Wales", "England and Wales"),
        ("the Province of Ontario", "Ontario"),
        ("the People’s Republic of China", "China"),
    ],
)
def test_common_names(text: str, expected: str) -> None:
    value = normalise(text)
    assert value is not None
    assert value.text == expected


def test_the_place_of_the_law_wins_over_other_places() -> None:
    value = normalise("a Delaware corporation of Austin, Texas, governed by the laws of the State of Ohio")
    assert value is not None
    assert value.text == "Ohio"


def test_a_word_in_lower_case_is_no_place() -> None:
    assert normalise("a new york minute, made of china") is None


def test_weights_follow_the_words_around() -> None:
    text = "Austin, Texas. The State of Texas. The courts sitting in Texas. The laws of the State of Texas apply."
    weights = [hit.weight for hit in find(text)]
    assert weights == sorted(set(weights))
