"""Files that hold documents or become one: mails and Word files. Runs inside the reader's child process only."""

import os
import subprocess
import zipfile
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from shutil import which

from pipeline.errors import ConverterUnavailable, CorruptDocument, NoAttachment, NotADocument, TooLarge
from pipeline.kinds import HEAD, READ, kind_of

_WORD = "word/document.xml"
_CONVERTERS = ("soffice", "libreoffice")


def attachments(path: Path, folder: Path) -> tuple[list[tuple[str, Path]], list[str]]:
    """((name, file in `folder`) of each attachment of a mail that is of a type that is read; names of the others).

    Those of mails within the mail are among them. NoAttachment where there is none to read.
    """
    with path.open("rb") as stream:
        message = BytesParser(policy=policy.default).parse(stream)
    found: list[tuple[str, Path]] = []
    others: list[str] = []
    for number, part in enumerate(message.walk(), start=1):
        content = _content(part)
        if not content:
            continue
        name = _name(part, number)
        if _is_read(content):
            file = folder / f"part-{number}"
            file.write_bytes(content)
            found.append((name, file))
        else:
            others.append(name)
    if not found:
        raise NoAttachment(f"The mail has no attachment that is read; what is read is {READ}.")
    return found, others


def _is_read(content: bytes) -> bool:
    """Whether an attachment is a document."""
    try:
        return kind_of(content[:HEAD]) != "mail"
    except NotADocument:
        return False


def _content(part: EmailMessage) -> bytes:
    """The bytes of an attachment; none for what is the mail itself: its text, and the pictures shown in it."""
    if part.is_multipart():
        return b""
    if part.get_content_disposition() != "attachment" and part.get_content_maintype() in ("text", "image"):
        return b""
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _name(part: EmailMessage, number: int) -> str:
    """What the sender calls the attachment, in one printable line."""
    name = "".join(filter(str.isprintable, part.get_filename() or "")).replace("\\", "/").rpartition("/")[2]
    return name[:255] or f"attachment {number}"


def to_pdf(path: Path, folder: Path, max_bytes: int) -> Path:
    """A Word file as a PDF in `folder`, made by LibreOffice.

    Raises NotADocument for other archives, TooLarge for one that unpacks to more than `max_bytes`,
    ConverterUnavailable, CorruptDocument.
    """
    _check_word(path, max_bytes)
    program = next(filter(None, map(which, _CONVERTERS)), None)
    if program is None:
        raise ConverterUnavailable("Word files are read through LibreOffice, which is not installed.")
    source = folder / "document.docx"
    if not source.exists():
        source.symlink_to(path)
    # A profile of its own: two converters cannot share one, and nobody's settings or macros take part.
    options = ["--headless", "--norestore", "--nolockcheck", f"-env:UserInstallation=file://{folder}/profile"]
    subprocess.run(
        [program, *options, "--convert-to", "pdf", "--outdir", str(folder), str(source)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder), "TMPDIR": str(folder)},
        check=False,
    )
    target = folder / "document.pdf"
    if not target.is_file() or not target.stat().st_size:
        raise CorruptDocument("LibreOffice cannot make a PDF of the Word file.")
    return target


def _check_word(path: Path, max_bytes: int) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise CorruptDocument("The file begins as a Word file does and cannot be opened as one.") from error
    if _WORD not in {entry.filename for entry in entries}:
        raise NotADocument(f"The file is an archive and no Word file; what is read is {READ}.")
    size = sum(entry.file_size for entry in entries)
    if size > max_bytes:
        raise TooLarge(f"The Word file unpacks to {size:,} bytes; at most {max_bytes:,} are read.")
