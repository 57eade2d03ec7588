"""The order in which the words of a page are read: lines from top to bottom, columns one after the other."""

from collections.abc import Sequence

from pipeline.types import Word

_MIN_GUTTER = 8.0
_MIN_LINES = 6


def reading_order(words: Sequence[Word], width: float) -> list[Word]:
    """The words of a page (`width` points wide) in reading order: every word once, whole lines, whole columns."""
    return [word for line in lines_of(words) for word in line]


def lines_of(words: Sequence[Word]) -> list[list[Word]]:
    """The words gathered into lines, top to bottom; in a line, left to right.

    A word joins the line whose middle it covers, or that covers its middle.
    """
    lines: list[list[Word]] = []
    top = bottom = 0.0
    for word in sorted(words, key=lambda word: (word.box.y0 + word.box.y1) / 2):
        middle = (word.box.y0 + word.box.y1) / 2
        if lines and middle <= bottom and word.box.y0 <= (top + bottom) / 2:
            lines[-1].append(word)
        else:
            lines.append([word])
            top, bottom = word.box.y0, word.box.y1
    for line in lines:
        line.sort(key=lambda word: word.box.x0)
    return lines
