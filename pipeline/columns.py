"""Where a page has columns: gutters, and whether what they part is running text or tables.

A gutter is a stripe that stays empty through many lines. It parts two columns of running text where the lines on
either side fill their width with several words. Where paragraph after paragraph begins level on both sides these are
the cells of a table, whose rows are read one after the other. A wide gutter, or one between prose and anything else,
counts only if most lines on one side are not level with lines on the other: level ones are labels and their values.
Rows of a table as wide as the page, through which the gutter runs by chance, end it; a title, a header or a footer that
stands well apart is left out. Where a gutter parts no text it may part two tables (`tables`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import inf
from statistics import median

from pipeline.lines import MIN_GAP, Line
from pipeline.tables import MIN_ROWS, are_tables, share_level

_MAX_GUTTER = 30.0
_MIN_LINES = 6
_MIN_TABLE_LINES = 4
_MIN_FILL = 0.7
_MIN_WORDS_PER_LINE = 3
_MOST = 0.6
_APART = 2.0  # times the height of a line
_MAX_GAPS = 24


@dataclass(frozen=True, slots=True)
class Gutter:
    """An empty stripe from x0 to x1 (points) through the lines start … stop - 1.

    cuts: the lines between them with which the next row of cells begins, where the text on both sides is that of cells.
    """

    start: int
    stop: int
    x0: float
    x1: float
    cuts: tuple[int, ...] = ()

    def sides(self, lines: list[Line]) -> tuple[list[Line], list[Line]]:
        """What stands left and what stands right of it, without empty lines."""
        inside = lines[self.start : self.stop]
        left = ([segment for segment in line if segment.x1 <= self.x0] for line in inside)
        right = ([segment for segment in line if segment.x1 > self.x0] for line in inside)
        return [line for line in left if line], [line for line in right if line]

    def rows(self) -> list["Gutter"]:
        """Its parts between the cuts."""
        edges = [self.start, *self.cuts, self.stop]
        return [replace(self, start=start, stop=stop, cuts=()) for start, stop in pairwise(edges)]


def find_gutter(lines: list[Line]) -> Gutter | None:
    """The longest gutter between two columns of text or two tables, the widest of several; None for no columns."""
    text, tables = _may_be_text(lines), _may_be_tables(lines)
    if not (text or tables):
        return None
    gutters = sorted(_gutters(lines), key=lambda gutter: (gutter.start - gutter.stop, gutter.x0 - gutter.x1))
    for gutter in gutters[:_MAX_GAPS]:
        if text and (found := _between_text(lines, gutter)):
            return found
        trimmed = _trimmed(lines, gutter)
        if tables and are_tables(*trimmed.sides(lines)):
            return trimmed
    return None


def _may_be_text(lines: list[Line]) -> bool:
    """A quick look that spares most pages the search: are there enough pieces of running text in half the width?"""
    segments = [segment for line in lines for segment in line]
    if len(segments) < 2 * _MIN_LINES:
        return False
    width = max(segment.x1 for segment in segments) - min(segment.x0 for segment in segments)
    pieces = sum(
        len(segment.words) >= _MIN_WORDS_PER_LINE and segment.x1 - segment.x0 <= 0.6 * width for segment in segments
    )
    return pieces >= 2 * _MIN_LINES


def _may_be_tables(lines: list[Line]) -> bool:
    """A quick look likewise: are there rows of two tables, on the same lines or on lines of their own?"""
    return sum(len(line) >= 4 for line in lines) >= MIN_ROWS or sum(len(line) >= 2 for line in lines) >= 2 * MIN_ROWS


def _gutters(lines: list[Line]) -> list[Gutter]:
    """Every stripe that stays empty through some lines and has text on both its sides, as far down as it goes."""
    found: list[Gutter] = []
    open_gaps: dict[tuple[float, float], int] = {}
    for index, line in enumerate([*lines, []]):
        gaps = _gaps(line)
        still_open: dict[tuple[float, float], int] = {}
        for (x0, x1), start in open_gaps.items():
            narrowed = [(max(x0, gap[0]), min(x1, gap[1])) for gap in gaps]
            narrowed = [gap for gap in narrowed if gap[1] - gap[0] >= MIN_GAP]
            for gap in narrowed:
                still_open[gap] = min(start, still_open.get(gap, index))
            if (x0, x1) not in narrowed and index - start >= _MIN_TABLE_LINES and -inf < x0 and x1 < inf:
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
        if segment.x0 - end >= MIN_GAP:
            gaps.append((end, segment.x0))
        end = max(end, segment.x1)
    return [*gaps, (end, inf)] if line else []


def _between_text(lines: list[Line], gutter: Gutter) -> Gutter | None:
    """The part of the gutter, with its cuts, that has running text on both sides."""
    for piece in _pieces(lines, gutter):
        whole = _checked(lines, piece)
        if whole and whole.cuts:
            return whole
        trimmed = _trimmed(lines, piece)
        if found := whole if trimmed == piece else _checked(lines, trimmed):
            return found
    return None


def _pieces(lines: list[Line], gutter: Gutter) -> Iterator[Gutter]:
    """The gutter without the rows of a table over the whole width whose cells leave it empty by chance."""
    start = gutter.start
    for is_row, indices in groupby(range(gutter.start, gutter.stop), key=lambda index: _is_row(lines[index])):
        run = list(indices)
        rows = replace(gutter, start=run[0], stop=run[-1] + 1)
        if is_row and len(run) >= MIN_ROWS and not are_tables(*rows.sides(lines)):
            yield replace(gutter, start=start, stop=rows.start)
            start = rows.stop
    yield replace(gutter, start=start)


def _is_row(line: Line) -> bool:
    """Whether a line is made of cells of few words that leave much of it empty."""
    if len(line) < 3 or any(len(segment.words) > _MIN_WORDS_PER_LINE for segment in line):
        return False
    return sum(segment.x1 - segment.x0 for segment in line) < 0.6 * abs(line[-1].x1 - line[0].x0)


def _trimmed(lines: list[Line], gutter: Gutter) -> Gutter:
    """The gutter without a line or two at either end that stand apart: a title, a footer, a heading of what follows."""
    start, stop = gutter.start, gutter.stop
    above = [index for index in (start + 1, start + 2) if index < stop and _is_apart(*lines[index - 1 : index + 1])]
    below = [index for index in (stop - 2, stop - 1) if index > start and _is_apart(*lines[index - 1 : index + 1])]
    start, stop = max(above, default=start), min(below, default=stop)
    return replace(gutter, start=start, stop=stop) if start < stop else gutter


def _is_apart(one: Line, other: Line) -> bool:
    """Whether there is a blank of twice their height between two lines."""
    top, bottom = max(segment.y1 for segment in one), min(segment.y0 for segment in other)
    return bottom - top >= _APART * min(segment.y1 - segment.y0 for segment in (*one, *other))


def _checked(lines: list[Line], gutter: Gutter) -> Gutter | None:
    """The gutter, with its cuts, where there is text side by side left and right of it, not a table or a form."""
    if gutter.stop - gutter.start < _MIN_LINES:
        return None
    left, right = gutter.sides(lines)
    if min(len(left), len(right)) < _MIN_TABLE_LINES:
        return None
    text = [_is_running_text(side) for side in (left, right)]
    if not any(text) or not _overlap(left, right):
        return None
    if all(text) and (cuts := _cuts(lines, gutter, left, right)):
        return replace(gutter, cuts=cuts)
    if all(text) and gutter.x1 - gutter.x0 <= _MAX_GUTTER:
        return gutter
    pitches = sorted(map(_pitch, (left, right)))
    prose = any(is_text and _is_prose(side) for is_text, side in zip(text, (left, right), strict=True))
    return gutter if prose and pitches[1] <= 1.5 * pitches[0] and share_level(left, right) < 0.5 else None


def _overlap(left: list[Line], right: list[Line]) -> bool:
    """Whether one side stands beside the other for at least half its height."""
    tops = [side[0][0].y0 for side in (left, right)]
    bottoms = [side[-1][0].y1 for side in (left, right)]
    height = min(bottom - top for top, bottom in zip(tops, bottoms, strict=True))
    return min(bottoms) - max(tops) >= 0.5 * height


def _is_prose(lines: list[Line]) -> bool:
    """Whether the pieces of running text are no cells of a few words."""
    return median(len(segment.words) for line in lines for segment in line) > _MIN_WORDS_PER_LINE


def _pitch(lines: list[Line]) -> float:
    """From one line to the next, in points, for most lines."""
    return median(two[0].middle - one[0].middle for one, two in pairwise(lines))


def _is_running_text(lines: list[Line]) -> bool:
    """Whether most lines fill the width they have and hold several words."""
    if len(lines) < _MIN_LINES:
        return False
    words = median([sum([len(segment.words) for segment in line]) for line in lines])
    if words < _MIN_WORDS_PER_LINE:
        return False
    segments = [segment for line in lines for segment in line]
    width = max(segment.x1 for segment in segments) - min(segment.x0 for segment in segments)
    return median([sum([segment.x1 - segment.x0 for segment in line]) for line in lines]) >= _MIN_FILL * width


def _cuts(lines: list[Line], gutter: Gutter, left: list[Line], right: list[Line]) -> tuple[int, ...]:
    """The lines with which another row of cells begins: where one side begins anew below a blank, so does the other."""
    begins = [_begins_anew(side) for side in (left, right)]
    reach = 0.5 * _height(left)
    level = [one for one in begins[0] if any(abs(one - other) <= reach for other in begins[1])]
    if len(level) < 2 or len(level) < _MOST * max(map(len, begins)):
        return ()
    firsts = range(gutter.start + 1, gutter.stop)
    return tuple(index for index in firsts if any(abs(lines[index][0].middle - one) <= reach for one in level))


def _begins_anew(lines: list[Line]) -> list[float]:
    """The middles of the lines that stand further below the last one than lines of one paragraph do."""
    steps = [(two[0].middle - one[0].middle, two[0].middle) for one, two in pairwise(lines)]
    pitch = min(sorted(steps)[len(steps) // 4][0], 2.0 * _height(lines))
    return [middle for step, middle in steps if step > 1.4 * pitch]


def _height(lines: list[Line]) -> float:
    return median(line[0].y1 - line[0].y0 for line in lines)
