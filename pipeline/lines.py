"""Words → segments → lines: what stands next to each other on a page, and what stands level."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.types import Word

MIN_GAP = 8.0  # points between two words that do not follow each other
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


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
    """The segments on lines, top to bottom; on a line left to right, or right to left where its script runs so.

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
    for line in lines:
        line.sort(key=lambda segment: segment.x0, reverse=_runs_left(line))
    return lines


def _is_over(one: Segment, other: Segment) -> bool:
    """Whether two segments share so much of the width that they cannot be on one line."""
    overlap = min(one.x1, other.x1) - max(one.x0, other.x0)
    return overlap > 0.5 * min(one.x1 - one.x0, other.x1 - other.x0)


def _runs_left(line: Line) -> bool:
    """Whether most of the line's words are of a script written from right to left."""
    words = [word.text for segment in line for word in segment.words]
    return sum(_RIGHT_TO_LEFT.search(text) is not None for text in words) > 0.5 * len(words)
