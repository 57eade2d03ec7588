import os
from shutil import which

import pytest

from pipeline.errors import OcrUnavailable
from pipeline.ocr.tesseract import recognise
from tests.pipeline.writing import SENTENCES, scan

pytestmark = pytest.mark.skipif(which("tesseract") is None, reason="tesseract is not installed")


def test_a_missing_language_is_named_with_those_installed() -> None:
    with pytest.raises(OcrUnavailable, match=r"no language xxx; installed are .*eng"):
        recognise(scan(["word"]), "eng+xxx")


def test_boxes_are_in_pixels_around_the_words() -> None:
    (word,) = recognise(scan(["Agreement"], size=(600, 300), height=40), "eng")
    assert word.text == "Agreement"
    assert word.box.x0 == pytest.approx(120, abs=6)
    assert 120 <= word.box.y0 < word.box.y1 <= 172


def test_a_page_lying_on_its_side_is_read() -> None:
    image = scan(SENTENCES, size=(1275, 400), height=28).rotate(90, expand=True)
    words = recognise(image, "eng")
    assert {"Agreement", "parties", "secret"} <= {word.text for word in words}
    assert all(word.box.x1 <= image.width and word.box.y1 <= image.height for word in words)


def test_the_limit_of_threads_is_tesseracts_alone() -> None:
    recognise(scan(["word"], size=(300, 300)), "eng")
    assert "OMP_THREAD_LIMIT" not in os.environ
