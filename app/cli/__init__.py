"""The command line. Each file here is a command of that name: its function `run`, whose docstring is the help text.

Files that begin with an underscore are what commands share. No file imports anything heavy before its command runs,
so that `--help` comes at once. Exit codes: 0 all went well, 1 a document failed, 2 the command was used wrongly.
"""

import sys

import typer

from app.cli._terminal import UsageProblemError
from models.registry import names, pick

app = typer.Typer(
    name="longleaf",
    help="Reads whole business and legal documents and says what each one is and what it says, where.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for _name in names("app.cli"):
    app.command(_name)(pick("app.cli", _name).run)


def main() -> None:
    """Run the command the arguments name; ends the process."""
    try:
        app(prog_name="longleaf")
    except UsageProblemError as error:
        print(f"longleaf: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
