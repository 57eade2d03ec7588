"""A Document as JSON and back, to the last digit."""

import json
from dataclasses import fields
from typing import Any

from pipeline.types import Box, Document, Page, Word

VERSION = 2


def document_to_json(document: Document) -> str:
    """The document as one JSON object."""
    return json.dumps(
        {
            "version": VERSION,
            "name": document.name,
            "sha256": document.sha256,
            "notes": document.notes,
            "pages": [_page_to_json(page) for page in document.pages],
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def document_from_json(text: str) -> Document:
    """The document that `document_to_json` wrote; ValueError or KeyError where the text is no such thing."""
    value = json.loads(text)
    if value["version"] != VERSION:
        raise ValueError(f"Documents of version {value['version']} cannot be read.")
    pages = tuple(_page_from_json(page) for page in value["pages"])
    return Document(value["name"], value["sha256"], pages, tuple(value["notes"]))


def _page_to_json(page: Page) -> dict[str, Any]:
    kept = {field.name: getattr(page, field.name) for field in fields(page)}
    return {**kept, "words": [[word.text, *word.box, word.confidence] for word in page.words]}


def _page_from_json(value: dict[str, Any]) -> Page:
    words = tuple(Word(text, Box(*box), confidence) for text, *box, confidence in value.pop("words"))
    notes = tuple(value.pop("notes"))
    return Page(words=words, notes=notes, **value)
