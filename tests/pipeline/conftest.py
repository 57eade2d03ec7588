"""What the tests of ingestion share."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pipeline.ocr


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Callable[[str, str], Path]]:
    """Put an OCR engine file (name, `recognise` body) beside the real ones, by a folder of its own."""
    folder = tmp_path / "engines"
    folder.mkdir()
    added: list[str] = []

    def add(name: str, body: str) -> Path:
        (folder / f"{name}.py").write_text(
            f"def recognise(image, languages, seconds):\n{body}\n"
            "def check(languages): pass\ndef version(): return '1'\n"
        )
        added.append(f"pipeline.ocr.{name}")
        return folder

    pipeline.ocr.__path__.append(str(folder))
    yield add
    pipeline.ocr.__path__.remove(str(folder))
    for module in added:
        sys.modules.pop(module, None)
