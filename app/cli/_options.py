"""The options that several commands have in common."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", help="PDF, PNG, JPEG, TIFF, WebP, .eml or .docx files.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="JSON lines, also on a terminal.")]
Model = Annotated[Path | None, typer.Option(help="The model's folder; without it the newest shipped one.")]
Password = Annotated[str | None, typer.Option(help="Of encrypted documents.", show_default=False)]
Ocr = Annotated[
    Literal["auto", "always", "never"] | None,
    typer.Option(help="Where the text layer is missing or bad, on every page, or not at all.", show_default="auto"),
]
Languages = Annotated[str | None, typer.Option(help="Of the text that OCR reads, eng+deu.", show_default="eng")]
Limit = Annotated[
    int | None, typer.Option("--documents", help="Draw no more than so many, always the same ones.", min=1)
]
Data = Annotated[
    list[str],
    typer.Option(metavar="FOLDER[:SPLIT]", help="A data set; its format is recognised.", show_default=False),
]
