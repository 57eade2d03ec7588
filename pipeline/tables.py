"""Whether two blocks side by side are two tables, each to be read whole, or the two halves of one.

Either block must have a column of labels, most of them different, before its other cells. A label that ends in a colon
is a form's, which is read across. Their own captions, their own rows that do not stand level with each other's, or the
same headings over both speak for two tables, and are believed where a second thing does: another of these, a gutter
clearly wider than the gaps between cells, or figures at the end of the rows of both.
"""

from dataclasses import dataclass
from statistics import median

from pipeline.lines import Line, Segment

MIN_ROWS = 3
_MOST = 0.6
_WIDER = 1.5  # times the widest gap between cells
_ALIGNED = 3.0  # points


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of one side, and those of several cells among them."""

    lines: list[Line]
    rows: list[Line]

    @property
    def x0(self) -> float:
        return min(row[0].x0 for row in self.rows)

    @property
    def x1(self) -> float:
        return max(row[-1].x1 for row in self.rows)

    @property
    def is_captioned(self) -> bool:
        """Whether a line of one cell, at the left end of the rows or over their middle, is followed by a row."""
        if len(self.lines[0]) > 1 or len(self.lines[1]) < 2:
            return False
        caption = self.lines[0][0]
        off_middle = (caption.x0 + caption.x1 - self.x0 - self.x1) / 2
        return abs(caption.x0 - self.x0) <= _ALIGNED or abs(off_middle) <= _ALIGNED

    @property
    def headings(self) -> list[str]:
        """The words of the first row."""
        return [word.text for cell in self.rows[0] for word in cell.words]

    @property
    def ends_in_figures(self) -> bool:
        """Whether most rows end in a cell with a digit."""
        figures = sum(any(map(str.isdigit, row[-1].words[-1].text)) for row in self.rows)
        return figures >= _MOST * len(self.rows)

    @property
    def gap(self) -> float:
        """The widest stripe that stays empty through all rows, in points; 0 for none."""
        end, widest = self.x1, 0.0
        for cell in sorted((cell for row in self.rows for cell in row), key=lambda cell: -cell.x1):
            widest, end = max(widest, end - cell.x1), min(end, cell.x0)
        return widest

    def is_table(self) -> bool:
        """Whether most lines are rows of cells that begin with a label of their own, and not with a form's."""
        if len(self.rows) < max(MIN_ROWS, _MOST * len(self.lines)):
            return False
        labels = [" ".join(word.text for word in cell.words) for cell in self._labels()]
        return (
            sum(label[0].isalpha() for label in labels) >= _MOST * len(self.rows)
            and sum(label.endswith(":") for label in labels) <= 0.3 * len(labels)
            and len(set(labels)) >= _MOST * len(labels)
        )

    def _labels(self) -> list[Segment]:
        """The cells of the first column, as wide as the cells at the left end and those over or under them are."""
        end = self.x0
        for cell in sorted((cell for row in self.rows for cell in row), key=lambda cell: cell.x0):
            if cell.x0 > end:
                break
            end = max(end, cell.x1)
        return [row[0] for row in self.rows if row[0].x1 <= end < row[-1].x0]


def are_tables(left: list[Line], right: list[Line]) -> bool:
    """Whether the lines left and those right of a gutter are tables of their own."""
    if min(len(left), len(right)) < MIN_ROWS:
        return False
    one, other = _block(left), _block(right)
    if not (other.is_table() and one.is_table()):
        return False
    proofs = (
        one.is_captioned and other.is_captioned,
        share_level(one.rows, other.rows) < _MOST,
        one.headings == other.headings,
    )
    hints = (
        other.x0 - one.x1 >= _WIDER * max(one.gap, other.gap),
        one.ends_in_figures and other.ends_in_figures,
    )
    return any(proofs) and sum(proofs + hints) >= 2


def _block(lines: list[Line]) -> _Block:
    return _Block(lines, [line for line in lines if len(line) >= 2])


def share_level(left: list[Line], right: list[Line]) -> float:
    """Share of the lines on the side of a gutter with fewer of them that stand level with one across it."""
    fewer, more = sorted(([line[-1] for line in left], [line[0] for line in right]), key=len)
    reach = 0.3 * median(segment.y1 - segment.y0 for segment in more)
    return sum(any(abs(one.middle - other.middle) <= reach for other in more) for one in fewer) / len(fewer)
