import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import CorruptDocument, OutOfMemory, TimedOut
from pipeline.limits import Limits
from pipeline.reader import Source, drafts
from tests.pipeline.writing import saved, text_pdf


class Fragile(Source):
    """A file of ten pages; its reader dies at pages 3 and 10, and at every page from `dead_from`."""

    dead_from = 99

    def ask(self, task: str, **details: object) -> Generator[dict[str, Any]]:
        yield {"pages": 10}
        for number in range(int(str(details["first"])), 11):
            if number in (3, 10) or number >= self.dead_from:
                raise OutOfMemory("Too much.")
            yield {"number": number, "width": 10.0, "height": 10.0}


def source(kind: type[Source] = Source, path: Path = Path("x"), seconds: float = 30.0) -> Source:
    return kind(path, "pdf", path.parent, Limits(), time.monotonic() + seconds)


def test_drafts_come_with_the_number_of_pages(tmp_path: Path) -> None:
    read = list(drafts(source(path=saved(tmp_path, text_pdf([["one"], ["two"]]))), 10))
    assert [(total, draft.number, draft.words[0].text) for total, draft in read] == [(2, 1, "one"), (2, 2, "two")]


def test_reading_goes_on_after_pages_that_kill_their_reader() -> None:
    read = [draft for _, draft in drafts(source(Fragile), 10)]
    assert [draft.number for draft in read] == list(range(1, 11))
    assert [draft.number for draft in read if draft.failure == "out_of_memory"] == [3, 10]


def test_reading_goes_on_however_many_pages_kill_their_reader() -> None:
    class Hopeless(Fragile):
        dead_from = 5

    read = [draft for _, draft in drafts(source(Hopeless), 10)]
    assert [draft.number for draft in read if draft.failure == "out_of_memory"] == [3, 5, 6, 7, 8, 9, 10]


def test_pages_that_the_time_does_not_suffice_for_are_listed() -> None:
    class Slow(Source):
        def ask(self, task: str, **details: object) -> Generator[dict[str, Any]]:
            self.seconds_left()
            yield {"pages": 4}
            yield {"number": 1, "width": 10.0, "height": 10.0}
            raise TimedOut("Too slow.")

    begun = source(Slow, seconds=0.05)
    read = drafts(begun, 10)
    assert next(read)[1].failure is None
    time.sleep(0.06)
    assert [(draft.number, draft.failure) for _, draft in read] == [(number, "timed_out") for number in (2, 3, 4)]


def test_a_document_out_of_time_is_not_begun() -> None:
    with pytest.raises(TimedOut):
        list(drafts(source(seconds=-1.0), 10))


def test_a_document_without_pages_is_corrupt() -> None:
    class Empty(Source):
        def ask(self, task: str, **details: object) -> Generator[dict[str, Any]]:
            yield {"pages": 0}

    with pytest.raises(CorruptDocument, match="no page"):
        list(drafts(source(Empty), 10))
