"""One normaliser per file: a raw text in, its one written form out.

The contract of a file:

    normalise(text: str) -> Value | None      # None where the text holds no such value; nothing missing is guessed

A kind of value that can be recognised by its form alone also has

    find(text: str) -> Iterator[Found]        # every such value in a running text, in order, not overlapping

A kind whose values can be written in full and for short also has

    same(value: str, other: str) -> bool      # whether two normalised texts mean one thing
"""

from typing import NamedTuple

from pipeline.types import Value


class Found(NamedTuple):
    """A value found in a text: characters start (inclusive) to end (exclusive).

    weight: 0–1, how clearly the words around it say that it is meant as such a value.
    """

    start: int
    end: int
    value: Value
    weight: float = 1.0
