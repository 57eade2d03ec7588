"""What can go wrong with a document. Every error has a `code` that callers may rely on.

DocumentError
├── EmptyFile            empty_file             no bytes at all
├── NotADocument         not_a_document         the content is of no type we read
├── PasswordRequired     password_required      encrypted, and no or the wrong password was given
├── CorruptDocument      corrupt_document       claims to be a document and cannot be opened as one
├── TooLarge             too_large              more bytes or pixels than the limit
├── TooManyPages         too_many_pages         more pages than the limit
├── TimedOut             timed_out              reading took longer than the limit
├── OutOfMemory          out_of_memory          reading needed more memory than the limit
├── OutOfScratch         out_of_scratch         reading had to write more to disk than the limit
├── NoAttachment         no_attachment          a mail without any attachment that is read
├── ConverterUnavailable converter_unavailable  the program that makes a PDF of this type is not installed
└── OcrUnavailable       ocr_unavailable        the OCR engine or a language of it is not installed
"""

from typing import ClassVar


class DocumentError(Exception):
    """A document cannot be read. `str(error)` is one sentence for the person who sent it."""

    code: ClassVar[str] = "document_error"


class EmptyFile(DocumentError):
    """The file holds no bytes."""

    code = "empty_file"


class NotADocument(DocumentError):
    """The content is of no type that is read here."""

    code = "not_a_document"


class PasswordRequired(DocumentError):
    """The document is encrypted and no password, or a wrong one, was given."""

    code = "password_required"


class CorruptDocument(DocumentError):
    """The content claims to be a document and cannot be opened as one."""

    code = "corrupt_document"


class TooLarge(DocumentError):
    """There are more bytes, or more pixels, than the limit allows."""

    code = "too_large"


class TooManyPages(DocumentError):
    """The document has more pages than the limit."""

    code = "too_many_pages"


class TimedOut(DocumentError):
    """Reading took longer than the limit."""

    code = "timed_out"


class OutOfMemory(DocumentError):
    """Reading needed more memory than the limit."""

    code = "out_of_memory"


class OutOfScratch(DocumentError):
    """Reading had to write more to disk than the limit."""

    code = "out_of_scratch"


class NoAttachment(DocumentError):
    """The mail has no attachment that is read."""

    code = "no_attachment"


class ConverterUnavailable(DocumentError):
    """The program that makes a PDF of files of this type is not installed."""

    code = "converter_unavailable"


class OcrUnavailable(DocumentError):
    """The OCR engine, or a language asked of it, is not installed."""

    code = "ocr_unavailable"
