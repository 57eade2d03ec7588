"""Mails, Word files and damaged PDFs, through `ingest`, as they come."""

import zipfile
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from shutil import which

import pikepdf
import pytest

from pipeline.errors import (
    ConverterUnavailable,
    CorruptDocument,
    NoAttachment,
    NotADocument,
    PasswordRequired,
    TooLarge,
    TooManyPages,
)
from pipeline.ingest import IngestSettings, ingest
from pipeline.limits import Limits
from pipeline.types import Document
from pipeline.unpack import attachments, to_pdf
from tests.pipeline.writing import LETTER, image_file, saved, scan, text_pdf

needs_libreoffice = pytest.mark.skipif(which("soffice") is None, reason="LibreOffice is not installed")
WORD_PARTS = {
    "[Content_Types].xml": """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>""",
    "_rels/.rels": """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
 Target="word/document.xml"/></Relationships>""",
    "word/document.xml": """<?xml version="1.0" encoding="UTF-8"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>
<w:t>Agreement of two parties</w:t></w:r></w:p></w:body></w:document>""",
}


def archive(parts: dict[str, str]) -> bytes:
    """A zip file."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return target.getvalue()


def mail(*attached: tuple[str, bytes], text: str = "See what is attached.") -> EmailMessage:
    """A mail with attachments."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", "the contract"
    message.set_content(text)
    for name, content in attached:
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message


def said(document: Document) -> list[tuple[str | None, str]]:
    """(part, words) of each page."""
    return [(page.part, " ".join(word.text for word in page.words)) for page in document.pages]


def test_a_mail_is_the_pages_of_its_attachments() -> None:
    message = mail(
        ("one.pdf", text_pdf([["first"], ["second"]])), ("notes.xyz", b"\0\1"), ("../two.pdf", text_pdf([["third"]]))
    )
    document = ingest(message.as_bytes(), "x.eml")
    assert said(document) == [("one.pdf", "first"), ("one.pdf", "second"), ("two.pdf", "third")]
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert document.notes == ("attachment of no type that is read: notes.xyz",)


def test_a_mail_within_a_mail_is_opened() -> None:
    outer = mail()
    outer.add_attachment(mail(("inner.pdf", text_pdf([["inside"]]))))
    assert said(ingest(outer.as_bytes(), "x.eml")) == [("inner.pdf", "inside")]


def test_an_attachment_that_cannot_be_opened_is_a_page_that_failed() -> None:
    message = mail(("locked.pdf", text_pdf([["secret"]], password="sesame")), ("open.pdf", text_pdf([["open"]])))
    document = ingest(message.as_bytes(), "x.eml", IngestSettings(ocr="never"))
    assert [(page.part, page.failure) for page in document.pages] == [
        ("locked.pdf", "password_required"),
        ("open.pdf", None),
    ]
    assert (document.pages_read, document.pages_failed) == (1, 1)
    assert document.notes == ("locked.pdf: The document is encrypted and it needs a password.",)


def test_the_only_attachment_speaks_for_the_mail() -> None:
    with pytest.raises(PasswordRequired):
        ingest(mail(("locked.pdf", text_pdf([["secret"]], password="sesame"))).as_bytes(), "x.eml")


def test_the_limit_of_pages_is_that_of_all_attachments() -> None:
    message = mail(("one.pdf", text_pdf([["a"], ["b"]])), ("two.pdf", text_pdf([["c"], ["d"]])))
    with pytest.raises(TooManyPages):
        ingest(message.as_bytes(), "x.eml", IngestSettings(limits=Limits(max_pages=3)))


def test_pictures_shown_in_the_text_are_no_attachments(tmp_path: Path) -> None:
    message = mail()
    message.make_mixed()
    picture = image_file(scan(["logo"]), "PNG")
    message.add_attachment(picture, "image", "png", disposition="inline", filename="logo.png", cid="<logo>")
    with pytest.raises(NoAttachment):
        attachments(saved(tmp_path, message.as_bytes()), tmp_path)
    message.add_attachment(picture, "image", "png", disposition="inline", filename="scan.png")
    found, others = attachments(saved(tmp_path, message.as_bytes()), tmp_path)
    assert ([name for name, _ in found], others) == (["scan.png"], [])


def test_nothing_attached_is_left_out_in_silence(tmp_path: Path) -> None:
    inner = mail(("deep.pdf", text_pdf([["deep"]]))).as_bytes()
    message = mail(("empty.pdf", b""), ("mail.eml", inner), ("sheet.xyz", b"\0\1"))
    found, others = attachments(saved(tmp_path, message.as_bytes()), tmp_path)
    assert ([name for name, _ in found], others) == (["deep.pdf"], ["empty.pdf", "sheet.xyz"])
    with pytest.raises(NoAttachment, match=r"no attachment but sheet\.xyz;"):
        attachments(saved(tmp_path, mail(("sheet.xyz", b"\0\1")).as_bytes()), tmp_path)


@needs_libreoffice
def test_a_word_file_is_read_as_the_pdf_made_of_it() -> None:
    document = ingest(archive(WORD_PARTS), "x.docx")
    assert said(document) == [(None, "Agreement of two parties")]
    assert document.notes == ("made a PDF by LibreOffice",)


def test_without_libreoffice_a_word_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConverterUnavailable, match="LibreOffice"):
        to_pdf(saved(tmp_path, archive(WORD_PARTS)), tmp_path, 1_000_000)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (archive({"xl/workbook.xml": "<x/>"}), NotADocument),
        (archive(WORD_PARTS)[:200], CorruptDocument),
        (archive({**WORD_PARTS, "word/media/bomb": "x" * 3_000_000}), TooLarge),
    ],
)
def test_other_archives_and_bombs_are_refused(tmp_path: Path, content: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        to_pdf(saved(tmp_path, content), tmp_path, 2_000_000)


def damaged(content: bytes) -> bytes:
    """The PDF with every offset wrong and its trailer cut off."""
    return content[: content.rindex(b"xref")].replace(b"%PDF-1.4\n", b"%PDF-1.4\n%" + b"x" * 700 + b"\n", 1)


def test_a_damaged_pdf_is_repaired_and_says_so() -> None:
    document = ingest(damaged(text_pdf([["one"], ["two"]])), "x.pdf")
    assert [text for _, text in said(document)] == ["one", "two"]
    assert document.notes == ("damaged, repaired",)


def test_a_sound_pdf_is_not_called_damaged() -> None:
    assert ingest(text_pdf([["one"]]), "x.pdf").notes == ()


def test_a_password_that_only_its_owner_needs_is_no_obstacle() -> None:
    target = BytesIO()
    with pikepdf.open(BytesIO(text_pdf([["words"]]))) as pdf:
        pdf.save(target, encryption=pikepdf.Encryption(owner="owner", user="", R=6))
    assert said(ingest(target.getvalue(), "x.pdf")) == [(None, "words")]


@pytest.mark.parametrize("unit", [1, 2, 0.5, "nonsense", -3])
def test_a_page_in_units_of_its_own_is_told_in_points(unit: object) -> None:
    target = BytesIO()
    with pikepdf.open(BytesIO(text_pdf([["words"], ["plain"]]))) as pdf:
        pdf.pages[0].obj["/UserUnit"] = pikepdf.String(unit) if isinstance(unit, str) else unit
        pdf.save(target)
    scale = float(unit) if isinstance(unit, (int, float)) and unit > 0 else 1.0
    scaled, plain = ingest(target.getvalue(), "x.pdf").pages
    assert (scaled.width, scaled.height) == (scale * LETTER[0], scale * LETTER[1])
    assert scaled.words[0].box == pytest.approx([scale * edge for edge in (72, 74, 105, 84)], abs=4 * scale)
    assert (plain.width, plain.height) == LETTER
