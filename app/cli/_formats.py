"""Documents written as one of the formats of `pipeline.export`: to standard output, to a file, or to a folder."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import typer

from app.cli import _documents, _terminal
from models.registry import names, pick

if TYPE_CHECKING:
    from app.reading import Reader

FORMATS = names("pipeline.export")


def check_format(format: str) -> None:
    """Raise UsageProblemError where there is no such format."""
    if format not in FORMATS:
        _terminal.stop(f"There is no format {format!r}; there are: {', '.join(FORMATS)}.")


def targets(paths: Sequence[Path], files: Sequence[Path], out: Path | None, format: str) -> dict[Path, Path | None]:
    """Where each file's result goes, None for standard output.

    In a folder it is called as the file and the format's extension, below the folder of `paths` that it was found in.
    Raises UsageProblemError where a result has no place of its own.
    """
    if len(files) == 1 and files == paths and not (out and out.is_dir()):
        if out is None and format == "pdf" and sys.stdout.isatty():
            _terminal.stop("A PDF is not written to a terminal; say --out FILE.")
        if out and not out.absolute().parent.is_dir():
            _terminal.stop(f"There is no folder {out.parent}.")
        found = {files[0]: out}
    else:
        if out is None or (out.exists() and not out.is_dir()):
            _terminal.stop("Several documents need --out FOLDER." if out is None else f"{out} is not a folder.")
        extension: str = pick("pipeline.export", format).EXTENSION
        found = {file: out / _within(paths, file).with_name(file.name + extension) for file in files}
    _check_places(found)
    return found


def write(file: Path, document: Any, reader: "Reader", target: Path | None, format: str) -> None:  # noqa: ANN401
    """Write one document, to a file whole or not at all. Raises pipeline.errors.DocumentError, UsageProblemError."""
    writer = pick("pipeline.export", format)
    with reader.original(file) as original:
        if target is None:
            writer.write(document, original, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        temporary = target.with_name(f".{uuid4().hex}.tmp")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("wb") as stream:
                writer.write(document, original, stream)
            temporary.replace(target)
        except OSError as error:
            _terminal.stop(f"{target} cannot be written: {error.strerror}.")
        finally:
            temporary.unlink(missing_ok=True)


def lines(places: Mapping[Path, Path | None], reader: "Reader", format: str, readers: int) -> Iterator[dict[str, Any]]:
    """Write the documents, in order; yields one line for each, as `longleaf ingest` prints it, and `out`."""
    from pipeline.answer import reading
    from pipeline.batch import Failure, failure_of
    from pipeline.errors import DocumentError

    for file, outcome in _documents.read(list(places), reader, readers):
        if isinstance(outcome, Failure):
            yield _documents.failed(file, outcome)
            continue
        document, seconds = outcome
        try:
            write(file, document, reader, places[file], format)
        except DocumentError as error:
            yield _documents.failed(file, failure_of(error, file))
            continue
        about = {"status": "ok", "path": str(file), "out": str(places[file])}
        yield {**about, **reading(document), "seconds": round(seconds, 4)}


def to_stdout(places: Mapping[Path, Path | None], reader: "Reader", format: str) -> None:
    """Write the one document there is to standard output; ends with exit code 1 and one sentence where that fails."""
    for line in lines(places, reader, format, readers=1):
        if line["status"] != "ok":
            _terminal.warn(f"{line['path']}: {line['error']}")
            raise typer.Exit(1)


def _within(paths: Sequence[Path], file: Path) -> Path:
    """The file below the folder that was named, or its name alone where it was named itself."""
    return next((file.relative_to(path) for path in paths if path in file.parents), Path(file.name))


def _check_places(places: Mapping[Path, Path | None]) -> None:
    """Raise UsageProblemError where two results would have one place, or a result that of a document."""
    taken = {file.resolve(): file for file in places}
    for file, target in places.items():
        if target is not None:
            other = taken.setdefault(target.resolve(), file)
            if other is not file or target.resolve() == file.resolve():
                _terminal.stop(f"The result of {file} cannot be written to {target}, which is the place of another.")
