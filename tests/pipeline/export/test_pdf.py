"""Searchable PDFs, read by poppler."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest
from PIL import Image, ImageOps

from pipeline.errors import CorruptDocument, NotADocument, PasswordRequired
from pipeline.export import pdf
from pipeline.types import Box, Document, Page, Word
from tests.pipeline.export.reading import assert_same_places, found, pdftotext, source, words, written
from tests.pipeline.writing import image_file, saved, scan, scanned_pdf, text_pdf

TEXTS = ("Agreement", "Überschrift", "Договор", "契約書", "cafe\u0301", "12,5%", "(a)", "-", "😀", "x<y&z")
WORDS = (*words(*TEXTS[:5]), *words(*TEXTS[5:], y=131.5))


def ocred(*pages: tuple[Word, ...], size: tuple[float, float] = (612, 792), rotation: int = 0) -> Document:
    """A document whose pages were all read by OCR."""
    read = (Page(i, *size, found, "ocr", rotation=rotation) for i, found in enumerate(pages, start=1))
    return Document("a.pdf", "", tuple(read))


def exported(folder: Path, original: bytes, document: Document, password: str | None = None) -> Path:
    """The searchable PDF of a document, as a file."""
    target = folder / "result.pdf"
    target.write_bytes(written(pdf, document, source(saved(folder, original), password)))
    return target


def changed(content: bytes, change: Callable[[pikepdf.Page], None]) -> bytes:
    """A PDF with its pages changed."""
    target = BytesIO()
    with pikepdf.open(BytesIO(content)) as opened:
        for page in opened.pages:
            change(page)
        opened.save(target)
    return target.getvalue()


def drawn(path: Path, folder: Path) -> list[bytes]:
    """The pages as poppler draws them."""
    subprocess.run(["pdftoppm", "-r", "40", str(path), str(folder / "drawn")], check=True)
    return [page.read_bytes() for page in sorted(folder.glob("drawn*"))]


def test_a_document_with_text_of_its_own_is_kept_byte_for_byte(tmp_path: Path) -> None:
    content = text_pdf([["one"], ["two"]]) + b"\n% more"
    document = Document("a.pdf", "", (Page(1, 612, 792, words("one"), "text"), Page(2, 612, 792, failure="timed_out")))
    assert exported(tmp_path, content, document).read_bytes() == content


def test_words_of_any_script_are_found_in_their_boxes(tmp_path: Path) -> None:
    result = exported(tmp_path, scanned_pdf([scan(["Agreement"])]), ocred(WORDS))
    assert_same_places(WORDS, found(result))


def test_words_that_run_to_the_left_are_read_as_they_are_written(tmp_path: Path) -> None:
    hebrew = words("שלום", "עולם", "1948ב")
    text = pdftotext(exported(tmp_path, scanned_pdf([scan([])]), ocred(hebrew)))
    assert {"שלום", "עולם"} <= set(text.replace("\u202b", "").replace("\u202c", "").split())


def test_only_pages_read_by_ocr_are_written_on(tmp_path: Path) -> None:
    pages = (Page(1, 612, 792, words("theirs"), "text"), Page(2, 612, 792, words("ours"), "ocr"))
    result = exported(tmp_path, text_pdf([["first"], []]), Document("a.pdf", "", pages))
    assert [[word.text for word in found(result, "-f", n, "-l", n)] for n in "12"] == [["first"], ["ours"]]


@pytest.mark.parametrize("turn", [0, 90, 180, 270, -90, 450])
@pytest.mark.parametrize("crop", [None, (20, 30, 580, 700)])
def test_places_are_those_of_the_page_as_displayed(tmp_path: Path, turn: int, crop: tuple[int, ...] | None) -> None:
    def change(page: pikepdf.Page) -> None:
        page.obj.Rotate = turn
        page.obj.MediaBox = pikepdf.Array([-10, -5, 602, 787])
        if crop:
            page.obj.CropBox = pikepdf.Array(crop)

    content = changed(text_pdf([["Where poppler sees these words"]]), change)
    visible = found(saved(tmp_path, content))
    width, height = (crop[2] - crop[0], crop[3] - crop[1]) if crop else (612, 792)
    size = (height, width) if turn % 180 else (width, height)
    ours = tuple(word._replace(text=word.text.upper()) for word in visible)
    result = exported(tmp_path, content, ocred(ours, size=size, rotation=-turn % 360))
    assert_same_places([*visible, *ours], found(result))


def test_a_page_with_units_of_its_own(tmp_path: Path) -> None:
    content = changed(text_pdf([[]]), lambda page: page.obj.__setitem__("/UserUnit", 2))
    doubled = tuple(word._replace(box=Box(*(2 * edge for edge in word.box))) for word in WORDS)
    # poppler knows of no user units.
    assert_same_places(WORDS, found(exported(tmp_path, content, ocred(doubled, size=(1224, 1584)))))


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_words_of_a_scan_that_lies_on_its_side(tmp_path: Path, rotation: int) -> None:
    sides = (12, 60) if rotation != 180 else (60, 12)
    lying = tuple(
        Word(text, Box(100 + 40 * i, 200, 100 + 40 * i + sides[0], 200 + sides[1]))
        for i, text in enumerate(("turned", "words"))
    )
    lying = (lying[0], lying[1]._replace(box=lying[1].box._replace(x0=300, x1=300 + sides[0])))
    result = exported(tmp_path, scanned_pdf([scan([])]), ocred(lying, rotation=rotation))
    assert_same_places(lying, found(result))


def test_the_page_looks_as_before(tmp_path: Path) -> None:
    content = scanned_pdf([scan(["Agreement", "between"])])
    (tmp_path / "before").mkdir()
    before = drawn(saved(tmp_path, content), tmp_path / "before")
    (tmp_path / "after").mkdir()
    assert drawn(exported(tmp_path, content, ocred(WORDS)), tmp_path / "after") == before


def hidden(page: pikepdf.Page, text: bytes = b"BT 3 Tr /F1 12 Tf 72 600 Td (poor) Tj 0 Tr (seen) Tj ET") -> None:
    page.contents_add(b"q " + text + b" Q")


def test_invisible_text_that_was_there_is_replaced_what_can_be_seen_is_kept(tmp_path: Path) -> None:
    content = changed(text_pdf([["visible"]]), hidden)
    assert "poor" in pdftotext(saved(tmp_path, content))
    result = exported(tmp_path, content, ocred(words("good")))
    assert sorted(word.text for word in found(result)) == ["good", "seen", "visible"]


def test_invisible_text_in_a_form_is_replaced_on_this_page_only(tmp_path: Path) -> None:
    target = BytesIO()
    with pikepdf.open(BytesIO(text_pdf([["one"], ["two"]]))) as opened:
        first, second = opened.pages
        form = opened.make_stream(b"BT 3 Tr /F1 12 Tf 72 600 Td (poor) Tj ET")
        form.Type, form.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
        form.BBox, form.Resources = pikepdf.Array([0, 0, 612, 792]), first.resources
        shared = opened.make_indirect(pikepdf.Dictionary(Font=first.resources.Font, XObject={"/Form": form}))
        for page in (first, second):
            page.obj.Resources = shared
            page.contents_add(b"/Form Do")
        opened.save(target)
    pages = (Page(1, 612, 792, words("good"), "ocr"), Page(2, 612, 792, words("two"), "text"))
    result = exported(tmp_path, target.getvalue(), Document("a.pdf", "", pages))
    seen = [sorted(word.text for word in found(result, "-f", n, "-l", n)) for n in "12"]
    assert seen == [["good", "one"], ["poor", "two"]]


def test_an_encrypted_document_stays_encrypted(tmp_path: Path) -> None:
    content = text_pdf([[]], password="sesame")
    result = exported(tmp_path, content, ocred(WORDS), password="sesame")
    assert_same_places(WORDS, found(result, "-upw", "sesame"))
    with pytest.raises(pikepdf.PasswordError):
        pikepdf.open(result)
    with pytest.raises(PasswordRequired):
        exported(tmp_path, content, ocred(WORDS))


def test_an_owners_restrictions_stay(tmp_path: Path) -> None:
    target = BytesIO()
    allow = pikepdf.Permissions(modify_other=False, extract=True)
    with pikepdf.open(BytesIO(text_pdf([[]]))) as opened:
        opened.save(target, encryption=pikepdf.Encryption(owner="owner", user="", allow=allow))
    result = exported(tmp_path, target.getvalue(), ocred(WORDS))
    with pikepdf.open(result) as opened:
        assert opened.is_encrypted
        assert not opened.allow.modify_other
    assert_same_places(WORDS, found(result))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
def test_a_picture_becomes_a_pdf(tmp_path: Path, kind: str) -> None:
    content = image_file(scan(["Agreement"]), kind, dpi=(150, 150))
    result = exported(tmp_path, content, ocred(WORDS))
    assert_same_places(WORDS, found(result))
    with pikepdf.open(result) as opened:
        (picture,) = opened.pages[0].get_images().values()
        if kind == "JPEG":
            assert picture.read_raw_bytes() == content
        elif kind != "WEBP":
            assert list(pikepdf.PdfImage(picture).as_pil_image().get_flattened_data()) == list(
                scan(["Agreement"]).get_flattened_data()
            )


def test_every_picture_of_a_tiff_is_a_page(tmp_path: Path) -> None:
    modes = ("1", "L", "RGB", "P")
    frames = [scan([text]).convert(mode) for text, mode in zip(("one", "two", "three", "four"), modes, strict=True)]
    content = image_file(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    pages = [words("one"), words("two"), (), ()]
    result = exported(tmp_path, content, ocred(*pages))
    assert [[word.text for word in found(result, "-f", n, "-l", n)] for n in "1234"] == [["one"], ["two"], [], []]
    with pikepdf.open(result) as opened:
        for page, frame in zip(opened.pages, frames, strict=True):
            (picture,) = page.get_images().values()
            kept = pikepdf.PdfImage(picture).as_pil_image()
            assert kept.mode == frame.mode
            assert kept.convert("RGB").tobytes() == frame.convert("RGB").tobytes()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_stands_upright(tmp_path: Path, orientation: int) -> None:
    image = Image.new("RGB", (80, 40), "white")
    image.paste("red", (0, 0, 20, 10))
    exif = Image.Exif()
    exif[0x0112] = orientation
    content = image_file(image, "PNG", exif=exif)
    with Image.open(BytesIO(content)) as opened:
        expected = ImageOps.exif_transpose(opened)
    result = exported(tmp_path, content, ocred((), size=(expected.width * 1.8, expected.height * 1.8)))
    (page,) = drawn(result, tmp_path)
    with Image.open(BytesIO(page)) as shown:
        corners = [(x, y) for x in (2, -3) for y in (2, -3)]
        red = [shown.getpixel((x % shown.width, y % shown.height)) == (255, 0, 0) for x, y in corners]
        wanted = [expected.getpixel((x % expected.width, y % expected.height)) == (255, 0, 0) for x, y in corners]
    assert red == wanted
    assert sum(red) == 1


def test_a_transparent_picture_is_white_behind(tmp_path: Path) -> None:
    result = exported(tmp_path, image_file(Image.new("RGBA", (40, 40)), "PNG"), ocred((), size=(72, 72)))
    assert set(drawn(result, tmp_path)[0][-300:]) == {255}


def test_what_cannot_be_written_says_why(tmp_path: Path) -> None:
    with pytest.raises(NotADocument):
        written(pdf, ocred(WORDS), None)
    with pytest.raises(NotADocument):
        written(pdf, ocred(WORDS), replace(source(saved(tmp_path, text_pdf([[]]))), kind="mail"))
    with pytest.raises(CorruptDocument):
        exported(tmp_path, text_pdf([["one"], ["two"]]), ocred(WORDS))
    assert [path.name for path in tmp_path.iterdir()] == ["something.bin"]
