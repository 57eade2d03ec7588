"""How an answer is written down: plain JSON, the same from the service, the command line and the batch.

    classification(document, prediction)  →  label, confidence, labels, every class's score, coverage, pages
    extraction(document, prediction)      →  label, confidence, schema, entities, coverage, pages
    summary(document, found)              →  the summary, coverage, pages
    reading(document)                     →  what ingestion alone found

Boxes are `[page, x0, y0, x1, y1]`: the page's number from 1, then points from the top left of the page as displayed;
`page_details` holds each page's size, so that they can be drawn. `pages_read + pages_failed == pages`, always.
"""

from collections.abc import Mapping
from typing import get_args

from pipeline.types import Document, Entity, Json, Page, Prediction, Source, Summary

Answer = dict[str, Json]


def classification(document: Document, prediction: Prediction) -> Answer:
    """What the document is."""
    return {
        **_class(prediction),
        "labels": list(prediction.labels),
        "scores": {label: round(score, 6) for label, score in prediction.scores.items()},
        **_basis(document, prediction),
    }


def extraction(document: Document, prediction: Prediction) -> Answer:
    """What the document says, and where; `note` says why there is nothing where its class has no schema."""
    return {
        **_class(prediction),
        "schema": prediction.schema,
        "note": None if prediction.schema else _no_schema(prediction.label),
        "entities": [_entity(entity) for entity in prediction.entities],
        **_basis(document, prediction),
    }


def summary(document: Document, found: Summary) -> Answer:
    """The document in short."""
    return {"name": found.name, "sha256": found.sha256, "summary": found.text, **_basis(document, found)}


def reading(document: Document, words: bool = False) -> Answer:
    """How the document was read, page by page; `content` holds the words and their boxes if asked for."""
    return {
        "name": document.name,
        "sha256": document.sha256,
        **_counts(document),
        "sources": {source: sum(page.source == source for page in document.pages) for source in get_args(Source)},
        "words": sum(len(page.words) for page in document.pages),
        "page_details": [page_answer(page, words) for page in document.pages],
    }


def page_answer(page: Page, words: bool) -> Answer:
    """How a page was read."""
    return _page(page) | ({"content": _words(page)} if words else {})


def _class(prediction: Prediction) -> Answer:
    confidence = prediction.confidence
    return {
        "name": prediction.name,
        "sha256": prediction.sha256,
        "label": prediction.label,
        "confidence": None if confidence is None else round(confidence, 6),
    }


def _basis(document: Document, prediction: Prediction | Summary) -> Answer:
    """What the answer rests on."""
    return {
        **_counts(document),
        "tokens": prediction.coverage.tokens,
        "windows": prediction.coverage.windows,
        "page_details": [_page(page) for page in document.pages],
        "model": prediction.model,
    }


def _counts(document: Document) -> Answer:
    failures: list[Json] = [{"page": page.number, "code": page.failure} for page in document.pages if page.failure]
    return {
        "pages": len(document.pages),
        "pages_read": document.pages_read,
        "pages_failed": document.pages_failed,
        "failures": failures,
        "notes": list(document.notes),
    }


def _page(page: Page) -> Answer:
    return {
        "page": page.number,
        "width": round(page.width, 2),
        "height": round(page.height, 2),
        "source": page.source,
        "reason": page.reason,
        "failure": page.failure,
        "words": len(page.words),
        "header": page.header,
        "footer": page.footer,
        "rotation": page.rotation,
        "skew": round(page.skew, 2),
        "notes": list(page.notes),
        "part": page.part,
    }


def _words(page: Page) -> list[Json]:
    return [
        {"text": word.text, "box": [round(edge, 2) for edge in word.box], "confidence": round(word.confidence, 4)}
        for word in page.words
    ]


def _entity(entity: Entity) -> Answer:
    return {
        "label": entity.label,
        "text": entity.text,
        "value": entity.value and {"text": entity.value.text, "parts": _parts(entity.value.parts)},
        "confidence": round(entity.confidence, 6),
        "page": entity.page,
        "boxes": [[page, *(round(edge, 2) for edge in box)] for page, box in entity.boxes],
    }


def _parts(parts: Mapping[str, Json] | None) -> Json:
    return None if parts is None else dict(parts)


def _no_schema(label: str | None) -> str:
    if label is None:
        return "The model gives documents no single class to choose a schema by, so no entities were looked for."
    return f"No extraction schema belongs to the class {label!r}, so no entities were looked for."
