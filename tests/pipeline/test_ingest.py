import hashlib
import multiprocessing
import subprocess
import sys
import textwrap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from shutil import which

import pytest
from PIL import Image

from pipeline.errors import (
    CorruptDocument,
    EmptyFile,
    NoAttachment,
    NotADocument,
    OcrUnavailable,
    OutOfMemory,
    PasswordRequired,
    TimedOut,
    TooLarge,
    TooManyPages,
)
from pipeline.ingest import IngestSettings, ingest
from pipeline.limits import Limits
from pipeline.slots import cores
from tests.pipeline.writing import SENTENCES, image_file, pdf_canvas, saved, scan, scanned_pdf, text_pdf

needs_tesseract = pytest.mark.skipif(which("tesseract") is None, reason="tesseract is not installed")
needs_poppler = pytest.mark.skipif(which("pdftoppm") is None, reason="poppler is not installed")
ONE_WORD = "    from pipeline.types import Box, Word\n    return [Word('found', Box(0, 0, *image.size), 0.5)]"


def test_a_text_layer_is_read_with_boxes_in_points_from_the_top_left() -> None:
    content = text_pdf([["Confidentiality Agreement", "between two parties"], ["page two"]])
    document = ingest(content, "contract.pdf")
    assert document.name == "contract.pdf"
    assert document.sha256 == hashlib.sha256(content).hexdigest()
    assert [page.number for page in document.pages] == [1, 2]
    first = document.pages[0]
    assert (first.width, first.height, first.source, first.reason) == (612, 792, "text", "text layer")
    assert [word.text for word in first.words] == ["Confidentiality", "Agreement", "between", "two", "parties"]
    assert first.words[0].box.x0 == pytest.approx(72, abs=2)
    assert first.words[0].box.y1 == pytest.approx(84, abs=4)
    assert all(word.confidence == 1.0 for word in first.words)


def test_the_type_is_told_by_content_and_not_by_name(tmp_path: Path) -> None:
    assert ingest(saved(tmp_path, text_pdf([["words"]])), "picture.jpg").pages[0].words[0].text == "words"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", EmptyFile),
        (b"From: someone, a letter\nSubject: no document at all\n", NotADocument),
        (b"From: a@b\nTo: c@d\nSubject: no document\n\nHello.\n", NoAttachment),
        (b"PK\x03\x04" + bytes(100), CorruptDocument),
        (b"GIF89a" + bytes(100), NotADocument),
        (b"%PDF-1.7\nnothing else", CorruptDocument),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), CorruptDocument),
        (text_pdf([["secret"]], password="sesame"), PasswordRequired),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(content: bytes, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        ingest(content, "x")
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_an_encrypted_document_is_read_with_its_password_only() -> None:
    content = text_pdf([["secret"]], password="sesame")
    assert ingest(content, "x", password="sesame").pages[0].words[0].text == "secret"
    with pytest.raises(PasswordRequired, match="wrong"):
        ingest(content, "x", password="guess")


def test_limits_are_kept() -> None:
    content = text_pdf([["one"], ["two"], ["three"]])
    with pytest.raises(TooLarge):
        ingest(content, "x", IngestSettings(limits=Limits(max_bytes=100)))
    with pytest.raises(TooManyPages, match="3 pages"):
        ingest(content, "x", IngestSettings(limits=Limits(max_pages=2)))
    with pytest.raises(TimedOut):
        ingest(content, "x", IngestSettings(limits=Limits(page_seconds=1e-6)))
    with pytest.raises(TimedOut):
        ingest(content, "x", IngestSettings(limits=Limits(page_seconds=1e-6, document_seconds=1e-6)))


def test_progress_is_told_after_every_page() -> None:
    told: list[tuple[str, int, int]] = []
    ingest(text_pdf([["one"], ["two"], ["three"]]), "x", on_page=lambda page, *n: told.append((page.words[0].text, *n)))
    assert told == [("one", 1, 3), ("two", 2, 3), ("three", 3, 3)]


def test_a_blank_page_needs_no_ocr() -> None:
    page = ingest(text_pdf([[]]), "x", IngestSettings(engine="none such")).pages[0]
    assert (page.source, page.reason, page.words, page.failure) == ("none", "blank page", (), None)


def test_without_ocr_a_scan_is_left_empty_and_says_so() -> None:
    page = ingest(scanned_pdf([scan(["words"])]), "x", IngestSettings(ocr="never")).pages[0]
    assert (page.source, page.reason, page.failure) == ("none", "no text layer, OCR switched off", None)


def test_an_unknown_engine_is_named_with_those_there_are() -> None:
    with pytest.raises(OcrUnavailable, match="null, rapidocr, tesseract"):
        ingest(image_file(scan(["words"]), "PNG"), "x", IngestSettings(engine="abacus"))


@needs_poppler
def test_ocr_boxes_become_points_of_the_page(engine: Callable[[str, str], Path]) -> None:
    engine("one_word", ONE_WORD)
    page = ingest(scanned_pdf([scan(["words"])]), "x", IngestSettings(engine="one_word")).pages[0]
    assert (page.width, page.height) == (612, 792)
    assert page.words[0].box == pytest.approx((0, 0, 612, 792), abs=0.01)
    assert (page.source, page.words[0].confidence) == ("ocr", 0.5)


@needs_poppler
def test_a_page_that_fails_keeps_its_place_and_the_rest_is_read(engine: Callable[[str, str], Path]) -> None:
    engine(
        "moody",
        "    from pipeline.errors import TimedOut\n"
        "    if image.getpixel((30, 30)) < 99: raise TimedOut('Too slow.')\n" + ONE_WORD,
    )
    marked = scan(["some words"])
    marked.paste(0, (0, 0, 60, 60))
    document = ingest(scanned_pdf([scan(["a word"]), marked, scan(["b words"])]), "x", IngestSettings(engine="moody"))
    assert [page.failure for page in document.pages] == [None, "timed_out", None]
    assert [len(page.words) for page in document.pages] == [1, 0, 1]
    assert (document.pages_read, document.pages_failed) == (2, 1)


@needs_poppler
@pytest.mark.parametrize(("pages", "said"), [(1, "The only page cannot"), (2, "None of the 2 pages can")])
def test_every_page_failing_is_a_failure(engine: Callable[[str, str], Path], pages: int, said: str) -> None:
    engine("broken", "    from pipeline.errors import OutOfMemory\n    raise OutOfMemory('No.')")
    with pytest.raises(OutOfMemory, match=said):
        ingest(scanned_pdf([scan(["a"])] * pages), "x", IngestSettings(engine="broken"))


def test_a_tiff_has_as_many_pages_as_frames_and_resolution_gives_their_size(
    engine: Callable[[str, str], Path],
) -> None:
    engine("one_word", ONE_WORD)
    frames = [scan(["one"]), scan(["two"], size=(1650, 1275))]
    content = image_file(frames[0], "TIFF", save_all=True, append_images=frames[1:], dpi=(150, 150))
    document = ingest(content, "x", IngestSettings(engine="one_word"))
    assert [(round(page.width), round(page.height)) for page in document.pages] == [(612, 792), (792, 612)]


def test_a_photograph_is_turned_upright_and_has_a_sane_size_without_resolution(
    engine: Callable[[str, str], Path],
) -> None:
    engine("one_word", ONE_WORD)
    exif = Image.Exif()
    exif[0x0112] = 6
    content = image_file(scan(["A"], size=(400, 200), height=60), "JPEG", exif=exif)
    page = ingest(content, "x", IngestSettings(engine="one_word")).pages[0]
    assert (page.width, page.height) == (72, 144)
    assert page.words[0].box == pytest.approx((0, 0, 72, 144))


@needs_poppler
@needs_tesseract
def test_a_scan_says_the_same_as_the_text_it_shows() -> None:
    page = ingest(scanned_pdf([scan(SENTENCES, height=28)]), "x").pages[0]
    assert (page.source, page.reason) == ("ocr", "no text layer")
    assert [word.text for word in page.words] == " ".join(SENTENCES).split()
    assert page.words[0].box.x0 == pytest.approx(120 * 72 / 150, abs=3)
    assert all(0.5 < word.confidence <= 1.0 for word in page.words)


def test_threads_may_read_at_once() -> None:
    contents = [text_pdf([[f"document {number}"]]) for number in range(12)]
    with ThreadPoolExecutor(6) as threads:
        documents = list(threads.map(lambda content: ingest(content, "x"), contents))
    assert [document.pages[0].words[1].text for document in documents] == [str(number) for number in range(12)]


def _read_in_worker(content: bytes) -> None:
    assert ingest(content, "x").pages[0].words[0].text == "words"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_daemonic_forked_worker_may_read() -> None:
    content = text_pdf([["words"]])
    _read_in_worker(content)
    worker = multiprocessing.get_context("fork").Process(target=_read_in_worker, args=(content,), daemon=True)
    worker.start()
    worker.join(20)
    assert worker.exitcode == 0


COUNTING = """
    import os, time, uuid
    from pathlib import Path
    folder = Path({folder!r})
    mine = folder / ("running-" + uuid.uuid4().hex)
    mine.touch()
    time.sleep(0.05)
    (folder / ("seen-" + uuid.uuid4().hex)).write_text(str(len(list(folder.glob("running-*")))))
    time.sleep(0.05)
    mine.unlink()
    return []
"""


@needs_poppler
def test_no_more_ocr_jobs_than_cores_over_threads_and_processes(
    engine: Callable[[str, str], Path], tmp_path: Path
) -> None:
    engines = engine("counting", COUNTING.format(folder=str(tmp_path)))
    path = saved(tmp_path, scanned_pdf([scan([str(number)], size=(200, 200)) for number in range(4)]))
    program = f"""
        from pathlib import Path
        from threading import Thread
        import pipeline.ocr
        from pipeline.ingest import IngestSettings, ingest
        pipeline.ocr.__path__.append({str(engines)!r})
        work = lambda: ingest(Path({str(path)!r}), "x", IngestSettings(engine="counting"))
        threads = [Thread(target=work) for _ in range(2)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    processes = [subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)]) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    seen = [int(file.read_text()) for file in tmp_path.glob("seen-*")]
    assert len(seen) == 16
    assert max(seen) <= cores()


def test_a_scan_with_a_stamped_header_is_still_read_by_ocr(engine: Callable[[str, str], Path]) -> None:
    engine("one_word", ONE_WORD)
    target = BytesIO()
    canvas = pdf_canvas(target)
    canvas.drawInlineImage(scan(["words"]), 0, 0, 612, 792)
    canvas.drawString(72, 770, "Received by the registry 03/19/2013")
    canvas.save()
    page = ingest(target.getvalue(), "x", IngestSettings(engine="one_word")).pages[0]
    assert (page.source, page.reason) == ("ocr", "scan with a header, footer or stamp only")
