"""Small real documents for the tests: PDFs written with reportlab, scans drawn with Pillow."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

LETTER = (612.0, 792.0)
SENTENCES = (
    "This Agreement is made between the parties named below and binds them both.",
    "Each party keeps secret whatever it learns of the other in writing or in speech.",
    "The term of this Agreement is three years from the date of its signing.",
)


def pdf_canvas(target: BytesIO, size: tuple[float, float] = LETTER, password: str | None = None) -> Canvas:
    """A reportlab canvas of reproducible output."""
    encryption = StandardEncryption(password, strength=128) if password else None
    return Canvas(target, pagesize=size, invariant=True, encrypt=encryption)


def text_pdf(pages: Sequence[Sequence[str]], password: str | None = None) -> bytes:
    """A PDF with one line of text below the other on each page, from (72, 72) downwards, 12 points high."""
    target = BytesIO()
    canvas = pdf_canvas(target, password=password)
    for lines in pages:
        canvas.setFont("Helvetica", 12)
        for index, line in enumerate(lines):
            canvas.drawString(72, LETTER[1] - 84 - 20 * index, line)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def scan(lines: Sequence[str], size: tuple[int, int] = (1275, 1650), height: int = 32) -> Image.Image:
    """A picture of printed lines at 150 dots an inch."""
    image = Image.new("L", size, 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(height)
    for index, line in enumerate(lines):
        draw.text((120, 120 + 2 * height * index), line, font=font, fill=0)
    return image


def scanned_pdf(pages: Sequence[Image.Image]) -> bytes:
    """A PDF that holds nothing but pictures, 150 dots an inch."""
    target = BytesIO()
    pages[0].save(target, format="PDF", save_all=True, append_images=pages[1:], resolution=150.0)
    return target.getvalue()


def image_file(image: Image.Image, kind: str, **options: object) -> bytes:
    """The image as a file of that kind ("PNG", "JPEG", "TIFF")."""
    target = BytesIO()
    image.save(target, format=kind, **options)  # type: ignore[arg-type]
    return target.getvalue()


def saved(folder: Path, content: bytes) -> Path:
    """The content as a file whose name says nothing about it."""
    path = folder / "something.bin"
    path.write_bytes(content)
    return path
