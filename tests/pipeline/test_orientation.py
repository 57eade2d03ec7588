from shutil import which

import pytest
from PIL import Image

from pipeline.orientation import turn_upright
from tests.pipeline.writing import SENTENCES, scan

needs_tesseract = pytest.mark.skipif(which("tesseract") is None, reason="tesseract is not installed")
PAGE = scan(SENTENCES, size=(1275, 400), height=28)


@needs_tesseract
def test_the_turn_is_clockwise() -> None:
    assert turn_upright(PAGE.transpose(Image.Transpose.ROTATE_90), 60.0) == 90


@needs_tesseract
def test_a_page_of_too_few_letters_lies_nobody_knows_how() -> None:
    assert turn_upright(scan(["word"], size=(300, 200)), 60.0) is None


def test_without_tesseract_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert turn_upright(PAGE, 60.0) is None
