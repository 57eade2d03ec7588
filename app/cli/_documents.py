"""What the commands that answer documents share: settings and models opened with one sentence where that fails, and
documents read ahead of the model, each ending in one line.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import typer

from app.catalogue import NoModelError, describe, find_model, open_model
from app.cli._terminal import for_programs, print_json, progress, stop

if TYPE_CHECKING:
    from app.batcher import Predictor
    from app.reading import Reader
    from app.settings import Settings
    from pipeline.answer import Answer
    from pipeline.batch import Failure
    from pipeline.types import Document, Prediction, Summary

Found = TypeVar("Found", "Prediction", "Summary")


def load_settings(ocr: str | None = None, languages: str | None = None) -> "Settings":
    """The installation's settings, with what the command line says instead.

    Raises UsageProblemError naming the variable that is wrong, or a language that is not installed.
    """
    from pydantic import ValidationError

    from app.settings import Settings

    said = {name: value for name, value in {"ocr": ocr, "languages": languages}.items() if value is not None}
    try:
        settings = Settings(**said)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        variable = "".join(f"LONGLEAF_{str(name).upper()}: " for name in first["loc"])
        stop(f"{variable}{first['msg'].removeprefix('Value error, ')}.")
    if languages is not None:
        _check_languages(settings)
    return settings


def _check_languages(settings: "Settings") -> None:
    """Raise UsageProblemError where the OCR engine cannot read the languages."""
    from pipeline.errors import OcrUnavailable
    from pipeline.ingest import pick_engine

    try:
        pick_engine(settings.engine).check(settings.languages)
    except OcrUnavailable as error:
        stop(str(error))


def model_folder(asked: Path | None, settings: "Settings") -> Path:
    """The model's folder. Raises UsageProblemError where there is none."""
    try:
        return find_model(asked or settings.model)
    except NoModelError as error:
        stop(str(error))


def check_decoder(folder: Path) -> None:
    """Raise UsageProblemError where the model cannot summarise; told by its files, before it is loaded."""
    try:
        tasks = describe(folder).tasks
    except NoModelError as error:
        stop(str(error))
    if "summarize" not in tasks:
        stop("The model cannot summarise: it has no decoder.")


def load_model(folder: Path, settings: "Settings") -> "Predictor":
    """The model, loaded. Raises UsageProblemError where it cannot be."""
    try:
        return open_model(folder, settings.device)
    except NoModelError as error:
        stop(str(error))


def check_files(paths: Iterable[Path], folders: bool = False) -> None:
    """Raise UsageProblemError for the first path that is not there, or is a folder where none can be."""
    for path in paths:
        if not path.exists():
            stop(f"There is no file {path}.")
        if path.is_dir() and not folders:
            stop(f"{path} is a folder; `longleaf batch` works through folders.")


def check_folder(path: Path) -> None:
    """Raise UsageProblemError where there is no such folder."""
    if not path.is_dir():
        stop(f"There is no folder {path}.")


def check_data(data: str, split: str = "") -> tuple[Path, str]:
    """A data set's folder and split, from FOLDER[:SPLIT]. Raises UsageProblemError where there is no such folder."""
    folder, colon, named = data.rpartition(":")
    if not colon or Path(data).is_dir():
        folder, named = data, split
    check_folder(Path(folder))
    return Path(folder), named


def open_reader(settings: "Settings", password: str | None = None) -> "Reader":
    """What reads documents with the installation's settings."""
    from app.reading import Reader

    return Reader(settings.ingest(), password)


def answer_files(
    files: Sequence[Path],
    settings: "Settings",
    password: str | None,
    ask: "Callable[[Document], Found]",
    write: "Callable[[Document, Found], Answer]",
    json: bool,
    show: "Callable[[list[Answer]], None]",
) -> NoReturn:
    """Ask the model of each file and end with a report; ask and write as in `answers`, show as in `report`."""
    reader = open_reader(settings, password)
    lines = answers(files, reader, ask, write, settings.readers)
    report(lines, len(files), reader, json, show)


def answers(
    paths: Sequence[Path],
    reader: "Reader",
    ask: "Callable[[Document], Found]",
    write: "Callable[[Document, Found], Answer]",
    readers: int,
) -> Iterator["Answer"]:
    """One line a document, in order: `status` "ok" and its answer, or "failed", `code` and `error`.

    ask: the model.  write: what it said, as an answer.
    """
    from pipeline.batch import Failure, failure_of

    for path, outcome in read(paths, reader, readers):
        if isinstance(outcome, Failure):
            yield failed(path, outcome)
            continue
        document, seconds = outcome
        try:
            found = ask(document)
        except Exception as error:
            yield failed(path, failure_of(error, path))
            continue
        spent: Answer = {"reading": round(seconds, 4), "model": round(found.seconds, 4)}
        yield {"status": "ok", "path": str(path), **write(document, found), "seconds": spent}


def read(
    paths: Iterable[Path], reader: "Reader", readers: int
) -> Iterator[tuple[Path, "tuple[Document, float] | Failure"]]:
    """Each document and the seconds it took to read, or its failure."""
    from pipeline.batch import read_ahead

    def timed(path: Path) -> "tuple[Document, float]":
        started = time.perf_counter()
        return reader.file(path), time.perf_counter() - started

    try:
        yield from read_ahead(paths, timed, readers)
    finally:
        reader.stopped.set()


def report(
    lines: Iterable["Answer"], total: int, reader: "Reader", json: bool, show: Callable[[list["Answer"]], None]
) -> NoReturn:
    """Print each line as it comes, or show all of them in the end; ends with exit code 1 where one failed.

    The progress is that of the documents, or of the pages where there is one document.
    """
    programs, seen = for_programs(json), []
    with progress("Documents" if total > 1 else "Pages") as told:
        if total == 1:
            reader.watchers.append(lambda page, done, pages: told(done, pages))
        else:
            told(0, total)
        for line in lines:
            seen.append(line)
            if total > 1:
                told(len(seen), total)
            if programs:
                print_json(line)
    if not programs:
        show(seen)
    raise typer.Exit(int(any(line["status"] != "ok" for line in seen)))


def failed(path: Path, failure: "Failure") -> "Answer":
    """The line of a document that could not be answered."""
    return {"status": "failed", "path": str(path), "name": path.name, "code": failure.code, "error": failure.error}
