"""longleaf summarize FILE…"""

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli import _documents, _options

if TYPE_CHECKING:
    from pipeline.types import Document, Summary


def run(
    files: _options.Files,
    beams: Annotated[int, typer.Option(help="Beginnings of a summary followed at a time.", min=1, max=16)] = 4,
    max_new_tokens: Annotated[int, typer.Option(help="The longest summary, in tokens.", min=1, max=1024)] = 256,
    model: _options.Model = None,
    password: _options.Password = None,
    ocr: _options.Ocr = None,
    languages: _options.Languages = None,
    json: _options.Json = False,
) -> None:
    """Put each document into a few sentences; takes a model with a decoder, such as one trained on summaries."""
    _documents.check_files(files)
    settings = _documents.load_settings(ocr, languages)
    folder = _documents.model_folder(model, settings)
    _documents.check_decoder(folder)
    predictor = _documents.load_model(folder, settings)
    from pipeline.answer import summary

    def ask(document: "Document") -> "Summary":
        return predictor.summarise([document], beams=beams, max_new_tokens=max_new_tokens)[0]

    _documents.answer_files(files, settings, password, ask, summary, json, show)


def show(lines: list[dict[str, Any]]) -> None:
    """A paragraph for each document."""
    for line in lines:
        if line["status"] != "ok":
            print(f"{line['path']}: {line['error']}\n")
            continue
        print(f"{line['path']}: {line['pages_read']} of {line['pages']} pages read")
        print(
            textwrap.fill(
                line["summary"] or "There are no words in it.", 100, initial_indent="  ", subsequent_indent="  "
            )
        )
        print()
