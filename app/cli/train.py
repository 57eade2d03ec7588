"""longleaf train"""

from pathlib import Path
from typing import Annotated

import typer

from app.cli import _cost, _documents, _options, _terminal


def run(
    data: _options.Data,
    start: Annotated[Path, typer.Option(help="A BERT-type checkpoint, or a Longleaf model to go on from.")],
    out: Annotated[Path, typer.Option(help="The folder of the new model.")],
    split: Annotated[str, typer.Option(help="Of each data set that names none itself.")] = "train",
    preset: Annotated[str, typer.Option(help="The model's shape.")] = "longleaf",
    epochs: Annotated[float, typer.Option(help="Times the data is gone through.", min=0)] = 4.0,
    learning_rate: Annotated[float, typer.Option(help="The highest of the schedule.", min=0)] = 2e-4,
    window: Annotated[int, typer.Option(help="Tokens of a training window.", min=16)] = 1024,
    batch_tokens: Annotated[int, typer.Option(help="Tokens of a step of the optimiser.", min=16)] = 4096,
    limit: _options.Limit = None,
    seed: Annotated[int, typer.Option(help="Of all that is random.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in OUT.")] = False,
    cost: _cost.Wanted = False,
    country: _cost.Country = "USA",
) -> None:
    """Train a model on data sets: classes, one a document or several, the entities of schemas, summaries."""
    sets = [_documents.check_data(folder, split) for folder in data]
    _documents.check_folder(start)
    settings = _documents.load_settings()
    try:
        from pipeline.training.cost import measured
        from pipeline.training.finetune import run_training

        with measured(country if cost else None) as meter:
            run_training(
                data=sets,
                out=out,
                cache=settings.cache,
                start=start,
                preset_name=preset,
                epochs=epochs,
                learning_rate=learning_rate,
                window=window,
                batch_tokens=batch_tokens,
                seed=seed,
                resume=resume,
                limit=limit,
            )
    except ImportError as error:
        _terminal.stop(f"Training needs the package {error.name}: pip install 'longleaf[train]'.")
    except (ValueError, OSError) as error:
        _terminal.stop(str(error))
    spent = _cost.part(meter.cost)
    if not _terminal.for_programs(False):
        _cost.show(spent)
    elif spent:
        _terminal.print_json(spent)
