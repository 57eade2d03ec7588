"""Answers are plain JSON and account for every page."""

import json
from dataclasses import replace

from pipeline.answer import classification, extraction, reading, summary
from pipeline.types import Box, Coverage, Document, Entity, Page, PageBox, Prediction, Summary, Value, Word

WORDS = (Word("seven", Box(10.123456, 20, 30, 32)), Word("years", Box(34, 20, 60, 32), 0.87654321))
DOCUMENT = Document(
    "a.pdf",
    "00ff",
    (
        Page(1, 612.001, 792, WORDS, "ocr", "no text layer"),
        Page(2, 612, 792, (), "none", "no text layer", "timed_out"),
    ),
)
TERM = Entity(
    "term",
    "seven years",
    Value("7 years", {"number": 7, "unit": "years"}),
    0.91,
    (PageBox(1, Box(10.123456, 20, 60, 32)), PageBox(2, Box(0, 0, 5, 5))),
)


def prediction(schema: str | None, *entities: Entity) -> Prediction:
    scores = {"non_disclosure_agreement": 0.75, "annual_report": 0.25}
    return Prediction("a.pdf", "00ff", Coverage(2, 1, 1, 2, 1), scores, schema, entities, "small 1", 0.5)


def test_classification_accounts_for_every_page() -> None:
    answer = json.loads(json.dumps(classification(DOCUMENT, prediction(None))))
    assert (answer["label"], answer["confidence"]) == ("non_disclosure_agreement", 0.75)
    assert answer["scores"] == {"non_disclosure_agreement": 0.75, "annual_report": 0.25}
    assert (answer["pages"], answer["pages_read"], answer["pages_failed"]) == (2, 1, 1)
    assert answer["failures"] == [{"page": 2, "code": "timed_out"}]
    assert [page["source"] for page in answer["page_details"]] == ["ocr", "none"]


def test_a_document_that_may_have_several_classes_has_those_likelier_than_not() -> None:
    for scores, labels in (({"a": 0.9, "b": 0.6, "c": 0.5}, ["a", "b"]), ({"a": 0.4}, [])):
        found = replace(prediction(None), scores=scores, multi_label=True)
        answer = classification(DOCUMENT, found)
        assert (answer["labels"], answer["label"], answer["confidence"], answer["scores"]) == (
            labels,
            None,
            None,
            scores,
        )
        assert "no single class" in str(extraction(DOCUMENT, found)["note"])
    assert classification(DOCUMENT, prediction(None))["labels"] == ["non_disclosure_agreement"]
    assert classification(DOCUMENT, replace(prediction(None), scores={}))["labels"] == []


def test_a_summary_accounts_for_every_page() -> None:
    found = Summary("a.pdf", "00ff", Coverage(2, 1, 1, 2, 1), "seven years.", "small 1", 0.5)
    answer = json.loads(json.dumps(summary(DOCUMENT, found)))
    assert (answer["summary"], answer["name"], answer["sha256"]) == ("seven years.", "a.pdf", "00ff")
    assert (answer["pages"], answer["pages_failed"], answer["tokens"], answer["windows"]) == (2, 1, 2, 1)
    assert (answer["model"], len(answer["page_details"])) == ("small 1", 2)


def test_extraction_says_what_and_where() -> None:
    unread = Entity("term", "ever", None, 0.5, (PageBox(2, Box(1, 1, 2, 2)),))
    first, second = json.loads(json.dumps(extraction(DOCUMENT, prediction("nda", TERM, unread))))["entities"]
    assert first["value"] == {"text": "7 years", "parts": {"number": 7, "unit": "years"}}
    assert first["boxes"] == [[1, 10.12, 20, 60, 32], [2, 0, 0, 5, 5]]
    assert first["page"] == 1
    assert (second["value"], second["page"]) == (None, 2)


def test_extraction_without_a_schema_says_so() -> None:
    answer = extraction(DOCUMENT, prediction(None))
    assert (answer["schema"], answer["entities"]) == (None, [])
    assert "'non_disclosure_agreement'" in str(answer["note"])


def test_reading_tells_sources_and_holds_words_if_asked() -> None:
    assert reading(DOCUMENT)["sources"] == {"text": 0, "ocr": 1, "none": 1}
    assert "content" not in json.dumps(reading(DOCUMENT))
    page = json.loads(json.dumps(reading(DOCUMENT, words=True)))["page_details"][0]
    assert page["content"][1] == {"text": "years", "box": [34, 20, 60, 32], "confidence": 0.8765}
    assert page["words"] == 2
