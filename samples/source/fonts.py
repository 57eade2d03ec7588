"""The typefaces of the samples: the Liberation fonts, embedded so that every machine shows the same pages."""

from functools import cache
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts")


@cache
def find(name: str) -> Path:
    """The file of a font such as "LiberationSerif-Bold"; raises FileNotFoundError naming the package that has it."""
    for folder in FOLDERS:
        for path in sorted(folder.rglob(f"{name}.ttf")):
            return path
    raise FileNotFoundError(f"the font {name} is not installed; the Debian package fonts-liberation has it")


@cache
def family(name: str) -> str:
    """Makes a family such as "LiberationSerif" known to reportlab, with its bold and italic faces; returns its name."""
    for face in ("Regular", "Bold", "Italic"):
        pdfmetrics.registerFont(TTFont(f"{name}-{face}", str(find(f"{name}-{face}"))))
    pdfmetrics.registerFontFamily(
        name,
        normal=f"{name}-Regular",
        bold=f"{name}-Bold",
        italic=f"{name}-Italic",
        boldItalic=f"{name}-Bold",
    )
    return name
