"""Files made to hurt: bounded time and memory, the right error, and nothing left behind."""

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import pytest

import pipeline.scratch
from pipeline.child import close_children
from pipeline.errors import CorruptDocument, DocumentError, NotADocument, OutOfMemory, TimedOut, TooLarge, TooManyPages
from pipeline.ingest import IngestSettings, ingest
from pipeline.limits import Limits
from tests.pipeline import traps

pytestmark = pytest.mark.skipif(which("pdftoppm") is None, reason="poppler is not installed")
SETTINGS = IngestSettings(engine="null", limits=Limits(page_seconds=20, max_pages=100, memory_bytes=900_000_000))
IMPATIENT = replace(SETTINGS, limits=replace(SETTINGS.limits, page_seconds=3))
Trap = Callable[[], bytes]


@pytest.fixture(autouse=True)
def _nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A scratch folder of the test's own, empty in the end, and no process of a reader left."""
    monkeypatch.setattr(pipeline.scratch, "scratch_root", lambda: tmp_path)
    started = time.monotonic()
    yield
    assert time.monotonic() - started < 60
    assert list(tmp_path.iterdir()) == []
    close_children()
    assert _children() == []


def _children() -> list[str]:
    """The processes that this one has started and that are still there."""
    threads = Path(f"/proc/{os.getpid()}/task").iterdir()
    return [child for thread in threads for child in (thread / "children").read_text().split()]


@pytest.mark.parametrize(
    "trap", [traps.flate_bomb, traps.forms_that_double, traps.vast_image_in_pdf], ids=lambda trap: trap.__name__
)
def test_what_takes_for_ever_or_all_memory_is_stopped(trap: Trap) -> None:
    with pytest.raises((OutOfMemory, TimedOut)):
        ingest(trap(), "trap.pdf", IMPATIENT)


@pytest.mark.parametrize(
    ("trap", "error"),
    [
        (traps.vast_image, TooLarge),
        (traps.no_pages, CorruptDocument),
        (lambda: traps.truncated(10), CorruptDocument),
        (lambda: traps.frames(101), TooManyPages),
        (lambda: b"Dear Sir,\nthis is no PDF, whatever it is called.\n", NotADocument),
    ],
)
def test_what_cannot_be_read_ends_in_its_error(trap: Trap, error: type[DocumentError]) -> None:
    with pytest.raises(error):
        ingest(trap(), "trap.pdf", SETTINGS)


@pytest.mark.parametrize(("width", "height", "share"), [(14_400, 14_400, "16%"), (595, 200_000, "5%")])
def test_a_page_as_large_as_a_house_is_read(width: float, height: float, share: str) -> None:
    page = ingest(traps.vast_page(width, height), "trap", SETTINGS).pages[0]
    assert (page.width, page.height) == (width, height)
    assert [word.text for word in page.words] == ["header"]
    assert page.notes[0] == f"huge page, drawn with {share} of the resolution"


@pytest.mark.parametrize(
    ("trap", "words"), [(traps.self_reference, set()), (traps.page_tree_cycle, {"one"})], ids=["form", "page tree"]
)
def test_what_contains_itself_is_read_once(trap: Trap, words: set[str]) -> None:
    document = ingest(trap(), "trap", SETTINGS)
    assert {word.text for page in document.pages for word in page.words} == words


@pytest.mark.parametrize("percent", [50, 90, 99])
def test_of_a_file_cut_short_every_page_is_there_or_listed(percent: int) -> None:
    document = ingest(traps.truncated(percent), "trap", SETTINGS)
    assert document.notes == ("damaged, repaired",)
    assert (len(document.pages), document.pages_read + document.pages_failed) == (20, 20)
    for page in document.pages:
        if page.failure:
            assert (page.failure, page.reason, page.words) == ("corrupt_document", "content lost", ())
        else:
            assert [word.text for word in page.words][:5] == ["This", "is", "page", "number", str(page.number)]
    assert (document.pages_failed > 0) == (percent == 50)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"max_pages": 0}, "max_pages is 0"),
        ({"page_seconds": 20.0, "document_seconds": 10.0}, r"page_seconds \(20\) is more than document_seconds \(10\)"),
        ({"max_pixels": 400_000_000}, "memory_bytes .* too little"),
        ({"scratch_bytes": 1_000_000}, "scratch_bytes .* too little"),
    ],
)
def test_limits_that_leave_no_room_for_each_other_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Limits(**wrong)


HARD = Path(os.environ.get("LONGLEAF_TEST_DATA", "")) / "hard-pdfs" / "documents"
OUTCOMES: dict[str, list[str]] = json.loads(Path(__file__).with_name("hard_outcomes.json").read_text("utf-8"))


@pytest.mark.skipif(not HARD.is_dir(), reason="LONGLEAF_TEST_DATA names no folder that holds hard-pdfs")
@pytest.mark.parametrize(("code", "name"), [(code, name) for code, found in OUTCOMES.items() for name in found])
def test_odd_documents_end_as_they_did_when_somebody_looked(code: str, name: str) -> None:
    with pytest.raises(DocumentError) as caught:
        ingest(HARD / name, name)
    assert caught.value.code == code
