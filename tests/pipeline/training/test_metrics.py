import numpy as np
import pytest
from sklearn.metrics import f1_score

from pipeline.training.metrics import class_scores, multi_label_scores, value_f1


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


def test_one_class_each() -> None:
    scores = class_scores(["a", "b", "c", "c"], ["a", "b", "a", None])
    assert scores["accuracy"] == scores["micro_f1"] == 0.5
    assert scores["per_class"] == {"a": 1.0, "b": 1.0, "c": 0.0}
    assert scores["macro_f1"] == pytest.approx((2 / 3 + 1 + 0) / 3)


def test_a_class_that_only_the_answers_have_counts_in_the_macro_mean() -> None:
    assert class_scores(["a", "a"], ["a", "b"])["macro_f1"] == pytest.approx((2 / 3 + 0) / 2)


def test_several_classes_each() -> None:
    gold, given = [("a", "b"), ("a",), ("b",)], [("a",), ("a",), ("b", "a")]
    scores = multi_label_scores(gold, given, ("a", "b", "c"))
    assert scores["accuracy"] == pytest.approx(1 / 3)
    assert scores["micro_f1"] == pytest.approx(2 * 3 / (4 + 4))
    assert scores["per_class"] == {"a": pytest.approx(4 / 5), "b": pytest.approx(2 / 3), "c": 0.0}
    assert scores["macro_f1"] == pytest.approx((4 / 5 + 2 / 3 + 0) / 3)


def test_having_no_class_is_a_class_where_some_documents_have_none() -> None:
    """As LexGLUE computes it for UNFAIR-ToS: a column more that is 1 where all others are 0."""
    draw = np.random.default_rng(0)
    wanted, answered = (draw.random((2, 200, 4)) < 0.3).astype(int)
    gold, given = (
        [[c for c, has in zip("abcd", row, strict=True) if has] for row in side] for side in (wanted, answered)
    )
    scores = multi_label_scores(gold, given, "abcd")
    with_none = [np.column_stack([side, side.sum(1) == 0]) for side in (wanted, answered)]
    for average in ("micro", "macro"):
        assert scores[f"{average}_f1"] == pytest.approx(f1_score(*with_none, average=average))
    assert list(scores["per_class"]) == ["a", "b", "c", "d", "none"]


def test_no_answer_is_not_the_answer_that_there_is_no_class() -> None:
    scores = multi_label_scores([(), (), ("a",)], [(), None, ("a",)], ("a",))
    assert (scores["accuracy"], scores["per_class"]) == (pytest.approx(2 / 3), {"a": 1.0, "none": pytest.approx(2 / 3)})


def test_a_class_that_the_model_does_not_know_is_missed() -> None:
    assert multi_label_scores([("a",), ("b",)], [("a",), ("a",)], ("a",))["per_class"]["b"] == 0


def test_scores_of_nothing_or_of_unequal_numbers_are_an_error() -> None:
    for measure in (class_scores, lambda gold, given: multi_label_scores(gold, given, ("a",))):
        with pytest.raises(ValueError, match="no documents"):
            measure([], [])
        with pytest.raises(ValueError, match="shorter"):
            measure(["a"], [])
