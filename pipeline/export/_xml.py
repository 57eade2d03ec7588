"""XML written as it goes, so that a document of any length takes no memory."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import BinaryIO
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

PROGRAM, VERSION = "Longleaf", version("longleaf")


class Xml:
    """Elements, one a line. Names and texts are escaped here, and have to be free of forbidden characters."""

    def __init__(self, target: BinaryIO, doctype: str = "") -> None:
        self._generator = XMLGenerator(target, "utf-8", short_empty_elements=True)
        self._generator.startDocument()
        if doctype:
            self._generator.ignorableWhitespace(f"{doctype}\n")

    @contextmanager
    def element(self, name: str, attributes: Mapping[str, object] = {}) -> Iterator[None]:
        """An element around what is written meanwhile."""
        self._start(name, attributes)
        self._generator.ignorableWhitespace("\n")
        yield
        self._generator.endElement(name)
        self._generator.ignorableWhitespace("\n")

    def leaf(self, name: str, attributes: Mapping[str, object] = {}, text: str = "") -> None:
        """An element that holds nothing but text."""
        self._start(name, attributes)
        if text:
            self._generator.characters(text)
        self._generator.endElement(name)
        self._generator.ignorableWhitespace("\n")

    def _start(self, name: str, attributes: Mapping[str, object]) -> None:
        self._generator.startElement(name, AttributesImpl({key: str(value) for key, value in attributes.items()}))
