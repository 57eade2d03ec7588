"""PDFs written object by object, for what reportlab would never write, and text in scripts that it has no font for."""

from collections.abc import Callable, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path

import matplotlib
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont

from tests.pipeline.writing import pdf_canvas

SHEET = "/MediaBox [0 0 612 792]"
_CMAP = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Ours def /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange {count} beginbfchar {pairs} endbfchar
endcmap CMapName currentdict /CMap defineresource pop end end"""


def raw_pdf(lines: Sequence[str], page: str = SHEET, font: str = "", streams: Sequence[str] = ()) -> bytes:
    """One page with lines of Helvetica, 12 points high, from (72, 72) downwards.

    page, font: what else stands in their dictionaries.  streams: objects from number 6 on.
    """
    shown = [f"1 0 0 1 72 {708 - 20 * row} Tm <{line.encode('latin-1').hex()}> Tj" for row, line in enumerate(lines)]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> {page} >>",
        _stream("\n".join(["BT /F 12 Tf", *shown, "ET"])),
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {font} >>",
        *map(_stream, streams),
    ]
    body, places = b"%PDF-1.7\n", [b"0000000000 65535 f \n"]
    for number, content in enumerate(objects, start=1):
        places.append(b"%010d 00000 n \n" % len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode()
    size = len(places)
    trailer = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return b"".join([body, f"xref\n0 {size}\n".encode(), *places, trailer.encode()])


def mapped_pdf(lines: Sequence[str], letter: Callable[[str], str]) -> bytes:
    """A page that shows the lines and says of each character but the space that it is `letter` of it."""
    shown = sorted(set("".join(lines)) - {" "})
    pairs = " ".join(f"<{ord(char):02x}> <{letter(char).encode('utf-16-be').hex()}>" for char in shown)
    return raw_pdf(lines, font="/ToUnicode 6 0 R", streams=[_CMAP.format(count=len(shown), pairs=pairs)])


def unmapped_pdf(lines: Sequence[str]) -> bytes:
    """A page whose font names its glyphs g1, g2, … and says nothing else of them."""
    shown = sorted(set("".join(lines)) - {" "})
    names = " ".join(f"{200 + place} /g{place}" for place in range(len(shown)))
    codes = {char: chr(200 + place) for place, char in enumerate(shown)} | {" ": " "}
    drawn = ["".join(codes[char] for char in line) for line in lines]
    return raw_pdf(drawn, font=f"/Encoding << /Type /Encoding /Differences [{names}] >>")


def drawn_pdf(lines: Sequence[str], font: str | None = None) -> bytes:
    """A page with the lines as they are drawn, glyph by glyph from the left; font: one that reportlab knows."""
    target = BytesIO()
    canvas = pdf_canvas(target)
    canvas.setFont(font or dejavu(), 12)
    for row, line in enumerate(lines):
        canvas.drawString(72, 708 - 20 * row, line)
    canvas.save()
    return target.getvalue()


@cache
def dejavu() -> str:
    """The name under which reportlab has a font with Latin, Greek, Cyrillic, Hebrew and Arabic letters."""
    registerFont(TTFont("DejaVu", str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")))
    return "DejaVu"


def _stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
