"""longleaf evaluate"""

from typing import Annotated, Any, Literal

import typer

from app.cli import _documents, _options, _terminal


def run(
    data: _options.Data,
    split: Annotated[str, typer.Option(help="Of each data set that names none itself.")] = "test",
    task: Annotated[Literal["classify", "extract"] | None, typer.Option(help="Only this one.")] = None,
    model: _options.Model = None,
    json: _options.Json = False,
) -> None:
    """Measure a model on data sets: accuracy of the class, F1 of the values."""
    sets = [_documents.check_data(folder, split) for folder in data]
    settings = _documents.load_settings()
    folder = _documents.model_folder(model, settings)
    from pipeline.training.evaluate import run_evaluation

    with _terminal.progress("Documents") as told:
        try:
            rows: list[dict[str, Any]] = run_evaluation(model=folder, data=sets, cache=settings.cache, progress=told)
        except (ValueError, OSError) as error:
            _terminal.stop(str(error))
    rows = [row for row in rows if task in (None, row["task"])]
    if not rows:
        _terminal.stop("The data holds nothing to measure that task by.")
    if _terminal.for_programs(json):
        for row in rows:
            _terminal.print_json(row)
        return
    for row in rows:
        title = f"{row['task']} on {row['split']}, {row['documents']} documents"
        _terminal.print_table(
            ("metric", "value"), [[name, _figure(row["metrics"][name])] for name in row["metrics"]], title
        )


def _figure(value: object) -> object:
    return round(value, 4) if isinstance(value, float) else value
