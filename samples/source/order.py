"""A two-page order for broadcast advertising, in the manner of the traffic systems of television stations."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import LETTER, landscape
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from samples.source.fonts import family

WIDTH, HEIGHT = landscape(LETTER)
LEFT, RIGHT = 36.0, WIDTH - 36.0
WEEKS = ("09/19/22", "09/26/22", "10/03/22")
COMMISSION = 0.15


@dataclass(frozen=True)
class Line:
    """One line of an order: a programme, when it runs, the rate of a spot in dollars, the spots of each week."""

    days: str
    time: str
    program: str
    rate: int
    spots: tuple[int, int, int]

    @property
    def amount(self) -> int:
        """What the line costs, in dollars."""
        return self.rate * sum(self.spots)


LINES = (
    Line("M-F", "5a-6a", "Channel 8 Sunrise Report", 85, (5, 5, 3)),
    Line("M-F", "6a-7a", "Channel 8 Morning News", 140, (5, 5, 5)),
    Line("M-F", "7a-9a", "Good Day Tri-Counties", 165, (4, 4, 4)),
    Line("M-F", "9a-10a", "The Kitchen Table", 95, (2, 3, 3)),
    Line("M-F", "12n-12:30p", "News at Noon", 110, (5, 5, 5)),
    Line("M-F", "3p-4p", "Court in Session", 70, (3, 3, 3)),
    Line("M-F", "4p-5p", "Quiz Masters", 90, (3, 3, 3)),
    Line("M-F", "5p-5:30p", "Live at Five", 260, (5, 5, 5)),
    Line("M-F", "6p-6:30p", "Channel 8 Evening News", 395, (5, 5, 5)),
    Line("M-F", "6:30p-7p", "National News Tonight", 410, (2, 3, 3)),
    Line("M-F", "7p-7:30p", "Word Wheel", 375, (3, 3, 3)),
    Line("M-F", "7:30p-8p", "Answers, Please", 390, (2, 2, 3)),
    Line("Tu", "8p-9p", "Harbor Rescue", 820, (1, 1, 1)),
    Line("Th", "9p-10p", "The Assessor", 760, (1, 1, 1)),
    Line("M-F", "11p-11:35p", "Channel 8 News Late Edition", 285, (5, 5, 5)),
    Line("M-F", "11:35p-12:35a", "Late with Lonnie", 105, (2, 2, 2)),
    Line("Sa", "7a-9a", "Saturday Morning News", 120, (1, 1, 1)),
    Line("Sa", "6p-6:30p", "Weekend Evening News", 240, (1, 1, 1)),
    Line("Su", "8a-9a", "Sunday Conversation", 150, (1, 1, 1)),
    Line("Su", "7p-8p", "Sixty Stories", 890, (1, 1, 1)),
    Line("Su", "11p-11:35p", "Sunday Late News", 190, (1, 1, 1)),
)

STATION = ("WQXL-TV  Channel 8", "Tri-Counties Television, LLC", "1400 Transmitter Road, Pell Harbor", "(555) 014-0800")

DETAILS = (
    (("Contract #:", "4417286"), ("Agency:", "Pemberly Media Strategies"), ("Advertiser:", "Friends of Dana Whitlow")),
    (
        ("Revision:", "Original order"),
        ("", "22 Calloway Street, 4th Floor"),
        ("Product:", "Candidate for County Executive"),
    ),
    (("Flight dates:", "09/20/22 - 10/09/22"), ("", "Pell Harbor"), ("Estimate #:", "2031")),
    (("Order date:", "09/13/22"), ("Buyer:", "Theo Marchetti"), ("Class:", "Political / lowest unit rate")),
    (("Station:", "WQXL"), ("Agency order #:", "PMS-90755"), ("Demographic:", "Adults 35+")),
    (("Market:", "Tri-Counties"), ("Commission:", "15%"), ("Separation:", "30 minutes")),
    (
        ("Account executive:", "Lorna Biddulph"),
        ("Billing:", "Broadcast month, end of month"),
        ("Revenue code:", "Political"),
    ),
)

TERMS = (
    "Spots are placed at the lowest unit charge of the station for the class and amount of time, as the rules on "
    "political candidates require. Sponsorship identification must be heard and seen in every spot.",
    "Payment is due in advance of broadcast. Copy and instructions must be received two working days before the first "
    "spot. Spots that are preempted are made good within the flight or credited.",
    "The station does not discriminate in the sale of advertising time and accepts no advertising that is placed with "
    "an intent to discriminate on the basis of race or ethnicity.",
)


def money(dollars: float) -> str:
    """An amount as it is printed: "$1,234.00"."""
    return f"${dollars:,.2f}"


def total() -> int:
    """The gross amount of the order, in dollars."""
    return sum(line.amount for line in LINES)


def write(path: Path) -> None:
    """Writes the order; it gives the same bytes every time."""
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), invariant=1)
    canvas.setTitle("Broadcast advertising order 4417286")
    first, second = LINES[:17], LINES[17:]
    top = draw_details(canvas, draw_head(canvas, 1))
    draw_table(canvas, spot_rows(first, 1), top - 12)
    canvas.showPage()
    top = draw_table(canvas, [*spot_rows(second, len(first) + 1), total_row()], draw_head(canvas, 2) - 14)
    draw_table(canvas, month_rows(), top - 30, widths=[130, 60, 100, 110, 100])
    draw_terms(canvas, 150)
    canvas.showPage()
    canvas.save()


def draw_head(canvas: Canvas, page: int) -> float:
    """The station, the title and the page; returns where the head ends, in points from the bottom."""
    name = family("LiberationSans")
    canvas.setFillColor(colors.HexColor("#1f3d6b"))
    canvas.roundRect(LEFT, HEIGHT - 80, 48, 44, 6, fill=1, stroke=0)
    canvas.setFillColor(colors.white)
    canvas.setFont(f"{name}-Bold", 30)
    canvas.drawCentredString(LEFT + 24, HEIGHT - 69, "8")
    canvas.setFillColor(colors.black)
    for row, text in enumerate(STATION):
        canvas.setFont(f"{name}-{'Regular' if row else 'Bold'}", 8.5 if row else 11)
        canvas.drawString(LEFT + 58, HEIGHT - 46 - 11 * row, text)
    canvas.setFont(f"{name}-Bold", 16)
    canvas.drawCentredString(WIDTH / 2, HEIGHT - 52, "ADVERTISING ORDER")
    canvas.setFont(f"{name}-Regular", 8)
    canvas.drawRightString(RIGHT, HEIGHT - 44, f"Page {page} of 2")
    canvas.drawRightString(RIGHT, HEIGHT - 56, "Printed 09/13/22 at 3:42 PM")
    if page > 1:
        canvas.drawRightString(RIGHT, HEIGHT - 68, "Contract # 4417286   Friends of Dana Whitlow")
    canvas.line(LEFT, HEIGHT - 88, RIGHT, HEIGHT - 88)
    return float(HEIGHT - 88)


def draw_details(canvas: Canvas, top: float) -> float:
    """Three columns of labels and values below the head; returns where they end."""
    name = family("LiberationSans")
    for row, triple in enumerate(DETAILS):
        for column, (label, value) in enumerate(triple):
            x, y = LEFT + 4 + 240 * column, top - 15 - 12.5 * row
            canvas.setFont(f"{name}-Bold", 8)
            canvas.drawRightString(x + 76, y, label)
            canvas.setFont(f"{name}-Regular", 8.5)
            canvas.drawString(x + 82, y, value)
    return top - 15 - 12.5 * len(DETAILS)


def spot_rows(lines: tuple[Line, ...], number: int) -> list[list[str]]:
    """The header and a row a line, numbered from `number`."""
    header = ["#", "Ch", "Days", "Time", "Program", "Len", "Rate", *WEEKS, "Spots", "Amount"]
    rows = [
        [
            str(number + row),
            "8",
            line.days,
            line.time,
            line.program,
            ":30",
            money(line.rate),
            *(str(week) for week in line.spots),
            str(sum(line.spots)),
            money(line.amount),
        ]
        for row, line in enumerate(lines)
    ]
    return [header, *rows]


def total_row() -> list[str]:
    """The row below the last line."""
    weeks = [str(sum(line.spots[week] for line in LINES)) for week in range(len(WEEKS))]
    return ["", "", "", "", "Totals", "", "", *weeks, str(sum(sum(line.spots) for line in LINES)), money(total())]


def month_rows() -> list[list[str]]:
    """The order by broadcast month: the first week falls in September, the others in October."""
    spots: Counter[str] = Counter()
    gross: Counter[str] = Counter()
    for line in LINES:
        for month, count in (("September 2022", line.spots[0]), ("October 2022", sum(line.spots[1:]))):
            spots[month] += count
            gross[month] += count * line.rate
    spots["Order total"], gross["Order total"] = spots.total(), gross.total()
    rows = [
        [
            month,
            str(spots[month]),
            money(gross[month]),
            money(COMMISSION * gross[month]),
            money((1 - COMMISSION) * gross[month]),
        ]
        for month in gross
    ]
    return [["Broadcast month", "Spots", "Gross amount", "Agency commission", "Net amount"], *rows]


def draw_table(canvas: Canvas, rows: list[list[str]], top: float, widths: list[float] | None = None) -> float:
    """A table with a shaded header, its last columns set to the right; returns where it ends."""
    name = family("LiberationSans")
    spots = [22, 22, 34, 78, 176, 28, 56, 54, 54, 54, 44, 98]
    table = Table(rows, colWidths=widths or spots, rowHeights=17)
    last_is_total = any("otal" in cell for cell in rows[-1])
    table.setStyle(
        [
            ("FONT", (0, 0), (-1, -1), f"{name}-Regular", 8.5),
            ("FONT", (0, 0), (-1, 0), f"{name}-Bold", 8),
            ("FONT", (0, -1), (-1, -1), f"{name}-{'Bold' if last_is_total else 'Regular'}", 8.5),
            ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#d9e0ea")),
            ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.HexColor("#8894a5")),
            ("BOX", (0, 0), (-1, -1), 0.6, colors.black),
            ("ALIGN", (1 if widths else 6, 0), (-1, -1), "RIGHT"),
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ]
    )
    _, height = table.wrapOn(canvas, WIDTH, HEIGHT)
    table.drawOn(canvas, LEFT, top - height)
    return top - float(height)


def draw_terms(canvas: Canvas, top: float) -> None:
    """The small print, and a line for each side to sign on."""
    name = family("LiberationSans")
    canvas.setFont(f"{name}-Regular", 7)
    for row, text in enumerate(TERMS):
        canvas.drawString(LEFT, top - 11 * row, text)
    canvas.setFont(f"{name}-Regular", 8.5)
    for x, label in ((LEFT, "Accepted for the station"), (WIDTH / 2, "Accepted for the agency")):
        canvas.line(x, 76, x + 220, 76)
        canvas.drawString(x, 64, label)
        canvas.drawString(x + 170, 64, "Date")
