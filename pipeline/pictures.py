"""A PDF made of pictures, without loss. Runs inside the reader's child process only.

The bytes of a JPEG are kept; other pictures are packed anew as PNG packs them, which PDF reads as it is.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String
from PIL import Image

from pipeline.draw import FORMATS, opaque, orientation

_PNG_HEAD = 8  # bytes before the first chunk
# By EXIF orientation: where the corners of the picture as stored go, (a, b, c, d, e, f) of a page 1 wide and 1 high.
_PLACED = {
    2: (-1, 0, 0, 1, 1, 0),
    3: (-1, 0, 0, -1, 1, 1),
    4: (1, 0, 0, -1, 0, 1),
    5: (0, -1, -1, 0, 1, 1),
    6: (0, -1, 1, 0, 0, 1),
    7: (0, 1, 1, 0, 0, 0),
    8: (0, 1, -1, 0, 1, 0),
}
_UPRIGHT = (1, 0, 0, 1, 0, 0)


def add_pictures(pdf: pikepdf.Pdf, path: Path, sizes: list[tuple[float, float]]) -> Iterator[int]:
    """Add a page for each picture of an image file, upright, of the sizes given (points); yields their numbers."""
    with path.open("rb") as file, Image.open(file, formats=FORMATS) as image:  # not by path, see `draw_frame`
        for number, (width, height) in enumerate(sizes, start=1):
            image.seek(number - 1)
            a, b, c, d, e, f = _PLACED.get(orientation(image), _UPRIGHT)
            matrix = (a * width, b * height, c * width, d * height, e * width, f * height)
            page = pdf.add_blank_page(page_size=(width, height))
            page.obj.Resources = Dictionary(XObject=Dictionary(Picture=_picture(pdf, image, path)))
            page.obj.Contents = pdf.make_stream(f"q {' '.join(f'{m:g}' for m in matrix)} cm /Picture Do Q".encode())
            yield number


def _picture(pdf: pikepdf.Pdf, image: Image.Image, path: Path) -> pikepdf.Object:
    """The picture the file is at, as an image of the PDF."""
    if image.format == "JPEG" and image.mode in ("L", "RGB"):
        return pdf.make_stream(path.read_bytes(), _entries(image, 8, Filter=Name.DCTDecode))
    plain = _plain(image)
    bits = 1 if plain.mode == "1" else 8
    packing = Dictionary(Predictor=15, Colors=len(plain.getbands()), BitsPerComponent=bits, Columns=plain.width)
    return pdf.make_stream(_packed(plain), _entries(plain, bits, Filter=Name.FlateDecode, DecodeParms=packing))


def _entries(image: Image.Image, bits: int, **packing: pikepdf.Object) -> Dictionary:
    """The image's dictionary; packing: how its bytes are packed."""
    size = {"Width": image.width, "Height": image.height, "BitsPerComponent": bits}
    space: Any = Name.DeviceRGB if image.mode == "RGB" else Name.DeviceGray
    if image.mode == "P":
        colours = bytes(image.getpalette("RGB") or ())
        space = Array([Name.Indexed, Name.DeviceRGB, len(colours) // 3 - 1, String(colours)])
    entries: dict[str, Any] = {"Type": Name.XObject, "Subtype": Name.Image, "ColorSpace": space, **size, **packing}
    return Dictionary(**entries)


def _plain(image: Image.Image) -> Image.Image:
    """The picture in black and white, grey, RGB or a palette of it; white where it is transparent."""
    if image.mode == "1":
        return image
    image = opaque(image)
    return image if image.mode in ("L", "P") else image.convert("RGB")


def _packed(image: Image.Image) -> bytes:
    """The pixels as PNG packs them: the content of its data chunks."""
    buffer = BytesIO()
    image.save(buffer, format="PNG", **({"bits": 8} if image.mode == "P" else {}))
    file, place, found = buffer.getvalue(), _PNG_HEAD, []
    while place < len(file):
        length = int.from_bytes(file[place : place + 4], "big")
        if file[place + 4 : place + 8] == b"IDAT":
            found.append(file[place + 8 : place + 8 + length])
        place += 12 + length
    return b"".join(found)
