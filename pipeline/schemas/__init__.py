"""Extraction schemas: each file says what is looked for in documents of some classes.

The contract of a file: `CLASSES`, the document classes it is for, and `ENTITIES`, for each entity type a `Field`.
A trained model carries its schemas in its configuration, so that it can be used without these files.
"""

from typing import TypedDict


class Field(TypedDict):
    """normaliser: a file of `pipeline.normalise`.  many: whether one document can have several such values."""

    normaliser: str
    many: bool
