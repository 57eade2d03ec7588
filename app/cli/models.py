"""longleaf models"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from app.catalogue import SHIPPED, Listing, list_models
from app.cli import _documents, _options, _terminal

_LENGTHS = (512, 4096, 16384)


def run(
    models: Annotated[list[Path] | None, typer.Option(help="Look in this folder of models too.")] = None,
    size: Annotated[str, typer.Option(help="Of the presets: tiny, small or base.")] = "small",
    json: _options.Json = False,
) -> None:
    """List the models there are, shipped and in further folders, and the presets that training can begin with.

    Of a preset the list says the parameters, 10⁹ floating-point operations for its encoder to read documents of 512,
    4,096 and 16,384 tokens, and where it comes from. What is longer than a window is read in overlapping ones.
    """
    for folder in models or []:
        _documents.check_folder(folder)
    listings = list_models([SHIPPED, *(models or [])], _terminal.warn)
    if not listings:
        _terminal.warn("There is no model; `longleaf train` makes one.")
    programs = _terminal.for_programs(json)
    if programs:
        for listing in listings:
            _terminal.print_json({"status": "ok", **asdict(listing), "path": str(listing.path)})
    elif listings:
        columns = ("model", "version", "classes", "schemas", "parameters", "MB", "folder")
        _terminal.print_table(columns, [_row(listing) for listing in listings])
    found = _presets(size)
    if programs:
        for preset in found:
            _terminal.print_json({"status": "ok", **preset})
    else:
        costs = [f"GFLOP {length:,}" for length in _LENGTHS]
        rows = [[p["preset"], p["parameters"], *p["gflop"].values(), p["paper"]] for p in found]
        _terminal.print_table((f"preset ({size})", "parameters", *costs, "paper"), rows)


def _row(model: Listing) -> list[object]:
    megabytes = round(model.size_bytes / 1e6, 1)
    schemas = ", ".join(model.schemas)
    return [model.name, model.version, len(model.classes), schemas, model.parameters, megabytes, model.path]


def _presets(size: str) -> Iterator[dict[str, Any]]:
    """Each preset's name, size, parameters, gflop (by document length in tokens) and paper."""
    from models.cost import flops, parameters
    from models.presets import PRESETS, preset
    from pipeline.encode import window_bounds

    for name, known in PRESETS.items():
        try:
            config = preset(name, size)
        except ValueError as error:
            _terminal.stop(str(error))
        gflop = {}
        for length in _LENGTHS:
            # [CLS] and [SEP] of the one window there could be are among the tokens.
            bounds = window_bounds(length - 2, config.max_tokens, config.overlap)
            windows = Counter(stop - start + 2 for start, stop in bounds)
            operations = sum(count * flops(config, tokens) for tokens, count in windows.items())
            gflop[str(length)] = round(operations / 1e9, 1)
        yield {"preset": name, "size": size, "parameters": parameters(config), "gflop": gflop, "paper": known.paper}
