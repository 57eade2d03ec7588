"""Invisible text put over pages that were read by OCR, so that a PDF can be searched.

Runs inside the reader's child process only.

A page with a text layer of its own is left as it is. On the others the invisible text that was there is taken out
before ours goes in, so that no word is found twice; text that can be seen stays, however badly it reads.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

import pikepdf
from pikepdf import Dictionary, Name, Stream

from pipeline.errors import CorruptDocument, PasswordRequired
from pipeline.glyphless import WIDTH, Glyphless
from pipeline.pictures import add_pictures

_FONT = Name.LongleafInvisible
_LEAST_SIDE = 0.5  # points, of a word's box
_INVISIBLE = 3  # text rendering mode
_SHOWING = {"Tj": None, "TJ": None, "'": "T*", '"': "T*"}  # what shows text, and what else it does
_LETTER = (0.0, 0.0, 612.0, 792.0)
_ENCODING = ("/Length", "/Filter", "/DecodeParms")  # what a stream's dictionary says of its bytes


class PageText(TypedDict):
    """A page as it was read.

    width, height: in points, as displayed.  rotation: degrees clockwise by which the scan had to be turned.
    words: those to be put on the page, text and box.
    """

    width: float
    height: float
    rotation: int
    words: list[tuple[str, float, float, float, float]]


class Matrix(NamedTuple):
    """x' = ax + cy + e, y' = bx + dy + f."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def turned(self, x: float, y: float) -> tuple[float, float]:
        """A direction, after the matrix."""
        return self.a * x + self.c * y, self.b * x + self.d * y

    def moved(self, x: float, y: float) -> tuple[float, float]:
        """A point, after the matrix."""
        across, up = self.turned(x, y)
        return across + self.e, up + self.f


def searchable(
    original: Path, kind: str, pages: Sequence[PageText], target: Path, password: str | None = None
) -> Iterator[int]:
    """Write the original, a "pdf" or an "image", with the pages' words to `target`; yields page numbers as it goes.

    An encrypted PDF stays encrypted, with the passwords and permissions it had. CorruptDocument where the pages are not
    those of the file, PasswordRequired, pikepdf.PdfError where it cannot be opened.
    """
    if kind == "image":
        with pikepdf.new() as pdf:
            yield from add_pictures(pdf, original, [(page["width"], page["height"]) for page in pages])
            yield from _add_text(pdf, pages)
            pdf.save(target)
        return
    with _opened(original, password) as pdf:
        if len(pdf.pages) != len(pages):
            raise CorruptDocument("The document is too damaged to be given a text layer.")
        yield from _add_text(pdf, pages)
        pdf.save(target, encryption=pdf.is_encrypted)


def _opened(original: Path, password: str | None) -> pikepdf.Pdf:
    try:
        return pikepdf.open(original, password=password or "", suppress_warnings=True)
    except pikepdf.PasswordError as error:
        raise PasswordRequired("The document is encrypted and needs a password, or another one.") from error


def _add_text(pdf: pikepdf.Pdf, pages: Sequence[PageText]) -> Iterator[int]:
    font = Glyphless(pdf)
    for number, text in enumerate(pages, start=1):
        if text["words"]:
            page = pdf.pages[number - 1]
            _own_resources(page)
            _take_out_invisible(pdf, page)
            page.obj.Resources.Font[_FONT] = font.font
            # Before all else on the page, where nothing has moved the origin yet.
            page.contents_add(_content(text, _to_page(page, text), font), prepend=True)
        yield number
    font.finish()


def _content(text: PageText, to_page: Matrix, font: Glyphless) -> bytes:
    """The page's words as a content stream."""
    lines = [b"q BT 3 Tr"]
    for word, *box in text["words"]:
        (along, across), tm = _placed(box, text["rotation"], to_page)
        codes = font.encode(word)
        stretch = 100 * along / (WIDTH * across * (len(codes) // 2))
        # The space tells readers that the word ends here.
        shown = (codes + font.encode(" ")).hex()
        place = " ".join(f"{number:.4f}" for number in tm)
        lines.append(f"{_FONT} {across:.3f} Tf {stretch:.3f} Tz {place} Tm <{shown}> Tj".encode())
    return b"\n".join([*lines, b"ET Q"])


def _placed(box: Sequence[float], rotation: int, to_page: Matrix) -> tuple[tuple[float, float], Matrix]:
    """((length along the line, height across it) in points, text matrix) of a word that fills the box."""
    x0, y0, x1, y1 = box
    width, height = max(x1 - x0, _LEAST_SIDE), max(y1 - y0, _LEAST_SIDE)
    match rotation:
        case 90:  # upwards
            start, along, up, size = (x1, y1), (0, -1), (-1, 0), (height, width)
        case 180:
            start, along, up, size = (x1, y0), (-1, 0), (0, 1), (width, height)
        case 270:
            start, along, up, size = (x0, y0), (0, 1), (1, 0), (height, width)
        case _:
            start, along, up, size = (x0, y1), (1, 0), (0, -1), (width, height)
    return size, Matrix(*to_page.turned(*along), *to_page.turned(*up), *to_page.moved(*start))


def _to_page(page: pikepdf.Page, text: PageText) -> Matrix:
    """From points on the page as displayed, origin top-left, to the page's own coordinates.

    Whatever scales the page when it is displayed, as /UserUnit does, is seen in the size it was displayed with.
    """
    left, bottom, right, top = _visible(page)
    turns = page.rotation // 90
    width, height = (top - bottom, right - left) if turns % 2 else (right - left, top - bottom)
    x, y = width / text["width"], height / text["height"]
    match turns:
        case 1:
            return Matrix(0, x, y, 0, left, bottom)
        case 2:
            return Matrix(-x, 0, 0, y, right, bottom)
        case 3:
            return Matrix(0, -x, -y, 0, right, top)
        case _:
            return Matrix(x, 0, 0, -y, left, top)


def _visible(page: pikepdf.Page) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of what is displayed: the crop box within the media box, as pdfium has it."""
    media = _corners(page.mediabox) or _LETTER
    crop = _corners(page.cropbox) or media
    left, bottom, right, top = *map(max, media[:2], crop[:2]), *map(min, media[2:], crop[2:])
    return (left, bottom, right, top) if left < right and bottom < top else media


def _corners(box: pikepdf.Array) -> tuple[float, float, float, float] | None:
    """Left, bottom, right and top of a box, however it is written down; None where it holds nothing."""
    try:
        x0, y0, x1, y1 = (float(edge) for edge in box)
    except (TypeError, ValueError):
        return None
    return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)) if x0 != x1 and y0 != y1 else None


def _own_resources(page: pikepdf.Page) -> pikepdf.Dictionary:
    """Resources that the page shares with no other, nor the fonts and forms in them."""
    shared = page.get_resources()
    own = Dictionary(dict(shared.items()) if isinstance(shared, Dictionary) else {})
    for kind in ("/Font", "/XObject"):
        entries = own.get(kind)
        own[kind] = Dictionary(dict(entries.items()) if isinstance(entries, Dictionary) else {})
    page.obj.Resources = own
    return own


def _take_out_invisible(pdf: pikepdf.Pdf, page: pikepdf.Page) -> None:
    """Rid the page, and the forms drawn on it, of invisible text."""
    content = _without_invisible(page)
    if content is not None:
        page.obj.Contents = pdf.make_stream(content)
    forms = page.obj.Resources.XObject
    for name, form in forms.items():
        if isinstance(form, Stream) and form.get("/Subtype") == Name.Form:
            content = _without_invisible(form)
            if content is not None:
                entries = {key: value for key, value in form.items() if key not in _ENCODING}
                forms[name] = pdf.make_stream(content, Dictionary(entries))


def _without_invisible(drawn: pikepdf.Page | Stream) -> bytes | None:
    """The content of a page or a form without text that cannot be seen; None where no such text is found."""
    mode, outer, kept, found = 0, [], [], False
    try:
        instructions = pikepdf.parse_content_stream(drawn)
    except (pikepdf.PdfError, TypeError):
        return None
    for instruction in instructions:
        operator = str(instruction.operator)
        if operator == "q":
            outer.append(mode)
        elif operator == "Q" and outer:
            mode = outer.pop()
        elif operator == "Tr" and instruction.operands:
            mode = int(instruction.operands[0])
        if mode != _INVISIBLE or operator not in _SHOWING:
            kept.append(instruction)
            continue
        found = True
        if instead := _SHOWING[operator]:
            kept.append(pikepdf.ContentStreamInstruction([], pikepdf.Operator(instead)))
    return pikepdf.unparse_content_stream(kept) if found else None
