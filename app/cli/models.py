"""longleaf models"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.catalogue import SHIPPED, Listing, list_models
from app.cli import _documents, _options, _terminal


def run(
    models: Annotated[list[Path] | None, typer.Option(help="Look in this folder of models too.")] = None,
    json: _options.Json = False,
) -> None:
    """List the models there are: those shipped, and those in further folders."""
    for folder in models or []:
        _documents.check_folder(folder)
    listings = list_models([SHIPPED, *(models or [])], _terminal.warn)
    if not listings:
        _terminal.warn("There is no model; `longleaf train` makes one.")
    elif _terminal.for_programs(json):
        for listing in listings:
            _terminal.print_json({"status": "ok", **asdict(listing), "path": str(listing.path)})
    else:
        columns = ("model", "version", "classes", "schemas", "parameters", "MB", "folder")
        _terminal.print_table(columns, [_row(listing) for listing in listings])


def _row(model: Listing) -> list[object]:
    megabytes = round(model.size_bytes / 1e6, 1)
    schemas = ", ".join(model.schemas)
    return [model.name, model.version, len(model.classes), schemas, model.parameters, megabytes, model.path]
