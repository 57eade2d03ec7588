"""longleaf batch IN OUT"""

import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.cli import _documents, _options, _terminal


def run(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The folder of documents.", show_default=False)],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The folder of results.", show_default=False)],
    task: Annotated[Literal["classify", "extract"], typer.Option(help="What to say of each.")] = "extract",
    model: _options.Model = None,
    password: _options.Password = None,
    ocr: _options.Ocr = None,
    languages: _options.Languages = None,
    json: _options.Json = False,
) -> None:
    """Answer a whole folder: one JSON file a document, failures in errors.jsonl.

    A second run does only what is missing, changed, or was answered by another model.
    """
    _documents.check_folder(source)
    if target.exists() and not target.is_dir():
        _terminal.stop(f"{target} is not a folder.")
    settings = _documents.load_settings(ocr, languages)
    predictor = _documents.load_model(_documents.model_folder(model, settings), settings)
    reader = _documents.open_reader(settings, password)

    from pipeline.batch import ERRORS, run_folder

    started = time.perf_counter()
    with _terminal.progress("Documents") as told:
        try:
            tally = run_folder(
                source,
                target,
                reader.file,
                lambda document: predictor.predict([document], schema="auto" if task == "extract" else None)[0],
                task=task,
                model=f"{predictor.info.name}@{predictor.info.version}".removesuffix("@"),
                readers=settings.readers,
                progress=lambda tally: told(tally.done + tally.skipped + tally.failed, tally.found),
            )
        except (ValueError, OSError) as error:
            _terminal.stop(str(error))
        finally:
            reader.stopped.set()
    line = {"found": tally.found, "done": tally.done, "skipped": tally.skipped, "failed": tally.failed}
    if _terminal.for_programs(json):
        status = "failed" if tally.failed else "ok"
        _terminal.print_json({"status": status, **line, "seconds": round(time.perf_counter() - started, 2)})
    else:
        print(f"{tally.done} answered, {tally.skipped} already there, {tally.failed} failed, of {tally.found}.")
        if tally.failed:
            print(f"What failed, and why: {target / ERRORS}")
    raise typer.Exit(int(tally.failed > 0))
