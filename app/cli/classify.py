"""longleaf classify FILE…"""

from typing import TYPE_CHECKING, Any

from app.cli import _documents, _options, _terminal

if TYPE_CHECKING:
    from pipeline.types import Document, Prediction


def run(
    files: _options.Files,
    model: _options.Model = None,
    password: _options.Password = None,
    ocr: _options.Ocr = None,
    languages: _options.Languages = None,
    json: _options.Json = False,
) -> None:
    """Say what each document is, and how sure that is."""
    _documents.check_files(files)
    settings = _documents.load_settings(ocr, languages)
    predictor = _documents.load_model(_documents.model_folder(model, settings), settings)
    from pipeline.answer import classification

    def ask(document: "Document") -> "Prediction":
        return predictor.predict([document])[0]

    _documents.answer_files(files, settings, password, ask, classification, json, show)


def show(lines: list[dict[str, Any]]) -> None:
    """One row a document."""
    columns = ("document", "class", "confidence", "pages read", "failure")
    _terminal.print_table(columns, [_row(line) for line in lines])


def _row(line: dict[str, Any]) -> list[object]:
    if line["status"] != "ok":
        return [line["path"], None, None, None, line["error"]]
    return [line["path"], *cells(line), None]


def cells(answer: dict[str, Any]) -> list[object]:
    """An answer's classes, how sure each is, and the pages read."""
    sure = ", ".join(f"{answer['scores'][label]:.3f}" for label in answer["labels"])
    return [", ".join(answer["labels"]) or "none", sure, f"{answer['pages_read']} of {answer['pages']}"]
