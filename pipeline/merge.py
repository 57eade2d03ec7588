"""The order in which the words of a page are read: lines from top to bottom, columns one after the other.

A text layer comes in content order, which is the author's order or any other. Words that follow each other on a line
are kept together as segments, and segments are put on lines by height (`lines`). Where a clear gutter runs through many
lines, and what stands left and right of it is running text or two tables (`columns`), all that is left of it is read
before what is right of it; so is the text above the gutter, beside it and below it, for its own part. Everything else,
tables and forms among it, is read line by line.
"""

from collections.abc import Iterable, Iterator, Sequence

from pipeline.columns import Gutter, find_gutter
from pipeline.lines import Line, Segment, lines_of, segments_of
from pipeline.types import Word

_MAX_SEGMENTS = 2_000
_MAX_DEPTH = 6


def reading_order(words: Sequence[Word]) -> list[Word]:
    """The words of a page that run across it, given in content order, in reading order: every word once."""
    return [word for segment in _order(segments_of(words)) for word in segment.words]


def _order(segments: list[Segment], depth: int = 0) -> list[Segment]:
    """Segments in reading order; the text on any side of a gutter may have columns of its own."""
    lines = lines_of(segments)
    gutter = find_gutter(lines) if depth < _MAX_DEPTH and len(segments) <= _MAX_SEGMENTS else None
    if gutter is None:
        return _flat(lines)
    return [segment for part in _parts(lines, gutter) for segment in _order(part, depth + 1)]


def _parts(lines: list[Line], gutter: Gutter) -> Iterator[list[Segment]]:
    """What stands above the gutter, left of it, right of it and below it; left and right by rows, where it has any."""
    yield _flat(lines[: gutter.start])
    for row in gutter.rows():
        yield from map(_flat, row.sides(lines))
    yield _flat(lines[gutter.stop :])


def _flat(lines: Iterable[Line]) -> list[Segment]:
    return [segment for line in lines for segment in line]
