"""Files made to hurt their reader: bombs, endless loops, sizes nobody has. Each is small itself."""

import struct
import zlib
from io import BytesIO

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream
from PIL import Image

from tests.pipeline.writing import text_pdf


def written(pdf: pikepdf.Pdf) -> bytes:
    """The PDF as bytes, its streams as they are."""
    target = BytesIO()
    pdf.save(target, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    return target.getvalue()


def page_of(size: tuple[float, float], content: bytes = b"", **resources: object) -> tuple[pikepdf.Pdf, Dictionary]:
    """(a PDF of one page with that content, the page)."""
    pdf = pikepdf.new()
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    page = Dictionary(
        Type=Name.Page,
        MediaBox=Array([0, 0, *size]),
        Resources=Dictionary(Font=Dictionary(F=font), **resources),
        Contents=Stream(pdf, content),
    )
    pdf.pages.append(pikepdf.Page(page))
    return pdf, pdf.pages[0].obj


def line(text: str, x: float, y: float, size: float = 12) -> bytes:
    """The operators that write a line."""
    return f"BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n".encode()


def deflated(block: bytes, times: int) -> bytes:
    """The block so many times over, compressed; made in no time, since it is compressed once."""
    packer = zlib.compressobj(9)
    head = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, wbits=-15).flush()
    check = 1
    for _ in range(times):
        check = zlib.adler32(block, check)
    return head + again * (times - 1) + end + struct.pack(">I", check)


def flate_bomb(layers: int = 3, size: int = 3_000_000_000) -> bytes:
    """A content stream of `size` blanks, compressed `layers` times."""
    block = b" " * 10_000_000
    packed = deflated(block, size // len(block))
    for _ in range(layers - 1):
        packed = zlib.compress(packed, 1)
    pdf, page = page_of((612, 792))
    page.Contents.write(packed, filter=Array([Name.FlateDecode] * layers))
    return written(pdf)


def vast_page(width: float, height: float) -> bytes:
    """A page of that size with a word at its top left, and a picture that asks for OCR."""
    pdf, page = page_of((width, height), line("header", 20, height - 40, 24))
    picture = Stream(pdf, bytes(8))
    picture.update(
        {
            "/Type": Name.XObject,
            "/Subtype": Name.Image,
            "/Width": 8,
            "/Height": 8,
            "/BitsPerComponent": 1,
            "/ColorSpace": Name.DeviceGray,
        }
    )
    page.Resources.XObject = Dictionary(I=picture)
    drawn = f"q {width} 0 0 {height} 0 0 cm /I Do Q\n".encode()
    page.Contents = Stream(pdf, drawn + line("header", 20, height - 40, 24))
    return written(pdf)


def self_reference() -> bytes:
    """A form object that draws itself, twice each time."""
    pdf, page = page_of((612, 792), line("before", 72, 700) + b"/X Do\n" + line("after", 72, 600))
    form = pdf.make_stream(b"/X Do /X Do\n")
    form.update({"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 612, 792])})
    form["/Resources"] = Dictionary(XObject=Dictionary(X=form))
    page.Resources.XObject = Dictionary(X=form)
    return written(pdf)


def forms_that_double(depth: int = 28) -> bytes:
    """Form objects each of which draws the next one twice: 2 to the power of `depth` lines in the end."""
    pdf, page = page_of((612, 792), b"/X Do\n")
    inner = pdf.make_stream(b"0 0 m 100 100 l S\n")
    inner.update({"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 612, 792])})
    for _ in range(depth):
        outer = pdf.make_stream(b"/X Do /X Do\n")
        outer.update({"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 612, 792])})
        outer["/Resources"] = Dictionary(XObject=Dictionary(X=inner))
        inner = outer
    page.Resources.XObject = Dictionary(X=inner)
    return written(pdf)


def page_tree_cycle() -> bytes:
    """A page tree whose second kid is its own root."""
    content = text_pdf([["one"], ["two"]])
    with pikepdf.open(BytesIO(content)) as pdf:
        pages = pdf.Root.Pages
        pages.Kids[1] = pages
        pages.Count = 1_000
        return written(pdf)


def no_pages() -> bytes:
    """A PDF with an empty page tree."""
    return written(pikepdf.new())


def vast_image(side: int = 45_000) -> bytes:
    """A PNG of two gigapixels, black, in a few kilobytes of its own."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    packed = deflated(bytes(1 + (side + 7) // 8) * 100, side // 100)
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def vast_image_in_pdf(side: int = 45_000) -> bytes:
    """A page that shows a picture of two gigapixels, which unpacks to 2 GB."""
    packed = deflated(bytes(side) * 100, side // 100)
    pdf, page = page_of((612, 792), b"q 612 0 0 792 0 0 cm /I Do Q\n")
    picture = Stream(pdf, b"")
    picture.write(packed, filter=Name.FlateDecode)
    picture.update(
        {
            "/Type": Name.XObject,
            "/Subtype": Name.Image,
            "/Width": side,
            "/Height": side,
            "/BitsPerComponent": 8,
            "/ColorSpace": Name.DeviceGray,
        }
    )
    page.Resources.XObject = Dictionary(I=picture)
    return written(pdf)


def truncated(percent: int) -> bytes:
    """The first so many hundredths of a PDF of twenty pages."""
    pages = [[f"This is page number {number} of twenty.", "It says little more."] for number in range(1, 21)]
    content = text_pdf(pages)
    return content[: len(content) * percent // 100]


def frames(count: int) -> bytes:
    """A TIFF of so many pictures of one pixel."""
    target = BytesIO()
    image = Image.new("1", (1, 1))
    image.save(target, format="TIFF", save_all=True, append_images=[image] * (count - 1))
    return target.getvalue()
