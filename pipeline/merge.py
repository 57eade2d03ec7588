"""The order in which the words of a page are read: lines from top to bottom, columns one after the other.

A text layer comes in content order, which is the author's order or any other. Words that follow each other on a line
are kept together as segments; segments are put on lines by height, and where a clear gutter runs through many lines of
running text the lines left of it are read before those right of it. Tables are read row by row.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from statistics import median

from pipeline.types import Word

_MIN_GUTTER = 8.0
_MAX_GUTTER = 30.0
_MIN_LINES = 6
_MIN_FILL = 0.7
_MIN_WORDS_PER_LINE = 3
_MAX_SEGMENTS = 2_000
_MAX_GAPS = 24
_MAX_DEPTH = 4
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
        return level and -2.0 <= box.x0 - last.x1 < _MIN_GUTTER

    def add(self, word: Word) -> None:
        """Put the word at the end."""
        self.words.append(word)
        box = word.box
        self.x0, self.y0 = min(self.x0, box.x0), min(self.y0, box.y0)
        self.x1, self.y1 = max(self.x1, box.x1), max(self.y1, box.y1)


Line = list[Segment]


@dataclass(frozen=True, slots=True)
class Gutter:
    """An empty stripe from x0 to x1 (points) through the lines start … stop - 1."""

    start: int
    stop: int
    x0: float
    x1: float


def reading_order(words: Sequence[Word]) -> list[Word]:
    """The words of a page that run across it, given in content order, in reading order: every word once."""
    segments = _segments(words)
    if 2 * len(segments) > len(words):
        # Written word by word in no order: what stands side by side is only seen on lines.
        segments = _segments([word for line in _lines(segments) for segment in line for word in segment.words])
    return [word for segment in _order(segments) for word in segment.words]


def _segments(words: Sequence[Word]) -> list[Segment]:
    segments: list[Segment] = []
    for word in words:
        if segments and segments[-1].follows_on(word):
            segments[-1].add(word)
        else:
            segments.append(Segment([word], *word.box))
    return segments


def _order(segments: list[Segment], depth: int = 0) -> list[Segment]:
    """Segments in reading order; the text on either side of a gutter may have columns of its own."""
    lines = _lines(segments)
    gutter = _columns(lines) if depth < _MAX_DEPTH and _may_have_columns(segments) else None
    if gutter is None:
        return [segment for line in lines for segment in line]
    before, inside, after = (
        [segment for line in part for segment in line]
        for part in (lines[: gutter.start], lines[gutter.start : gutter.stop], lines[gutter.stop :])
    )
    left = [segment for segment in inside if segment.x1 <= gutter.x0]
    right = [segment for segment in inside if segment.x1 > gutter.x0]
    return before + _order(left, depth + 1) + _order(right, depth + 1) + _order(after, depth + 1)


def _lines(segments: list[Segment]) -> list[Line]:
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


def _may_have_columns(segments: list[Segment]) -> bool:
    """A quick look that spares most pages the search: are there enough pieces of running text in half the width?"""
    if not 2 * _MIN_LINES <= len(segments) <= _MAX_SEGMENTS:
        return False
    width = max(segment.x1 for segment in segments) - min(segment.x0 for segment in segments)
    pieces = sum(
        len(segment.words) >= _MIN_WORDS_PER_LINE and segment.x1 - segment.x0 <= 0.6 * width for segment in segments
    )
    return pieces >= 2 * _MIN_LINES


def _columns(lines: list[Line]) -> Gutter | None:
    """The longest gutter between two columns of running text."""
    gutters = sorted(_gutters(lines), key=lambda gutter: gutter.start - gutter.stop)
    return next((gutter for gutter in gutters[:_MAX_GAPS] if _parts_running_text(lines, gutter)), None)


def _gutters(lines: list[Line]) -> list[Gutter]:
    """Every stripe that stays empty through some lines and has text on both its sides, as far down as it goes."""
    found: list[Gutter] = []
    open_gaps: dict[tuple[float, float], int] = {}
    for index, line in enumerate([*lines, []]):
        gaps = _gaps(line)
        still_open: dict[tuple[float, float], int] = {}
        for (x0, x1), start in open_gaps.items():
            narrowed = [(max(x0, gap[0]), min(x1, gap[1])) for gap in gaps]
            narrowed = [gap for gap in narrowed if gap[1] - gap[0] >= _MIN_GUTTER]
            for gap in narrowed:
                still_open[gap] = min(start, still_open.get(gap, index))
            if (x0, x1) not in narrowed and index - start >= _MIN_LINES and -inf < x0 and x1 < inf:
                found.append(Gutter(start, index, x0, x1))
        for gap in gaps:
            still_open.setdefault(gap, index)
        open_gaps = dict(sorted(still_open.items(), key=lambda item: item[1])[:_MAX_GAPS])
    return found


def _gaps(line: Line) -> list[tuple[float, float]]:
    """The empty intervals of a line, the margins included; none for no line."""
    gaps: list[tuple[float, float]] = []
    end = -inf
    for segment in sorted(line, key=lambda segment: segment.x0):
        if segment.x0 - end >= _MIN_GUTTER:
            gaps.append((end, segment.x0))
        end = max(end, segment.x1)
    return [*gaps, (end, inf)] if line else []


def _parts_running_text(lines: list[Line], gutter: Gutter) -> bool:
    """Whether there is running text side by side left and right of the gutter, not a table or a form."""
    if gutter.x1 - gutter.x0 > _MAX_GUTTER:
        return False
    inside = [segment for line in lines[gutter.start : gutter.stop] for segment in line]
    left = [segment for segment in inside if segment.x1 <= gutter.x0]
    right = [segment for segment in inside if segment.x1 > gutter.x0]
    if not (_is_running_text(left) and _is_running_text(right)):
        return False
    top = max(min(segment.y0 for segment in side) for side in (left, right))
    bottom = min(max(segment.y1 for segment in side) for side in (left, right))
    height = min(max(part.y1 for part in side) - min(part.y0 for part in side) for side in (left, right))
    return bottom - top >= 0.5 * height


def _is_running_text(segments: list[Segment]) -> bool:
    """Whether most lines fill the width they have and hold several words."""
    lines = _lines(segments)
    if len(lines) < _MIN_LINES:
        return False
    width = max(segment.x1 for segment in segments) - min(segment.x0 for segment in segments)
    fill = median(sum(segment.x1 - segment.x0 for segment in line) for line in lines)
    words = median(sum(len(segment.words) for segment in line) for line in lines)
    return words >= _MIN_WORDS_PER_LINE and fill >= _MIN_FILL * width
