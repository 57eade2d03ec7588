"""Reads nothing: for those who want pages without a text layer left empty."""

from PIL import Image

from pipeline.types import Word


def recognise(image: Image.Image, languages: str, seconds: float) -> list[Word]:
    """No words."""
    return []


def check(languages: str) -> None:
    """Nothing is read in any language."""


def version() -> str:
    """The engine's name and version."""
    return "null 1"
