"""A whole folder of documents → one JSON file each, in a folder of the same shape.

    source/a/lease.pdf  →  target/a/lease.pdf.json

A document that cannot be read is a line in `target/errors.jsonl` and the run goes on. A second run does only what is
missing: a result stands while it carries its document's hash, the task and the model. Documents are read ahead by
a few threads while the model works on those before them.
"""

import errno
import hashlib
import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar
from uuid import uuid4

from pipeline.answer import Answer, classification, extraction
from pipeline.errors import DocumentError
from pipeline.types import Document, Prediction

log = logging.getLogger("longleaf.batch")

T = TypeVar("T")
Task = Literal["classify", "extract"]
ERRORS = "errors.jsonl"
WRITERS = {"classify": classification, "extract": extraction}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a document has no answer: a stable code, and one sentence for the person who sent it."""

    code: str
    error: str


@dataclass(slots=True)
class Tally:
    """How far a run has come, in documents. done: answered now.  skipped: answered by an earlier run."""

    found: int
    done: int = 0
    skipped: int = 0
    failed: int = 0


def failure_of(error: Exception, path: Path) -> Failure:
    """What to say of an error met while working on a document; an unforeseen one is logged with its trace."""
    if isinstance(error, DocumentError):
        return Failure(error.code, str(error))
    if isinstance(error, OSError):
        return Failure("unreadable_file", f"The file cannot be read: {error.strerror or type(error).__name__}.")
    log.error("unforeseen error on %s", path, exc_info=error)
    return Failure("internal_error", f"An unforeseen error occurred ({type(error).__name__}).")


def documents_in(source: Path, without: Path | None = None) -> Iterator[Path]:
    """The files under a folder, sorted, none of them hidden, a link, or inside `without`."""
    for entry in sorted(source.iterdir()):
        if entry.name.startswith(".") or entry.is_symlink() or entry == without:
            continue
        if entry.is_dir():
            yield from documents_in(entry, without)
        elif entry.is_file():
            yield entry


def read_ahead(
    paths: Iterable[Path], read: Callable[[Path], T], readers: int = 2
) -> Iterator[tuple[Path, T | Failure]]:
    """Read documents in order, `readers` at a time, and never more than twice as many ahead of who takes them."""
    waiting: deque[tuple[Path, Future[T]]] = deque()
    pool = ThreadPoolExecutor(readers, thread_name_prefix="read")

    def first() -> tuple[Path, T | Failure]:
        path, future = waiting.popleft()
        try:
            return path, future.result()
        except Exception as error:
            return path, failure_of(error, path)

    try:
        for path in paths:
            waiting.append((path, pool.submit(read, path)))
            if len(waiting) > 2 * readers:
                yield first()
        while waiting:
            yield first()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def run_folder(
    source: Path,
    target: Path,
    read: Callable[[Path], Document],
    predict: Callable[[Document], Prediction],
    *,
    task: Task,
    model: str,
    readers: int = 2,
    progress: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Answer every document under `source` that has no valid answer under `target`.

    model: says which model answers; another model's result is made again.  progress: called after each document.
    Raises ValueError if the two folders are the same, OSError if results cannot be written.
    """
    run = _Run(source.resolve(), target.resolve(), predict, task, model)
    if run.source == run.target:
        raise ValueError("The results cannot be written into the folder of the documents.")
    run.target.mkdir(parents=True, exist_ok=True)
    paths = list(documents_in(run.source, run.target))
    tally = Tally(found=len(paths))
    with (run.target / ERRORS).open("w", encoding="utf-8") as errors:
        for path, document in read_ahead(_missing(run, paths, tally, progress), read, readers):
            if failure := run.answer(path, document):
                line = {"name": str(path.relative_to(run.source)), "code": failure.code, "error": failure.error}
                errors.write(json.dumps(line) + "\n")
                errors.flush()
                tally.failed += 1
            else:
                tally.done += 1
            progress(tally)
    return tally


@dataclass(frozen=True, slots=True)
class _Run:
    """What stays the same from one document to the next."""

    source: Path
    target: Path
    predict: Callable[[Document], Prediction]
    task: Task
    model: str

    def result(self, path: Path) -> Path:
        """Where a document's answer goes."""
        return self.target / path.relative_to(self.source).with_name(f"{path.name}.json")

    def stands(self, path: Path) -> bool:
        """Whether there is an answer to this very content, for this task, by this model."""
        try:
            found = json.loads(self.result(path).read_text("utf-8"))
            if (found.get("task"), found.get("model")) != (self.task, self.model):
                return False
            with path.open("rb") as file:
                return bool(found.get("sha256") == hashlib.file_digest(file, "sha256").hexdigest())
        except (OSError, ValueError, AttributeError):
            return False

    def answer(self, path: Path, document: Document | Failure) -> Failure | None:
        """Write one document's answer, or say why there is none and take away the one it no longer deserves."""
        try:
            self.result(path).unlink(missing_ok=True)
            if isinstance(document, Failure):
                return document
            answer = self._predicted(path, document)
            if isinstance(answer, Failure):
                return answer
            write_json(self.result(path), {**answer, "task": self.task, "model": self.model})
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            return Failure("name_too_long", "The file's name is too long to name a result after it.")
        return None

    def _predicted(self, path: Path, document: Document) -> Answer | Failure:
        try:
            return WRITERS[self.task](document, self.predict(document))
        except Exception as error:
            return failure_of(error, path)


def _missing(run: _Run, paths: Iterable[Path], tally: Tally, progress: Callable[[Tally], None]) -> Iterator[Path]:
    """Those without a valid answer; looked at one by one, so that reading begins before the last is looked at."""
    for path in paths:
        if run.stands(path):
            tally.skipped += 1
            progress(tally)
        else:
            yield path


def write_json(path: Path, content: Answer) -> None:
    """Write a file whole or not at all, making its folder. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid4().hex}.tmp")
    try:
        temporary.write_text(json.dumps(content) + "\n", encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
