"""What every engine in the folder promises."""

import inspect

import pytest
from PIL import Image

from models.registry import names, pick
from pipeline.errors import OcrUnavailable
from pipeline.types import Word
from tests.pipeline.writing import scan

ENGINES = names("pipeline.ocr")


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_reads_an_image_and_says_its_version(name: str) -> None:
    engine = pick("pipeline.ocr", name)
    assert list(inspect.signature(engine.recognise).parameters) == ["image", "languages"]
    try:
        assert engine.version().startswith(name)
    except OcrUnavailable as error:
        pytest.skip(str(error))
    image = scan(["Agreement"], size=(500, 300))
    words = engine.recognise(image, "eng")
    assert isinstance(words, list)
    for word in words:
        assert isinstance(word, Word)
        assert word.text.strip() == word.text != ""
        assert 0 <= word.box.x0 <= word.box.x1 <= image.width
        assert 0 <= word.box.y0 <= word.box.y1 <= image.height
        assert 0 <= word.confidence <= 1


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_finds_nothing_on_an_empty_image(name: str) -> None:
    engine = pick("pipeline.ocr", name)
    try:
        assert engine.recognise(Image.new("L", (400, 300), 255), "eng") == []
    except OcrUnavailable as error:
        pytest.skip(str(error))
