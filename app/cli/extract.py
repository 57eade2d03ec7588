"""longleaf extract FILE…"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli import _documents, _options, _terminal

if TYPE_CHECKING:
    from pipeline.types import Document, Prediction


def run(
    files: _options.Files,
    schema: Annotated[str, typer.Option(help="What to look for; auto: what belongs to the predicted class.")] = "auto",
    model: _options.Model = None,
    password: _options.Password = None,
    ocr: _options.Ocr = None,
    languages: _options.Languages = None,
    json: _options.Json = False,
) -> None:
    """Say what each document says, and where: entities with value, confidence, page and boxes."""
    _documents.check_files(files)
    settings = _documents.load_settings(ocr, languages)
    predictor = _documents.load_model(_documents.model_folder(model, settings), settings)
    schemas = predictor.info.schemas
    if schema != "auto" and schema not in schemas:
        _terminal.stop(f"There is no schema {schema!r}; there are: {', '.join(schemas)}.")
    from pipeline.answer import extraction

    def ask(document: "Document") -> "Prediction":
        return predictor.predict([document], schema=schema)[0]

    _documents.answer_files(files, settings, password, ask, extraction, json, show)


def show(lines: list[dict[str, Any]]) -> None:
    """A table for each document, one row an entity."""
    for line in lines:
        if line["status"] != "ok":
            print(f"{line['path']}: {line['error']}")
            continue
        title = f"{line['path']}: {line['label']}, {line['pages_read']} of {line['pages']} pages read"
        if line["note"]:
            print(f"{title}. {line['note']}")
        else:
            _terminal.print_table(COLUMNS, [row(entity) for entity in line["entities"]], title)


COLUMNS = ("field", "value", "text", "page", "confidence")


def row(entity: dict[str, Any]) -> list[object]:
    """An entity's cells, in the order of COLUMNS."""
    value = entity["value"] and entity["value"]["text"]
    return [entity["label"], value, entity["text"], entity["page"], f"{entity['confidence']:.3f}"]
