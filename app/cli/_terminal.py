"""What commands print: JSON lines for programs, tables for people, progress on stderr. Rich is loaded when needed."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn


class UsageProblemError(Exception):
    """The command cannot begin as it was asked for; `str(error)` is one sentence. Exit code 2."""


def stop(sentence: str) -> NoReturn:
    """Raise UsageProblemError."""
    raise UsageProblemError(sentence)


def warn(sentence: str) -> None:
    """One line on stderr."""
    print(f"longleaf: {sentence}", file=sys.stderr)


def for_programs(asked: bool) -> bool:
    """Whether to print JSON lines: when asked to, or when no terminal is looking."""
    return asked or not sys.stdout.isatty()


def print_json(line: Mapping[str, Any]) -> None:
    """One object, one line, at once."""
    print(json.dumps(line), flush=True)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], title: str | None = None) -> None:
    """A table on stdout; a cell that is a number stands right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title and Text(title, style="bold"), title_justify="left", header_style="bold")
    for i, column in enumerate(columns):
        numbers = bool(rows) and all(isinstance(row[i], int | float) for row in rows)
        table.add_column(column, justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    Console().print(table)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, where that is a terminal; the yielded function is told (done, in all)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
