import pytest

from pipeline.errors import NotADocument
from pipeline.kinds import kind_of

MAIL = b"From: a@example.org\r\nTo: b@example.org\r\nSubject: the contract\r\n\r\nHello"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"%PDF-1.4", "pdf"),
        (b"\xef\xbb\xbf\n%PDF-2.0", "pdf"),
        (b"\x89PNG\r\n\x1a\n", "image"),
        (b"\xff\xd8\xff\xe0", "image"),
        (b"II*\0", "image"),
        (b"MM\0*", "image"),
        (b"MM\0+", "image"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image"),
        (b"PK\x03\x04\x14\0", "office"),
        (MAIL, "mail"),
        (MAIL.replace(b"\r\n", b"\n"), "mail"),
        (b"From someone Mon Jan  1 00:00:00 2024\n" + MAIL, "mail"),
        (b"\xef\xbb\xbf" + MAIL, "mail"),
        (b"Received: from x\n\tby y\nX-Long: 1\nDate: today\nMIME-Version: 1.0\n", "mail"),
    ],
)
def test_types_are_told_by_their_first_bytes(head: bytes, kind: str) -> None:
    assert kind_of(head) == kind


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"<html>",
        b"BM" + bytes(50),
        bytes(1024) + b"%PDF-1.4",
        b"RIFF\x24\0\0\0WAVEfmt ",
        b"Dear Sir,\nFrom: me\nTo: you\nSubject: a letter that is no mail\n",
        b"Note: to myself\nFrom: me\n",
        b"Note: first\n\nFrom: a\nTo: b\nSubject: below the head\n",
    ],
)
def test_other_types_are_refused(head: bytes) -> None:
    with pytest.raises(NotADocument):
        kind_of(head)
