"""Reading a file in a child process (`pipeline.child`): one draft a page, whatever the file does to its reader."""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pipeline.child import borrowed_child
from pipeline.decide import Draft
from pipeline.errors import CorruptDocument, NotADocument, OutOfMemory, TimedOut, TooManyPages
from pipeline.types import Box, Word

Kind = Literal["pdf", "image"]
_IMAGE_HEADS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_PDF_HEADER_WITHIN = 1024
_MAX_BAD_PAGES = 3


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be opened in a child process, and the limits it is opened under.

    password: for encrypted PDFs.  page_seconds: for opening the file, and for each page.  end: of the whole document,
    on the monotonic clock.  memory_bytes: address space of the child.
    """

    path: Path
    kind: Kind
    password: str | None
    page_seconds: float
    end: float
    memory_bytes: int

    def seconds_left(self) -> float:
        """What is left of the document's time; TimedOut where nothing is."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimedOut("Reading the document took longer than the limit.")
        return left

    def ask(self, task: str, **details: str | float) -> Generator[dict[str, Any]]:
        """The replies of a child to a request about this file; raises what `Child.ask` raises."""
        request = {"task": task, "path": str(self.path), "kind": self.kind, "password": self.password, **details}
        with borrowed_child() as child:
            yield from child.ask(request, self.page_seconds, self.seconds_left(), self.memory_bytes)


def kind_of(head: bytes) -> Kind:
    """The type of a file by its first bytes (1,024 or more); NotADocument where it is none that is read."""
    if head.startswith(_IMAGE_HEADS):
        return "image"
    if b"%PDF-" in head[:_PDF_HEADER_WITHIN]:
        return "pdf"
    raise NotADocument("The file is none of PDF, PNG, JPEG and TIFF.")


def drafts(source: Source, max_pages: int) -> Iterator[tuple[int, Draft]]:
    """(pages in all, draft) for every page of the file, in order.

    A page that kills or stops its reader is a draft with a failure, and another child reads on after it. Raises what
    is wrong with the file as a whole: TooManyPages, PasswordRequired, CorruptDocument, TimedOut, OutOfMemory.
    """
    total, number, bad_pages = 0, 1, 0
    while True:
        try:
            with closing(source.ask("read", first=number)) as replies:
                total = _checked(next(replies)["pages"], max_pages)
                for reply in replies:
                    yield total, _draft(reply)
                    number = reply["number"] + 1
            return
        except (TimedOut, OutOfMemory, CorruptDocument) as error:
            source.seconds_left()
            bad_pages += 1
            if not total or bad_pages > _MAX_BAD_PAGES:
                raise
            if number > total:
                return
            yield total, Draft(number, failure=error.code)
            number += 1


def _checked(pages: int, max_pages: int) -> int:
    """The number of pages, if one can go on with it."""
    if pages < 1:
        raise CorruptDocument("The document holds no page.")
    if pages > max_pages:
        raise TooManyPages(f"The document has {pages:,} pages; at most {max_pages:,} are read.")
    return pages


def _draft(reply: dict[str, Any]) -> Draft:
    """A page as the child tells of it."""
    words = tuple(Word(text, Box(*box)) for text, *box in reply.get("words", ()))
    return Draft(**{**reply, "words": words})
