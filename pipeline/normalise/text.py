"""Any text: Unicode compatibility form (NFKC), single spaces."""

import unicodedata

from pipeline.types import Value


def normalise(text: str) -> Value | None:
    """The text itself, tidied; None where nothing is left."""
    tidy = " ".join(unicodedata.normalize("NFKC", text).split())
    return Value(tidy) if tidy else None
