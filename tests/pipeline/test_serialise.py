import pytest

from pipeline.serialise import document_from_json, document_to_json
from pipeline.types import Box, Document, Page, Word

DOCUMENT = Document(
    "a “contract”.pdf",
    "0" * 64,
    (
        Page(
            1, 612.0, 792.25, (Word("§ 1", Box(0.1, 0.2, 30.33, 1 / 3), 0.97), Word("x", Box(0, 0, 0, 0))), "ocr", "why"
        ),
        Page(2, 612.0, 792.0, failure="timed_out"),
    ),
)


def test_a_document_comes_back_as_it_was() -> None:
    again = document_from_json(document_to_json(DOCUMENT))
    assert again == DOCUMENT
    assert isinstance(again.pages[0].words[0].box, Box)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"version": 0}', '{"version": 1, "name": "x"}'])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        document_from_json(text)
