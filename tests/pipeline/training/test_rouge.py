import pytest

from pipeline.training.rouge import lead, rouge, split_sentences


def test_the_same_words_are_all_there_is() -> None:
    assert rouge(["The parties agree."], ["the parties agree"]) == {"rouge1": 1, "rouge2": 1, "rougeL": 1}
    assert rouge(["The parties agree."], [""]) == {"rouge1": 0, "rouge2": 0, "rougeL": 0}


def test_words_pairs_and_longest_order_are_counted_by_hand() -> None:
    """Reference a b c d, given a c b: three of its words in common, no pair, two in order."""
    found = rouge(["alpha beta gamma delta"], ["alpha gamma beta"])
    assert found == pytest.approx({"rouge1": 2 * 3 / 7, "rouge2": 0, "rougeL": 2 * 2 / 7})


def test_endings_do_not_matter() -> None:
    assert rouge(["parties agreed"], ["party agreeing"])["rouge1"] == pytest.approx(1)


def test_it_is_the_mean_over_documents() -> None:
    assert rouge(["one two", "one two"], ["one two", "three"])["rouge1"] == 0.5
    with pytest.raises(ValueError, match="no documents"):
        rouge([], [])
    with pytest.raises(ValueError, match="zip"):
        rouge(["one"], [])


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("  one without an end ", ["one without an end"]),
        ("One. Two!  Three? four", ["One.", "Two!", "Three? four"]),
        ("It costs 3.5 dollars. So be it.", ["It costs 3.5 dollars.", "So be it."]),
        ("He (J. R. Smith, Acme Inc. Ltd.) said so. Why?", ["He (J. R. Smith, Acme Inc. Ltd.) said so.", "Why?"]),
        ('See Fig. 3 and Smith et al. 2004. "It works." (We think so.)', None),
        ("The U.S. Code, e.g. Title 5. 12 others.", ["The U.S. Code, e.g. Title 5.", "12 others."]),
    ],
)
def test_sentences_end_where_they_do(text: str, sentences: list[str] | None) -> None:
    wanted = ["See Fig. 3 and Smith et al. 2004.", '"It works."', "(We think so.)"] if sentences is None else sentences
    assert split_sentences(text) == wanted


def test_lead_is_the_first_sentences() -> None:
    assert lead("One. Two. Three. Four.") == "One. Two. Three."
    assert lead("One.") == "One."
    assert lead("") == ""
