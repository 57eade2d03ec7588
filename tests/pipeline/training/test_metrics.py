import pytest

from pipeline.training.metrics import accuracy, value_f1


def test_counts_are_pooled_over_documents_and_keys() -> None:
    gold = [{("party", "Nike_Inc."), ("party", "Jane Roe"), ("term", "2_years")}, {("term", "1_year")}]
    predicted = [{("party", "NIKE Inc."), ("term", "3 years")}, {("term", "1 year")}]
    scores = value_f1(gold, predicted)
    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["recall"] == pytest.approx(2 / 4)
    assert scores["f1"] == pytest.approx(4 / 7)
    assert scores["per_key"]["party"] == {"f1": pytest.approx(2 / 3), "precision": 1.0, "recall": 0.5}


def test_a_value_of_another_document_or_key_does_not_count() -> None:
    gold = [{("party", "A")}, {("party", "B")}]
    assert value_f1(gold, [{("party", "B")}, {("term", "B")}])["f1"] == 0.0


def test_a_pair_said_twice_counts_twice() -> None:
    scores = value_f1([[("term", "1 year")]], [[("term", "1 year"), ("term", "1 YEAR")]])
    assert (scores["precision"], scores["recall"]) == (0.5, 1.0)


def test_no_pairs_score_zero() -> None:
    assert value_f1([set()], [set()]) == {"f1": 0.0, "precision": 0.0, "recall": 0.0, "per_key": {}}


def test_accuracy() -> None:
    assert accuracy(["a", "b", "c", "c"], ["a", "b", "a", None]) == 0.5


def test_accuracy_of_nothing_or_of_unequal_numbers_is_an_error() -> None:
    with pytest.raises(ValueError, match="no documents"):
        accuracy([], [])
    with pytest.raises(ValueError, match="shorter"):
        accuracy(["a"], [])
