import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import CorruptDocument, NotADocument, OutOfMemory, TimedOut
from pipeline.reader import Source, drafts, kind_of
from tests.pipeline.writing import saved, text_pdf


class Fragile(Source):
    """A file of ten pages; its reader dies at pages 3 and 10, and at every page from `dead_from`."""

    dead_from = 99

    def ask(self, task: str, **details: str | int) -> Generator[dict[str, Any]]:
        yield {"pages": 10}
        for number in range(int(details["first"]), 11):
            if number in (3, 10) or number >= self.dead_from:
                raise OutOfMemory("Too much.")
            yield {"number": number, "width": 10.0, "height": 10.0}


class Hopeless(Fragile):
    dead_from = 5


def source(kind: type[Source] = Source, path: Path = Path("x"), seconds: float = 30.0) -> Source:
    return kind(path, "pdf", None, seconds, time.monotonic() + seconds, 2_000_000_000)


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"%PDF-1.4", "pdf"),
        (b"\xef\xbb\xbf\n%PDF-2.0", "pdf"),
        (b"\x89PNG\r\n\x1a\n", "image"),
        (b"\xff\xd8\xff\xe0", "image"),
        (b"II*\0", "image"),
        (b"MM\0*", "image"),
        (b"MM\0+", "image"),
    ],
)
def test_types_are_told_by_their_first_bytes(head: bytes, kind: str) -> None:
    assert kind_of(head) == kind


@pytest.mark.parametrize("head", [b"", b"PK\x03\x04", b"<html>", b"BM" + bytes(50), bytes(1024) + b"%PDF-1.4"])
def test_other_types_are_refused(head: bytes) -> None:
    with pytest.raises(NotADocument):
        kind_of(head)


def test_drafts_come_with_the_number_of_pages(tmp_path: Path) -> None:
    read = list(drafts(source(path=saved(tmp_path, text_pdf([["one"], ["two"]]))), 10))
    assert [(total, draft.number, draft.words[0].text) for total, draft in read] == [(2, 1, "one"), (2, 2, "two")]


def test_reading_goes_on_after_pages_that_kill_their_reader() -> None:
    read = [draft for _, draft in drafts(source(Fragile), 10)]
    assert [draft.number for draft in read] == list(range(1, 11))
    assert [draft.number for draft in read if draft.failure == "out_of_memory"] == [3, 10]


def test_reading_ends_where_too_many_pages_kill_their_reader() -> None:
    with pytest.raises(OutOfMemory):
        list(drafts(source(Hopeless), 10))


def test_a_document_out_of_time_is_not_begun() -> None:
    with pytest.raises(TimedOut):
        list(drafts(source(seconds=-1.0), 10))


def test_a_document_without_pages_is_corrupt() -> None:
    class Empty(Source):
        def ask(self, task: str, **details: str | int) -> Generator[dict[str, Any]]:
            yield {"pages": 0}

    with pytest.raises(CorruptDocument, match="no page"):
        list(drafts(source(Empty), 10))
