"""longleaf ingest FILE|FOLDER…"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli import _documents, _formats, _options, _terminal

if TYPE_CHECKING:
    from app.reading import Reader
    from pipeline.types import Page


def run(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|FOLDER", help="Files, and folders of files.", show_default=False)
    ],
    words: Annotated[bool, typer.Option("--words", help="The words too, with their boxes.")] = False,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(_formats.FORMATS),
            help="Write the documents themselves: what was read in one of these formats, or PDFs that can be searched.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="Where to, with --format; without it one document goes to standard output.",
            show_default=False,
        ),
    ] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Each page as a JSON line as soon as it is read.")] = False,
    password: _options.Password = None,
    ocr: _options.Ocr = None,
    languages: _options.Languages = None,
    json: _options.Json = False,
) -> None:
    """Only read documents: pages, words, and for each page whether its text layer or OCR was used, and why."""
    if format is not None:
        _formats.check_format(format)
    elif out is not None:
        _terminal.stop("--out goes with --format.")
    _documents.check_files(paths, folders=True)
    settings = _documents.load_settings(ocr, languages)
    files = _files(paths)
    reader = _documents.open_reader(settings, password)
    if format is not None:
        places = _formats.targets(paths, files, out, format)
        if None in places.values():
            _formats.to_stdout(places, reader, format)
            return
        _documents.report(_formats.lines(places, reader, format, settings.readers), len(files), reader, json, show)
    if stream:
        reader.watchers.append(lambda page, done, pages: _terminal.print_json({"status": "page", **_of_page(page)}))
    with _summary(len(files)) as counted:
        told = counted(lines(files, reader, words, settings.readers))
        _documents.report(told, len(files), reader, json or stream, show)


def _of_page(page: "Page") -> dict[str, Any]:
    from pipeline.answer import page_answer

    return page_answer(page, words=True)


@contextmanager
def _summary(total: int) -> Iterator[Callable[[Iterable[dict[str, Any]]], Iterator[dict[str, Any]]]]:
    """Say on stderr in the end what became of the documents, where there are several."""
    outcomes: Counter[str] = Counter()

    def counted(lines: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for line in lines:
            outcomes[line["code"] if line["status"] != "ok" else "partly read" if line["pages_failed"] else "read"] += 1
            yield line

    try:
        yield counted
    finally:
        if total > 1:
            _terminal.warn(", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))


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
