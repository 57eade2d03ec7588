from importlib import metadata

import numpy as np
import pytest
from PIL import Image

from pipeline.errors import CorruptDocument, OcrUnavailable
from pipeline.ocr import rapidocr
from pipeline.types import Box

CORNERS = np.array([[10.0, 20], [110, 20], [110, 40], [10, 40]])


def missing(name: str) -> str:
    raise metadata.PackageNotFoundError(name)


class Found:
    """What the engine answers: two lines side by side, the right one without boxes of its letters."""

    txts = ("ab c", "No 12")
    scores = (0.9, 0.4)
    boxes = (CORNERS, CORNERS + np.array([200, 0]))
    word_results = (
        tuple(
            ("abc"[index], 0.5, [[x, 21], [x + 9, 21], [x + 9, 39], [x, 39]]) for index, x in enumerate((12, 40, 90))
        ),
        (),
    )

    def __len__(self) -> int:
        return len(self.txts)


def test_where_it_is_not_installed_one_learns_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(OcrUnavailable, match=r"pip install longleaf\[rapidocr\]"):
        rapidocr.version()
    with pytest.raises(OcrUnavailable, match="not installed"):
        rapidocr.recognise(Image.new("L", (9, 9)), "eng", 60.0)


def test_lines_are_split_into_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rapidocr, "version", lambda: "rapidocr")
    monkeypatch.setattr(rapidocr, "_engine", lambda: lambda image: Found())
    words = rapidocr.recognise(Image.new("L", (300, 100)), "eng", 60.0)
    assert [(word.text, word.confidence) for word in words] == [("ab", 0.9), ("c", 0.9), ("No", 0.4), ("12", 0.4)]
    assert [word.box for word in words[:2]] == [Box(12, 21, 49, 39), Box(90, 21, 99, 39)]
    assert [word.box for word in words[2:]] == [Box(210, 20, 246, 40), Box(264, 20, 300, 40)]


def test_a_picture_it_cannot_take_is_corrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(image: Image.Image) -> None:
        raise ValueError("too thin")

    monkeypatch.setattr(rapidocr, "version", lambda: "rapidocr")
    monkeypatch.setattr(rapidocr, "_engine", lambda: fail)
    with pytest.raises(CorruptDocument, match="cannot read the page"):
        rapidocr.recognise(Image.new("L", (5000, 10)), "eng", 60.0)
