"""longleaf ingest FILE|FOLDER…"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli import _documents, _options, _terminal

if TYPE_CHECKING:
    from app.reading import Reader


def run(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|FOLDER", help="Files, and folders of files.", show_default=False)
    ],
    words: Annotated[bool, typer.Option("--words", help="The words too, with their boxes.")] = False,
    password: _options.Password = None,
    json: _options.Json = False,
) -> None:
    """Only read documents: pages, words, and for each page whether its text layer or OCR was used, and why."""
    _documents.check_files(paths, folders=True)
    settings = _documents.load_settings()
    files = _files(paths)
    reader = _documents.open_reader(settings, password)
    _documents.report(lines(files, reader, words, settings.readers), len(files), json, show)


def lines(files: list[Path], reader: "Reader", words: bool, readers: int) -> Iterator[dict[str, Any]]:
    """One line a document, in order."""
    from pipeline.answer import reading
    from pipeline.batch import Failure

    for path, outcome in _documents.read(files, reader, readers):
        if isinstance(outcome, Failure):
            yield _documents.failed(path, outcome)
        else:
            document, seconds = outcome
            yield {"status": "ok", "path": str(path), **reading(document, words), "seconds": round(seconds, 4)}


def show(lines: list[dict[str, Any]]) -> None:
    """One row a document."""
    columns = ("document", "pages", "read", "text", "ocr", "none", "words", "seconds", "failure")
    _terminal.print_table(columns, [_row(line) for line in lines])


def _row(line: dict[str, Any]) -> list[object]:
    if line["status"] != "ok":
        return [line["path"], *[None] * 7, line["error"]]
    sources = [line["sources"][source] for source in ("text", "ocr", "none")]
    return [line["path"], line["pages"], line["pages_read"], *sources, line["words"], f"{line['seconds']:.2f}", None]


def _files(paths: list[Path]) -> list[Path]:
    """The files named, and those in the folders named. Raises UsageProblemError where there is none."""
    from pipeline.batch import documents_in

    files = [file for path in paths for file in (documents_in(path) if path.is_dir() else [path])]
    if not files:
        _terminal.stop(f"There is no file in {paths[0]}.")
    return files
