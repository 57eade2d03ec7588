"""JSON: what the service answers, pages, words, boxes and confidences."""

import json
from typing import BinaryIO

from pipeline.answer import reading
from pipeline.reader import Source
from pipeline.types import Document

MEDIA_TYPE = "application/json"
EXTENSION = ".json"


def write(document: Document, original: Source | None, target: BinaryIO) -> None:
    """One object, as `pipeline.answer.reading` describes it."""
    target.write(json.dumps(reading(document, words=True)).encode() + b"\n")
