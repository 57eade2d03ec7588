"""Reading a file in a child process (`pipeline.child`): one draft a page, whatever the file does to its reader."""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import Any

from pipeline.child import borrowed_child
from pipeline.decide import Draft
from pipeline.errors import CorruptDocument, OutOfMemory, TimedOut, TooLarge, TooManyPages
from pipeline.kinds import HEAD, Kind, kind_of
from pipeline.limits import Limits
from pipeline.types import Box, Word


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be opened in a child process, and the limits it is opened under.

    scratch: a private folder for whatever is written.  end: of the whole document, on the monotonic clock.
    password: for encrypted PDFs.  units: points to a unit of the page, on the pages (from 1) where it is not 1.
    lost: pages of a damaged PDF that show nothing since their content is gone.
    """

    path: Path
    kind: Kind
    scratch: Path
    limits: Limits
    end: float
    password: str | None = None
    units: dict[int, float] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()

    def seconds_left(self) -> float:
        """What is left of the document's time; TimedOut where nothing is."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimedOut("Reading the document took longer than the limit.")
        return left

    def ask(self, task: str, **details: object) -> Generator[dict[str, Any]]:
        """The replies of a child to a request about this file; raises what `Child.ask` raises."""
        request = {"task": task, "path": str(self.path), "kind": self.kind, "password": self.password, **details}
        with borrowed_child() as child:
            yield from child.ask(request, self.limits, self.seconds_left())


def open_source(path: Path, scratch: Path, limits: Limits, password: str | None) -> Source:
    """The file, whose time begins now; NotADocument where its content is of no type that is read."""
    with path.open("rb") as stream:
        kind = kind_of(stream.read(HEAD))
    return Source(path, kind, scratch, limits, time.monotonic() + limits.document_seconds, password)


def drafts(source: Source, max_pages: int) -> Iterator[tuple[int, Draft]]:
    """(pages in all, draft) for every page of the file, in order.

    A page that kills or stops its reader is a draft with a failure, and another child reads on after it; so are all
    pages that the document's time does not suffice for. Raises what is wrong with the file as a whole: TooManyPages,
    PasswordRequired, CorruptDocument, TimedOut, OutOfMemory.
    """
    total, number = 0, 1
    once: dict[float, float] = {}
    while not total or number <= total:
        try:
            units = {str(page): unit for page, unit in source.units.items()}
            with closing(source.ask("read", first=number, units=units)) as replies:
                total = _checked(next(replies)["pages"], max_pages)
                for reply in replies:
                    yield total, _draft(reply, once)
                    number = reply["number"] + 1
            return
        except (TimedOut, OutOfMemory, CorruptDocument, TooLarge) as error:
            if not total:
                raise
            if number <= total:
                yield total, Draft(number, failure=error.code)
            number += 1


def _checked(pages: int, max_pages: int) -> int:
    """The number of pages, if one can go on with it."""
    if pages < 1:
        raise CorruptDocument("The document holds no page.")
    if pages > max_pages:
        raise TooManyPages(f"The document has {pages:,} pages; at most {max_pages:,} are read.")
    return pages


def _draft(reply: dict[str, Any], once: dict[float, float]) -> Draft:
    """A page as the child tells of it.

    once: every number of the document's boxes so far. A long document holds a million words, which take half the memory
    where texts and numbers that are the same are kept once.
    """
    keep = once.setdefault
    words = tuple(
        Word(intern(text), Box(keep(x0, x0), keep(y0, y0), keep(x1, x1), keep(y1, y1)))
        for text, x0, y0, x1, y1 in reply.get("words", ())
    )
    return Draft(**{**reply, "words": words})


def lone(replies: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """The one reply of a task that has one, read to its end."""
    (reply,) = replies
    return reply
