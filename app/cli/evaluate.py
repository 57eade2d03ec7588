"""longleaf evaluate"""

from typing import Annotated, Any, Literal

import typer

from app.cli import _cost, _documents, _options, _terminal


def run(
    data: _options.Data,
    split: Annotated[str, typer.Option(help="Of each data set that names none itself.")] = "test",
    task: Annotated[Literal["classify", "extract", "summarize"] | None, typer.Option(help="Only this one.")] = None,
    limit: _options.Limit = None,
    model: _options.Model = None,
    cost: _cost.Wanted = False,
    country: _cost.Country = "USA",
    json: _options.Json = False,
) -> None:
    """Measure a model on data sets: accuracy and F1 of the classes, F1 of the values, ROUGE of the summaries."""
    sets = [_documents.check_data(folder, split) for folder in data]
    settings = _documents.load_settings()
    folder = _documents.model_folder(model, settings)
    from pipeline.training.cost import measured
    from pipeline.training.evaluate import run_evaluation

    with _terminal.progress("Documents") as told:
        try:
            with measured(country if cost else None) as meter:
                found = run_evaluation(folder, sets, settings.cache, task, told, limit)
        except ImportError as error:
            _terminal.stop(f"Measuring that needs the package {error.name}: pip install 'longleaf[train]'.")
        except (ValueError, OSError) as error:
            _terminal.stop(str(error))
    if _terminal.for_programs(json):
        _terminal.print_json({**found, **_cost.part(meter.cost)})
        return
    title = f"{found['task']} on {found['split']}, {found['documents']} documents"
    _terminal.print_table(("metric", "value"), _rows(found["metrics"]), title)
    _cost.show(_cost.part(meter.cost))


def _rows(metrics: dict[str, Any], of: str = "") -> list[list[object]]:
    """One row a figure; those of a class or a key carry its name."""
    rows: list[list[object]] = []
    for name, value in metrics.items():
        if isinstance(value, dict):
            rows += _rows(value, "" if name.startswith("per_") else f"{name} ")
        else:
            rows.append([f"{of}{name}", round(value, 4)])
    return rows
