import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from pipeline.furniture import mark
from pipeline.types import Box, Page, Word
from tests.pipeline.layouts import COSTS, LANDLORD, NOTICE, TENANT, Layout
from tests.pipeline.reading import read_pages
from tests.pipeline.writing import pdf_canvas, saved

BODIES = (TENANT, LANDLORD, NOTICE, COSTS)


def leaf(number: int, *lines: tuple[float, str]) -> Page:
    """A letter page of lines, each at its height; a word is six points a letter wide."""
    words = []
    for y, text in lines:
        x = 72.0
        for word in text.split():
            words.append(Word(word, Box(x, y, x + 6 * len(word), y + 10)))
            x += 6 * len(word) + 4
    return Page(number, 612.0, 792.0, tuple(words), "text", "text layer")


def body(number: int) -> list[tuple[float, str]]:
    """Lines that no other page has."""
    chance = Random(number)
    return [(y, " ".join("".join(chance.choices("abcdefgh", k=6)) for _ in range(8))) for y in range(80, 700, 14)]


def running(pages: Sequence[Page]) -> list[tuple[str, str]]:
    """Header and footer of each page."""
    texts = [[word.text for word in page.words] for page in pages]
    return [
        (" ".join(words[: page.header]), " ".join(words[len(words) - page.footer :]))
        for page, words in zip(pages, texts, strict=True)
    ]


def test_headers_and_page_numbers_of_a_real_document(tmp_path: Path) -> None:
    target = BytesIO()
    canvas = pdf_canvas(target)
    for number in range(1, 7):
        page = Layout()
        page.to(550, 760, f"Page {number} of 6", 9)
        page.prose(60, 110, BODIES[number % 4], 490)
        page.prose(60, 400, BODIES[(number + 1) % 4], 490)
        if number > 1:
            page.at(60, 40, "Lease of Business Premises" if number % 2 else "Harbour Freight Lines Ltd", 9)
        for piece in page.pieces:
            piece.draw(canvas)
        canvas.showPage()
    canvas.save()
    marked = mark(read_pages(saved(tmp_path, target.getvalue())))
    even, odd = "Harbour Freight Lines Ltd", "Lease of Business Premises"
    # The odd header stands on two pages alone, 3 and 5, which is no proof in a document of six.
    assert running(marked) == [
        ("", "Page 1 of 6"),
        (even, "Page 2 of 6"),
        ("", "Page 3 of 6"),
        (even, "Page 4 of 6"),
        ("", "Page 5 of 6"),
        (even, "Page 6 of 6"),
    ]
    assert odd in " ".join(word.text for word in marked[2].words)


def test_a_header_written_last_is_moved_to_the_front_and_a_footer_written_first_to_the_end() -> None:
    pages = [leaf(n, (750.0, f"- {n} -"), *body(n), (30.0, "Annual Report")) for n in range(1, 5)]
    marked = mark(pages)
    assert running(marked) == [("Annual Report", f"- {number} -") for number in range(1, 5)]
    assert [sorted(page.words) for page in marked] == [sorted(page.words) for page in pages]


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        (["Master Services Agreement"] * 4, [True] * 4),
        (["", "Master Services Agreement", "Master Services Agreement", "Master Services Agreement"], [0, 1, 1, 1]),
        (["Master Services Agreement", "Master Servlces Agreement", "Master Services Agreernent"] * 2, [True] * 6),
        (["Exhibit A", "Exhibit B", "Exhibit C", "Exhibit D"], [False] * 4),
        (["i", "ii", "iii", "iv"], [True] * 4),
        (["7", "8", "9", "10"], [True] * 4),
        (["7", "7", "7", "7"], [False] * 4),
        (["ACME 000123", "ACME 000124", "ACME 000125"], [True] * 3),
        (["Invoice of 3/2/20 for $412", "Invoice of 4/9/20 for $77", "Invoice of 1/5/20 for $8"], [False] * 3),
    ],
)
def test_what_counts_as_the_same(headers: list[str], found: list[bool]) -> None:
    pages = [leaf(n, *[(30.0, text)] * bool(text), *body(n)) for n, text in enumerate(headers, start=1)]
    assert [bool(page.header) for page in mark(pages)] == found


def test_rows_of_figures_are_alike_and_no_footer() -> None:
    rows = ["WTXF F 02/14/20 4:21 PM MRBP6033 $1,100", "WTXF Th 02/14/20 4:21 PM MRBP6033 $1,100"]
    assert all(page.footer == 0 for page in mark([leaf(n, *body(n), (740.0, rows[n % 2])) for n in (1, 2)]))


def test_rows_of_a_table_that_runs_over_the_pages_are_no_header() -> None:
    rows = [(60.0 + 14 * row, "Start date End date Weekdays Rate") for row in range(0, 40, 2)]
    assert all(page.header == page.footer == 0 for page in mark([leaf(n, *rows) for n in range(1, 6)]))


def test_a_page_number_may_stand_right_below_a_short_page() -> None:
    pages = [leaf(n, *body(n)[: 20 + n], (400.0 + 20 * n, f"{n}")) for n in range(1, 6)]
    assert [page.footer for page in mark(pages)] == [1] * 5


def test_text_at_other_heights_is_no_header() -> None:
    pages = [leaf(n, (20.0 + 18 * n, "Notices to the parties"), *body(n)[4:]) for n in range(1, 5)]
    assert all(page.header == 0 for page in mark(pages))


def test_one_page_empty_pages_and_failed_pages_are_left_alone() -> None:
    page = leaf(1, (30.0, "Annual Report"), *body(1))
    failed = Page(2, 612.0, 792.0, failure="timed_out")
    assert mark([page]) == (page,)
    assert mark([]) == ()
    last = leaf(3, (30.0, "Annual Report"), *body(3))
    first, second, third = mark([page, failed, last])
    assert (first.header, second, third.header) == (2, failed, 2)


def test_no_word_is_lost_on_any_pages() -> None:
    chance = Random(5)
    texts = ["1", "2", "Page 1", "iv", "head", "-", "Annual Report 2020"]
    for _ in range(40):
        pages = [
            leaf(n, *((chance.random() * 792, chance.choice(texts)) for _ in range(chance.randrange(12))))
            for n in range(chance.randrange(1, 8))
        ]
        marked = mark(pages)
        assert [sorted(page.words) for page in marked] == [sorted(page.words) for page in pages]
        assert all(page.header + page.footer <= len(page.words) for page in marked)
        assert marked == mark(pages)


def test_time_grows_with_the_pages_only() -> None:
    def seconds(count: int) -> float:
        pages = [leaf(n, (30.0, "Annual Report"), *body(n % 50)[:8], (750.0, f"Page {n}")) for n in range(count)]
        start = time.process_time()
        mark(pages)
        return time.process_time() - start

    assert seconds(600) < 8 * seconds(150) + 0.1
