"""What type a file is, by its content and never by its name."""

import re
from typing import Literal

from pipeline.errors import NotADocument

Kind = Literal["pdf", "image", "mail", "office"]
HEAD = 4096
READ = "PDF, PNG, JPEG, TIFF, WebP, mail (.eml) and Word (.docx)"

_IMAGE_HEADS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_PDF_HEADER_WITHIN = 1024
_ZIP = b"PK\x03\x04"
_FIELD = re.compile(rb"[!-9;-~]+:[ \t]?[^\r\n]*\r?\n")
_MAIL_FIELDS = re.compile(
    rb"^(?:From|To|Date|Subject|Received|Return-Path|Message-ID|MIME-Version|Content-Type|Delivered-To):",
    re.MULTILINE | re.IGNORECASE,
)
_LEAST_FIELDS = 3


def kind_of(head: bytes) -> Kind:
    """The type of a file by its first bytes (`HEAD` of them); NotADocument where it is none that is read."""
    if head.startswith(_IMAGE_HEADS) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return "image"
    if b"%PDF-" in head[:_PDF_HEADER_WITHIN]:
        return "pdf"
    if head.startswith(_ZIP):
        return "office"
    if _is_mail(head):
        return "mail"
    raise NotADocument(f"The file is none of {READ}.")


def _is_mail(head: bytes) -> bool:
    """Whether the file begins with header fields, some of which every mail has."""
    start = head.removeprefix(b"\xef\xbb\xbf")
    if start.startswith(b"From "):  # as mailboxes begin a message
        start = start.partition(b"\n")[2]
    fields = re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0]
    return _FIELD.match(start) is not None and len(set(_MAIL_FIELDS.findall(fields))) >= _LEAST_FIELDS
