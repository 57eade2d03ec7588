import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from PIL import Image

from pipeline.errors import CorruptDocument, OcrUnavailable, TimedOut
from pipeline.ocr.tesseract import check, recognise, version
from tests.pipeline.writing import scan

pytestmark = pytest.mark.skipif(which("tesseract") is None, reason="tesseract is not installed")


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Nothing is known of what is installed, before and after."""
    for function in (version, check):
        function.cache_clear()
    yield
    for function in (version, check):
        function.cache_clear()


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to look for programs in, where a program called tesseract may be put."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(folder: Path, body: str) -> None:
    """A program called tesseract that knows English and reads a page as the Python code has it."""
    program = folder / "tesseract"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys, time\n"
        "if '--version' in sys.argv: print('tesseract 5.3.0'); sys.exit()\n"
        "if '--list-langs' in sys.argv: print('List of languages:\\neng\\nosd'); sys.exit()\n"
        f"{body}\n"
    )
    program.chmod(0o755)


def test_boxes_are_in_pixels_around_the_words() -> None:
    (word,) = recognise(scan(["Agreement"], size=(600, 300), height=40), "eng", 60.0)
    assert word.text == "Agreement"
    assert word.box.x0 == pytest.approx(120, abs=6)
    assert 120 <= word.box.y0 < word.box.y1 <= 172


def test_what_is_installed_later_is_found(fake: Path) -> None:
    with pytest.raises(OcrUnavailable, match="not installed"):
        check("eng")
    put(fake, "")
    check("eng")
    assert version() == "tesseract 5.3.0"


def test_what_is_no_longer_installed_is_said_to_be_missing(fake: Path) -> None:
    put(fake, "")
    check("eng")
    (fake / "tesseract").unlink()
    with pytest.raises(OcrUnavailable, match="not installed"):
        recognise(scan(["word"]), "eng", 60.0)


def test_a_page_that_breaks_it_is_corrupt(fake: Path) -> None:
    put(fake, "sys.exit(1)")
    with pytest.raises(CorruptDocument, match="cannot read the page"):
        recognise(scan(["word"]), "eng", 60.0)


def test_a_page_that_takes_too_long_leaves_no_process(fake: Path, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    put(fake, f"open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(60)")
    start = time.monotonic()
    with pytest.raises(TimedOut, match="longer than 1 seconds"):
        recognise(scan(["word"]), "eng", 1.0)
    assert time.monotonic() - start < 30
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_it_is_told_its_threads_and_the_resolution(fake: Path, tmp_path: Path) -> None:
    note = tmp_path / "told"
    put(fake, f"open({str(note)!r}, 'w').write(os.environ['OMP_THREAD_LIMIT'] + ' ' + ' '.join(sys.argv[1:]))")
    image = Image.new("L", (100, 100), 255)
    assert recognise(image, "eng", 60.0) == []
    assert note.read_text() == "1 stdin stdout -l eng tsv"
    image.info["dpi"] = (300.0, 300.0)
    recognise(image, "eng", 60.0)
    assert note.read_text() == "1 stdin stdout -l eng --dpi 300 tsv"
    assert "OMP_THREAD_LIMIT" not in os.environ


def test_no_page_is_written_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = tmp_path.stat().st_mtime_ns
    assert recognise(scan(["word"], size=(400, 300)), "eng", 60.0)
    assert tmp_path.stat().st_mtime_ns == before
