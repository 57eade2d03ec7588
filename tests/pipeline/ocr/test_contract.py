"""What every engine in the folder promises."""

import inspect
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
from PIL import Image, ImageDraw, ImageFont

from models.registry import names, pick
from pipeline.errors import OcrUnavailable
from pipeline.types import Box, Word

BLIND = {"null"}
PLACES = {"Agreement": (60, 60), "between": (360, 60), "Notice": (60, 200), "thirty": (360, 200)}
SIZE = (700, 320)


@pytest.fixture(params=names("pipeline.ocr"))
def engine(request: pytest.FixtureRequest) -> ModuleType:
    """Each engine that is installed."""
    module = pick("pipeline.ocr", request.param)
    try:
        module.check("eng")
    except OcrUnavailable as error:
        pytest.skip(str(error))
    return module


def page() -> tuple[Image.Image, dict[str, Box]]:
    """A page of four words, and where they were drawn."""
    image = Image.new("L", SIZE, 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(40)
    for text, place in PLACES.items():
        draw.text(place, text, font=font, fill=0)
    return image, {text: Box(*draw.textbbox(place, text, font=font)) for text, place in PLACES.items()}


def overlap(one: Box, other: Box) -> float:
    """The share of the first box that lies in the other."""
    across = max(0.0, min(one.x1, other.x1) - max(one.x0, other.x0))
    down = max(0.0, min(one.y1, other.y1) - max(one.y0, other.y0))
    return across * down / ((one.x1 - one.x0) * (one.y1 - one.y0))


def is_blind(engine: ModuleType) -> bool:
    return engine.__name__.rsplit(".", 1)[-1] in BLIND


def test_an_engine_offers_what_the_folder_promises(engine: ModuleType) -> None:
    assert list(inspect.signature(engine.recognise).parameters) == ["image", "languages", "seconds"]
    assert list(inspect.signature(engine.check).parameters) == ["languages"]
    assert engine.version().startswith(engine.__name__.rsplit(".", 1)[-1])


def test_words_are_read_where_they_stand(engine: ModuleType) -> None:
    image, places = page()
    words = engine.recognise(image, "eng", 60.0)
    assert isinstance(words, list)
    assert [word.text for word in words] == ([] if is_blind(engine) else list(places))
    for word in words:
        assert isinstance(word, Word)
        assert 0.5 < word.confidence <= 1
        assert 0 <= word.box.x0 < word.box.x1 <= image.width
        assert 0 <= word.box.y0 < word.box.y1 <= image.height
        assert overlap(places[word.text], word.box) > 0.6
        assert overlap(word.box, places[word.text]) > 0.4


def test_dots_an_inch_are_taken_as_said(engine: ModuleType) -> None:
    image, places = page()
    image.info["dpi"] = (200, 200)
    assert [word.text for word in engine.recognise(image, "eng", 60.0)] == ([] if is_blind(engine) else list(places))


@pytest.mark.parametrize("size", [(400, 300), (1, 1)])
def test_an_empty_picture_has_no_words(engine: ModuleType, size: tuple[int, int]) -> None:
    assert engine.recognise(Image.new("L", size, 255), "eng", 60.0) == []


def test_a_language_that_is_not_installed_is_named_with_those_that_are(engine: ModuleType) -> None:
    if is_blind(engine):
        engine.check("eng+xxx")
        return
    for _ in range(2):
        with pytest.raises(OcrUnavailable, match=r"no language xxx; installed are .*\beng\b"):
            engine.check("eng+xxx")
    with pytest.raises(OcrUnavailable, match="no language osd, xxx") as caught:
        engine.recognise(page()[0], "osd+eng+xxx", 60.0)
    assert "osd" not in str(caught.value).split("installed are")[1]


def test_threads_get_the_same_answer_at_once(engine: ModuleType) -> None:
    image, _ = page()
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(engine.recognise, [image, image], ["eng", "eng"], [60.0, 60.0])
    assert one == other == engine.recognise(image, "eng", 60.0)
