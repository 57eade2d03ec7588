"""What a file is made of: a PDF or an image of itself, a mail of its attachments, a Word file of the PDF made of it."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.decide import Draft
from pipeline.errors import CorruptDocument, DocumentError, TooManyPages
from pipeline.kinds import HEAD, kind_of
from pipeline.reader import Source, drafts, lone

_REPAIRED = "damaged, repaired"


@dataclass(frozen=True, slots=True)
class Part:
    """A PDF or an image, and its attachment's name where it came in a mail."""

    source: Source
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A page of one of the parts. number: in the whole document, from 1; the draft's is that in its part."""

    number: int
    part: Part
    draft: Draft

    @property
    def is_lost(self) -> bool:
        """Whether it is blank because its content is gone."""
        return not self.draft.words and self.draft.number in self.part.source.lost


def parts_of(source: Source, notes: list[str]) -> list[Part]:
    """The parts of a file, in order; `notes` is told what had to be done for them. Raises what `Source.ask` raises."""
    match source.kind:
        case "mail":
            folder = _folder(source, "mail")
            reply = lone(source.ask("unpack", folder=str(folder)))
            notes += [f"attachment of no type that is read: {name}" for name in reply["others"]]
            return [Part(_opened(source, Path(path)), name) for name, path in reply["parts"]]
        case _:
            return [Part(source)]


def opened(parts: list[Part], max_pages: int, notes: list[str]) -> Iterator[tuple[int, Opened]]:
    """(pages in all of the parts opened so far, page) for every page of all parts.

    A part that cannot be opened is one page with a failure, unless it is the only one: then what is wrong with it is
    raised. TooManyPages for all of them together.
    """
    before = 0
    for part in parts:
        total = 0
        try:
            for total, ready, draft in _drafts(part, max_pages, notes):
                if before + total > max_pages:
                    raise TooManyPages(f"The attachments have more pages than the {max_pages:,} that are read.")
                yield before + total, Opened(before + draft.number, ready, draft)
        except TooManyPages:
            raise
        except DocumentError as error:
            if len(parts) == 1:
                raise
            notes.append(f"{part.name}: {error}")
            total = 1
            yield before + 1, Opened(before + 1, part, Draft(1, failure=error.code))
        before += total


def _drafts(part: Part, max_pages: int, notes: list[str]) -> Iterator[tuple[int, Part, Draft]]:
    """(pages in all, the part as it was opened in the end, draft) for every page of a part."""
    source = part.source
    if source.kind == "office":
        source = _converted(source)
        notes.append("made a PDF by LibreOffice")
    if source.kind == "pdf":
        source, damaged = _inspected(source)
        if damaged:
            notes.append(_REPAIRED)
    begun = False
    try:
        for total, draft in drafts(source, max_pages):
            begun = True
            yield total, replace(part, source=source), draft
        return
    except CorruptDocument:
        if begun or source.kind != "pdf":
            raise
    source = _repaired(source)
    if _REPAIRED not in notes:
        notes.append(_REPAIRED)
    for total, draft in drafts(source, max_pages):
        yield total, replace(part, source=source), draft


def _opened(source: Source, path: Path) -> Source:
    """Another file of the same document."""
    with path.open("rb") as stream:
        return replace(source, path=path, kind=kind_of(stream.read(HEAD)))


def _converted(source: Source) -> Source:
    """The PDF that is made of a Word file."""
    limit = source.limits.scratch_bytes
    reply = lone(source.ask("convert", folder=str(_folder(source, "office")), max_bytes=limit))
    return replace(source, path=Path(reply["path"]), kind="pdf")


def _inspected(source: Source) -> tuple[Source, bool]:
    """The source with what qpdf sees, and whether it is damaged; what cannot be inspected is read all the same."""
    with suppress(DocumentError):
        reply = lone(source.ask("inspect"))
        units = {int(number): unit for number, unit in reply["units"].items()}
        return replace(source, units=units, lost=frozenset(reply["lost"])), bool(reply["damaged"])
    return source, False


def _repaired(source: Source) -> Source:
    """The PDF written anew from what is left of it. Raises what `Source.ask` raises."""
    target = _folder(source, "repaired") / "document.pdf"
    lone(source.ask("repair", target=str(target)))
    return replace(source, path=target)


def _folder(source: Source, name: str) -> Path:
    """A new folder for one of the document's files."""
    number = sum(1 for _ in source.scratch.iterdir())
    folder = source.scratch / f"{name}-{number}"
    folder.mkdir()
    return folder
