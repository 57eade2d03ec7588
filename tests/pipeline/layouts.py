"""Pages in the layouts that business documents come in, each with the order in which a person reads it.

A layout is what is drawn, where, and `expected`, written by hand: the texts of the page from first to last.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from random import Random

from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tests.pipeline.writing import LETTER, pdf_canvas

FONT = "Times-Roman"


@dataclass(frozen=True)
class Piece:
    """A text on one line, its left end and its baseline in points from the top left."""

    x: float
    y: float
    text: str
    size: float

    def draw(self, canvas: Canvas) -> None:
        canvas.setFont(FONT, self.size)
        canvas.drawString(self.x, LETTER[1] - self.y, self.text)

    def words(self) -> list["Piece"]:
        """Its words one by one, where they stand."""
        found, before = [], ""
        for word in self.text.split():
            found.append(Piece(self.x + stringWidth(before, FONT, self.size), self.y, word, self.size))
            before += word + " "
        return found


@dataclass
class Layout:
    """What is drawn on a page so far."""

    expected: Sequence[str] = ()
    pieces: list[Piece] = field(default_factory=list)

    def at(self, x: float, y: float, text: str, size: float = 10.0) -> None:
        self.pieces.append(Piece(x, y, text, size))

    def to(self, x: float, y: float, text: str, size: float = 10.0) -> None:
        """A text that ends at x."""
        self.at(x - stringWidth(text, FONT, size), y, text, size)

    def prose(self, x: float, y: float, text: str, width: float, size: float = 10.0) -> None:
        """A paragraph, a line every 1.2 times the size."""
        for index, line in enumerate(simpleSplit(text, FONT, size, width)):
            self.at(x, y + 1.2 * size * index, line, size)

    def rows(self, columns: Sequence[float], y: float, rows: Sequence[str], pitch: float = 14.0) -> None:
        """Rows of a table, "a | b | c"; a column whose x is negative is set flush right at -x."""
        for index, row in enumerate(rows):
            for x, text in zip(columns, row.split(" | "), strict=True):
                (self.to if x < 0 else self.at)(abs(x), y + pitch * index, text)


def as_drawn(pieces: list[Piece]) -> list[Piece]:
    return pieces


def line_by_line(pieces: list[Piece]) -> list[Piece]:
    return sorted(pieces, key=lambda piece: (piece.y, piece.x))


def shuffled(pieces: list[Piece]) -> list[Piece]:
    return Random(8).sample(pieces, len(pieces))


def word_by_word(pieces: list[Piece]) -> list[Piece]:
    return shuffled([word for piece in pieces for word in piece.words()])


CONTENT_ORDERS: tuple[Callable[[list[Piece]], list[Piece]], ...] = (as_drawn, line_by_line, shuffled, word_by_word)


def page_of(layout: Layout, order: Callable[[list[Piece]], list[Piece]]) -> bytes:
    """The layout as a PDF of one page, its texts written in that order."""
    target = BytesIO()
    canvas = pdf_canvas(target)
    for piece in order(layout.pieces):
        piece.draw(canvas)
    canvas.save()
    return target.getvalue()


TENANT = (
    "The tenant shall keep the premises in good repair and shall not make any alteration to the structure without the "
    "written consent of the landlord, which shall not be withheld without a good reason. All fixtures that are put up "
    "by the tenant at its own cost remain its property and may be taken away at the end of the lease, as long as any "
    "damage done by taking them away is made good within thirty days of the day on which the keys are handed back."
)
LANDLORD = (
    "Rent falls due on the first day of every month and is paid in advance by transfer to the account named in the "
    "second schedule. Where a payment is late by more than ten days the landlord may ask for interest at the rate of "
    "six percent a year from the day on which it fell due. The deposit is held in a separate account, and is paid back "
    "with the interest it has earned, less the cost of any repair which the tenant should have carried out itself."
)
NOTICE = (
    "Any notice under this lease is given in writing and takes effect on the third day after it was posted. A notice "
    "sent by electronic mail takes effect once its receipt has been confirmed by the person to whom it was sent. "
    "Either party may change its address by telling the other, and until then the last one known is good."
)
COSTS = (
    "The costs of drawing up this lease are shared. Each party bears the fees of its own advisers. Taxes and duties "
    "that are charged on the lease itself are borne by the tenant, who shall pay them when they are asked for and "
    "shall keep the landlord free of any claim that arises because they were paid late or were not paid at all."
)


def two_columns() -> Layout:
    title, note = "Standard Terms of Lease for Business Premises", "These terms were adopted by the council in May."
    page = Layout((title, TENANT, NOTICE, LANDLORD, COSTS, note))
    page.at(150, 80, title, 16)
    page.prose(60, 120, TENANT, 235)
    page.prose(60, 330, NOTICE, 235)
    page.prose(315, 120, LANDLORD, 235)
    page.prose(315, 330, COSTS, 235)
    page.at(60, 700, note, 8)
    return page


def three_columns() -> Layout:
    page = Layout(("Conditions of Sale", TENANT, LANDLORD, NOTICE))
    page.at(240, 80, "Conditions of Sale", 14)
    for x, text in ((396, NOTICE), (54, TENANT), (225, LANDLORD)):
        page.prose(x, 110, text, 155, 9)
    return page


def table_between_columns() -> Layout:
    """The table takes the whole width, and the gap between two of its columns lies on the gutter."""
    table = (
        "Storey | Area | Rent | Service charge",
        "Ground floor | 410 | 9,200 | 1,150",
        "First floor | 395 | 7,400 | 1,080",
        "Second floor | 395 | 7,100 | 1,080",
        "Roof terrace | 60 | 400 | 90",
    )
    page = Layout((TENANT, LANDLORD, *table, NOTICE, COSTS))
    page.prose(60, 80, TENANT, 235)
    page.prose(315, 80, LANDLORD, 235)
    page.rows((60, -280, -420, -545), 290, table)
    page.prose(60, 390, NOTICE, 235)
    page.prose(315, 390, COSTS, 235)
    return page


def captioned_tables() -> Layout:
    left = ("Region | Sales", "North | 1,204", "South | 987", "East | 1,310", "West | 702", "All regions | 4,203")
    right = ("Product | Units", "Chairs | 310", "Tables | 88", "Lamps | 1,020", "Shelves | 415", "All products | 1,833")
    intro = "The two tables below show how the year went, by region on the left and by product on the right."
    after = "Figures are in thousands and have not been audited. They may change until the report is published."
    page = Layout((intro, "Table 1. By region", *left, "Table 2. By product", *right, after))
    page.at(60, 90, intro)
    page.at(60, 120, "Table 1. By region")
    page.at(330, 120, "Table 2. By product")
    page.rows((60, -260), 140, left)
    page.rows((330, -530), 140, right)
    page.at(60, 260, after)
    return page


def tables_of_unlike_rows() -> Layout:
    """No captions; the rows of one table stand between those of the other."""
    left = ("Clerk | 12 | 31,000", "Driver | 4 | 29,500", "Foreman | 2 | 41,200", "Engineer | 3 | 52,000")
    right = ("January | 14 | 2.1", "February | 17 | 2.6", "March | 11 | 1.7", "April | 9 | 1.4", "May | 13 | 2.0")
    page = Layout(("Staff and days of absence", *left, *right))
    page.at(220, 90, "Staff and days of absence", 14)
    page.rows((60, -180, -260), 130, left, 22)
    page.rows((340, -440, -500), 130, right, 15)
    return page


def balance_sheet() -> Layout:
    left = (
        "Cash | 1,200",
        "Receivables | 3,450",
        "Inventories | 2,980",
        "Land and buildings | 8,400",
        "Total | 16,030",
    )
    right = ("Payables | 2,310", "Loans | 5,600", "Provisions | 720", "Share capital | 7,400", "Total | 16,030")
    page = Layout(("Balance sheet at 31 December", "Assets", *left, "Liabilities and equity", *right))
    page.at(210, 90, "Balance sheet at 31 December", 14)
    page.at(60, 125, "Assets")
    page.at(325, 125, "Liabilities and equity")
    page.rows((60, -290), 145, left)
    page.rows((325, -550), 145, right)
    return page
