"""Sets an agreement written in plain text as a PDF with numbered sections.

One block a paragraph, blank lines between blocks, `**bold**` within them:

    # Heading             a numbered section: 1. Heading
    + text                a numbered clause of it: 1.1 text
    - text                an item of the clause: (a) text
    | cell | cell |       the rows of a table, the first its header; `@table 30 70` above it gives the widths in percent
    @title, @part, @heading, @note, @cover, @signatures, @break
    anything else         a plain paragraph
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

from samples.source.fonts import family


@dataclass(frozen=True)
class Design:
    """How the pages look: sizes in points; `footer` stands at the foot of each page, before its number."""

    title: str
    footer: str
    size: float = 11.5
    leading: float = 15.5
    margin: float = 72.0
    paragraph_gap: float = 7.0


def styles(design: Design) -> dict[str, ParagraphStyle]:
    """The paragraph styles by name."""
    name, gap = family("LiberationSerif"), design.paragraph_gap
    bold, italic = f"{name}-Bold", f"{name}-Italic"
    body = ParagraphStyle(
        "body",
        fontName=f"{name}-Regular",
        fontSize=design.size,
        leading=design.leading,
        alignment=TA_JUSTIFY,
        allowWidows=0,
        allowOrphans=0,
        spaceAfter=gap,
        bulletFontName=f"{name}-Regular",
        bulletFontSize=design.size,
    )
    changes: dict[str, dict[str, float | str | bool]] = {
        "body": {},
        "title": {"fontName": bold, "fontSize": 15, "leading": 20, "alignment": TA_CENTER, "spaceAfter": 2.5 * gap},
        "part": {"fontName": bold, "alignment": TA_CENTER, "spaceBefore": 3 * gap, "keepWithNext": True},
        "heading": {"fontName": bold, "alignment": TA_CENTER, "spaceBefore": gap, "keepWithNext": True},
        "section": {"fontName": bold, "alignment": TA_LEFT, "spaceBefore": gap, "keepWithNext": True},
        "clause": {"firstLineIndent": 22},
        "item": {"leftIndent": 58, "bulletIndent": 36},
        "note": {"fontName": italic, "fontSize": 9.5, "leading": 12.5, "spaceBefore": 18},
        "cell": {"fontSize": 9.5, "leading": 12, "alignment": TA_LEFT, "spaceAfter": 0},
        "line": {"alignment": TA_LEFT, "spaceAfter": 0},
    }
    return {style: ParagraphStyle(style, body, **change) for style, change in changes.items()}


@dataclass
class Setter:
    """Turns blocks into flowables; it counts the sections, clauses and items as it goes."""

    design: Design
    section: int = 0
    clause: int = 0
    item: int = 0
    styles: dict[str, ParagraphStyle] = field(init=False)

    def __post_init__(self) -> None:
        self.styles = styles(self.design)

    def paragraph(self, text: str, style: str = "body", bullet: str | None = None) -> Paragraph:
        """A paragraph in one of the styles; `**…**` becomes bold."""
        marked = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text.replace("&", "&amp;"))
        return Paragraph(marked, self.styles[style], bulletText=bullet)

    def set(self, block: str) -> list[Flowable]:
        """The flowables of one block."""
        mark, _, rest = block.partition(" ")
        rules: dict[str, Callable[[str], list[Flowable]]] = {
            "#": self.set_section,
            "+": self.set_clause,
            "-": self.set_item,
            "@table": self.set_table,
            "@cover": self.set_cover,
            "@signatures": self.set_signatures,
            "@break": lambda _: [PageBreak()],
        }
        if mark in rules:
            return rules[mark](rest)
        return [self.paragraph(rest, mark[1:]) if mark.startswith("@") else self.paragraph(block)]

    def set_section(self, text: str) -> list[Flowable]:
        """A section's heading, with the next number."""
        self.section, self.clause = self.section + 1, 0
        return [self.paragraph(f"{self.section}.  {text}", "section")]

    def set_clause(self, text: str) -> list[Flowable]:
        """A clause, numbered within its section."""
        self.clause, self.item = self.clause + 1, 0
        return [self.paragraph(f"{self.section}.{self.clause}  {text}", "clause")]

    def set_item(self, text: str) -> list[Flowable]:
        """An item, lettered within its clause."""
        self.item += 1
        return [self.paragraph(text, "item", f"({'abcdefghijklmnopqrstuvwxyz'[self.item - 1]})")]

    def set_table(self, text: str) -> list[Flowable]:
        """A table: the widths in percent on the first line, then the rows."""
        widths, header, *lines = text.splitlines()
        room = LETTER[0] - 2 * self.design.margin - 12
        table = Table(
            [self.row(header, "**{}**"), *(self.row(line) for line in lines)],
            colWidths=[room * float(width) / 100 for width in widths.split()],
            repeatRows=1,
            spaceAfter=14,
        )
        table.setStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, colors.HexColor("#777777")),
                ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e8e8e8")),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ]
        )
        return [table]

    def row(self, line: str, form: str = "{}") -> list[Paragraph]:
        """The cells of one row, each put into the form."""
        cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        return [self.paragraph(form.format(cell) if cell else "", "cell") for cell in cells]

    def set_cover(self, text: str) -> list[Flowable]:
        """A page of its own with centred lines."""
        lines = [self.paragraph(line.strip(), "title") for line in text.split("|")]
        return [Spacer(1, 150), *lines, PageBreak()]

    def set_signatures(self, text: str) -> list[Flowable]:
        """A block to sign in for each party: `PARTY | name | title || PARTY | …`."""
        blocks: list[Flowable] = []
        for signer in text.split("||"):
            party, name, title = (part.strip() for part in signer.split("|"))
            lines = [
                f"**{party}**",
                "By: ______________________________",
                f"Name: {name}",
                f"Title: {title}",
                "Date: ____________________________",
            ]
            spaced = [part for line in lines for part in (self.paragraph(line, "line"), Spacer(1, 9))]
            blocks.append(KeepTogether([Spacer(1, 16), *spaced]))
        return blocks


def blocks(text: str) -> Iterator[str]:
    """The blocks of the plain text, without the blank lines between them."""
    return (block.strip() for block in re.split(r"\n\s*\n", text) if block.strip())


def write(text: str, design: Design, path: Path) -> None:
    """Writes the PDF; the same text gives the same bytes."""

    def footer(canvas: Canvas, _: SimpleDocTemplate) -> None:
        canvas.setFont("LiberationSerif-Regular", 9)
        canvas.drawString(design.margin + 6, 40, design.footer)
        canvas.drawRightString(LETTER[0] - design.margin - 6, 40, f"Page {canvas.getPageNumber()}")

    setter = Setter(design)
    story = [flowable for block in blocks(text) for flowable in setter.set(block)]
    document = SimpleDocTemplate(
        str(path),
        pagesize=LETTER,
        leftMargin=design.margin,
        rightMargin=design.margin,
        topMargin=design.margin,
        bottomMargin=design.margin,
        title=design.title,
        invariant=1,
    )
    document.build(story, onFirstPage=footer, onLaterPages=footer)
