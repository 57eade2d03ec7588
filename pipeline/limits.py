"""How far reading a document may go."""

from dataclasses import dataclass

# What a process needs before it opens anything, and what a picture being drawn needs for each of its pixels.
_BASE_MEMORY = 400_000_000
_PIXEL_MEMORY = 8


@dataclass(frozen=True)
class Limits:
    """The limits a document is read under; ValueError where one of them leaves no room for another.

    max_bytes: of the file.  max_pages: of the document.  max_pixels: of a page's picture; a larger page is drawn with
    fewer dots.  page_seconds, document_seconds: wall-clock time.  memory_bytes: address space of a reader process.
    reply_bytes: what a reader process may tell of one page.  scratch_bytes: of any file written while reading.
    """

    max_bytes: int = 500_000_000
    max_pages: int = 5_000
    max_pixels: int = 40_000_000
    page_seconds: float = 60.0
    document_seconds: float = 3_600.0
    memory_bytes: int = 2_000_000_000
    reply_bytes: int = 64_000_000
    scratch_bytes: int = 1_000_000_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value <= 0:
                raise ValueError(f"{name} is {value}; it has to be more than 0")
        if self.page_seconds > self.document_seconds:
            raise ValueError(
                f"page_seconds ({self.page_seconds:g}) is more than document_seconds ({self.document_seconds:g})"
            )
        least = _BASE_MEMORY + _PIXEL_MEMORY * self.max_pixels
        if self.memory_bytes < least:
            raise ValueError(
                f"memory_bytes ({self.memory_bytes:,}) is too little for pictures of {self.max_pixels:,} pixels, which "
                f"need {least:,}"
            )
        if self.scratch_bytes < self.max_pixels:
            raise ValueError(
                f"scratch_bytes ({self.scratch_bytes:,}) is too little for pictures of {self.max_pixels:,} pixels"
            )
