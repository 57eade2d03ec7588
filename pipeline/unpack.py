"""Files that hold documents or become one: mails and Word files. Runs inside the reader's child process only."""

import os
import subprocess
import zipfile
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from shutil import which

from pipeline.errors import ConverterUnavailable, CorruptDocument, NoAttachment, NotADocument, TooLarge
from pipeline.kinds import HEAD, READ, Kind, kind_of

_WORD = "word/document.xml"
_CONVERTERS = ("soffice", "libreoffice")
_MAX_DEPTH = 4


def attachments(path: Path, folder: Path) -> tuple[list[tuple[str, Path]], list[str]]:
    """((name, file in `folder`) of each attachment of a mail that is of a type that is read; names of the others).

    Those of mails within the mail are among them. NoAttachment where there is none to read.
    """
    found: list[tuple[str, Path]] = []
    others: list[str] = []
    for number, (name, content) in enumerate(_leaves(path.read_bytes()), start=1):
        if content and _kind(content):
            file = folder / f"part-{number}"
            file.write_bytes(content)
            found.append((name, file))
        else:
            others.append(name)
    if not found:
        left = f" but {', '.join(others)}" if others else ""
        raise NoAttachment(f"The mail has no attachment{left}; what is read is {READ}.")
    return found, others


def _leaves(mail: bytes, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """(name, content) of what is attached to a mail, and to the mails that are attached to it."""
    message = BytesParser(policy=policy.default).parsebytes(mail)
    for number, part in enumerate(message.walk(), start=1):
        if part.is_multipart() or _is_the_mail_itself(part):
            continue
        content = part.get_payload(decode=True)
        content = content if isinstance(content, bytes) else b""
        if depth < _MAX_DEPTH and _kind(content) == "mail":
            yield from _leaves(content, depth + 1)
        else:
            yield _name(part, number), content


def _kind(content: bytes) -> Kind | None:
    """The type of an attachment, None where it is none that is read."""
    try:
        return kind_of(content[:HEAD])
    except NotADocument:
        return None


def _is_the_mail_itself(part: EmailMessage) -> bool:
    """Whether a part is the mail's text, or a picture shown in it, which has an identity to be shown by."""
    if part.get_content_disposition() == "attachment":
        return False
    kind = part.get_content_maintype()
    return (kind == "text" and not part.get_filename()) or (kind == "image" and "Content-ID" in part)


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
