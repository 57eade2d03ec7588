"""What every format in the folder promises."""

import inspect
from pathlib import Path

import pytest

from models.registry import names, pick
from pipeline.types import Document
from tests.pipeline.export.reading import DOCUMENT, source, written
from tests.pipeline.writing import saved, text_pdf

FORMATS = names("pipeline.export")


def test_the_formats_asked_for_are_there() -> None:
    assert {"json", "text", "hocr", "alto", "pdf"} <= set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_writes_a_document(name: str, tmp_path: Path) -> None:
    writer = pick("pipeline.export", name)
    assert list(inspect.signature(writer.write).parameters) == ["document", "original", "target"]
    assert "/" in writer.MEDIA_TYPE
    assert writer.EXTENSION.startswith(".")
    original = source(saved(tmp_path, text_pdf([["one"], ["two"], ["three"]])))
    assert written(writer, DOCUMENT, original)
    assert [path.name for path in tmp_path.iterdir()] == ["something.bin"], "nothing is left behind"


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_needs_no_words(name: str, tmp_path: Path) -> None:
    pages = tuple(DOCUMENT.pages[1] for _ in range(2))
    original = source(saved(tmp_path, text_pdf([[], []])))
    assert written(pick("pipeline.export", name), Document("empty.pdf", "0" * 64, pages), original)


def test_no_two_formats_share_an_extension() -> None:
    assert len({pick("pipeline.export", name).EXTENSION for name in FORMATS}) == len(FORMATS)
