"""Words → segments → lines: what stands next to each other on a page, and what stands level."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.text import RIGHT_TO_LEFT
from pipeline.types import Word

MIN_GAP = 8.0  # points between two words that do not follow each other
# Of the directions of words (`_direction`): names and the figures beside them; figures alone run with the line.
_TO_THE_RIGHT = re.compile("(?=[^<]*>)[0>](?:[^<]*[0>])?")
_TO_THE_LEFT = re.compile("<(?:[^>]*<)?")


@dataclass(slots=True)
class Segment:
    """Words that follow each other on one line without a wide gap, and the box around them in points."""

    words: list[Word]
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def middle(self) -> float:
        """Half its height."""
        return (self.y0 + self.y1) / 2

    def follows_on(self, word: Word) -> bool:
        """Whether the word is the next one of this segment."""
        last, box = self.words[-1].box, word.box
        overlap = min(last.y1, box.y1) - max(last.y0, box.y0)
        level = overlap >= 0.4 * min(last.y1 - last.y0, box.y1 - box.y0)
        return level and -2.0 <= box.x0 - last.x1 < MIN_GAP

    def add(self, word: Word) -> None:
        """Put the word at the end."""
        self.words.append(word)
        box = word.box
        self.x0, self.y0 = min(self.x0, box.x0), min(self.y0, box.y0)
        self.x1, self.y1 = max(self.x1, box.x1), max(self.y1, box.y1)


Line = list[Segment]


def segments_of(words: Sequence[Word]) -> list[Segment]:
    """The words, given in content order, in segments."""
    segments = _joined(words)
    if 2 * len(segments) > len(words):
        # Written word by word in no order: what stands side by side is only seen on lines.
        segments = _joined(word for line in lines_of(segments) for segment in line for word in segment.words)
    return segments


def _joined(words: Iterable[Word]) -> list[Segment]:
    segments: list[Segment] = []
    for word in words:
        if segments and segments[-1].follows_on(word):
            segments[-1].add(word)
        else:
            segments.append(Segment([word], *word.box))
    return segments


def lines_of(segments: list[Segment]) -> list[Line]:
    """The segments on lines, top to bottom; on a line as they are read, words that run to the left each by itself.

    A segment is on the line it overlaps by half its height, unless it would stand over another segment of it.
    """
    lines: list[Line] = []
    top = bottom = 0.0
    for segment in sorted(segments, key=lambda segment: segment.middle):
        overlap = min(bottom, segment.y1) - max(top, segment.y0)
        level = overlap >= 0.5 * min(bottom - top, segment.y1 - segment.y0)
        if lines and level and not any(_is_over(segment, other) for other in lines[-1]):
            lines[-1].append(segment)
        else:
            lines.append([segment])
            top, bottom = segment.y0, segment.y1
    return [_as_read(line) for line in lines]


def _is_over(one: Segment, other: Segment) -> bool:
    """Whether two segments share so much of the width that they cannot be on one line."""
    overlap = min(one.x1, other.x1) - max(one.x0, other.x0)
    return overlap > 0.5 * min(one.x1 - one.x0, other.x1 - other.x0)


def _as_read(line: Line) -> Line:
    """The segments of a line from left to right; where it has words that run to the left, its words as they are read.

    That is in the direction of most words with letters. Words side by side that run the other way, as a name in Latin
    letters in a Hebrew sentence, are read their own way.
    """
    words = [word for segment in line for word in segment.words]
    to_left = sum(RIGHT_TO_LEFT.search(word.text) is not None for word in words)
    if not to_left:
        return sorted(line, key=lambda segment: segment.x0)
    runs_left = 2 * to_left > sum(any(map(str.isalpha, word.text)) for word in words)
    words.sort(key=lambda word: word.box.x0, reverse=runs_left)
    read: list[Word] = []
    for piece in _side_by_side(words):
        directions = "".join(_direction(word.text) for word in piece)
        for run in (_TO_THE_RIGHT if runs_left else _TO_THE_LEFT).finditer(directions):
            piece[slice(*run.span())] = piece[slice(*run.span())][::-1]
        read += piece
    return [Segment([word], *word.box) for word in read]


def _side_by_side(words: list[Word]) -> Iterator[list[Word]]:
    """The words of a line in pieces between which there is a wide gap, as between the cells of a table."""
    piece: list[Word] = []
    for word in words:
        if piece and max(word.box.x0, piece[-1].box.x0) - min(word.box.x1, piece[-1].box.x1) >= MIN_GAP:
            yield piece
            piece = []
        piece.append(word)
    yield piece


def _direction(text: str) -> str:
    """Which way its letters run, < or >; 0 for figures and - for marks, which follow what stands beside them."""
    if RIGHT_TO_LEFT.search(text):
        return "<"
    return ">" if any(map(str.isalpha, text)) else "0" if any(map(str.isdigit, text)) else "-"
