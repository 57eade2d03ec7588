import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.merge import reading_order
from pipeline.types import Box, Word
from tests.pipeline import layouts, layouts_mixed
from tests.pipeline.layouts import CONTENT_ORDERS, Layout, Piece, page_of
from tests.pipeline.reading import read_pages
from tests.pipeline.writing import saved

FILLER = ("lorem", "ipsum", "dolor", "sit", "amet", "elit", "sed", "do", "eius")
LAYOUTS: tuple[Callable[[], Layout], ...] = (
    layouts.two_columns,
    layouts.three_columns,
    layouts.table_between_columns,
    layouts.captioned_tables,
    layouts.tables_of_unlike_rows,
    layouts.balance_sheet,
    layouts_mixed.uneven_columns_with_header_and_footer,
    layouts_mixed.letter,
    layouts_mixed.newspaper,
    layouts_mixed.prose_beside_facts,
    layouts_mixed.form,
    layouts_mixed.table_of_two_years,
    layouts_mixed.table_of_prose,
    layouts_mixed.contents,
)


def line(text: str, x: float, y: float, size: float = 10.0) -> list[Word]:
    """Words on one line, each letter half the size wide."""
    words = []
    for part in text.split():
        width = len(part) * size / 2
        words.append(Word(part, Box(x, y, x + width, y + size)))
        x += width + size / 3
    return words


def paragraph(name: str, x: float, lines: int, top: float = 100.0) -> list[Word]:
    """Running text of equal lines, the first word of each `name` and its number."""
    return [
        word
        for index in range(lines)
        for word in line(f"{name}{index} " + " ".join(FILLER[index % 3 : index % 3 + 6]), x, top + 14 * index)
    ]


def text(words: list[Word]) -> str:
    return " ".join(word.text for word in words)


def starts(words: list[Word], letters: str) -> list[str]:
    return [word.text for word in words if word.text[0] in letters and word.text[1:].isdigit()]


def test_nothing_comes_of_nothing() -> None:
    assert reading_order([]) == []


def test_lines_are_read_from_the_top_and_from_the_left_whatever_order_they_were_written_in() -> None:
    words = line("first line of a page", 70, 100) + line("second line", 70, 114) + line("and the third", 70, 128)
    expected = text(words)
    random.Random(1).shuffle(words)
    assert text(reading_order(words)) == expected


def test_marks_above_and_below_the_line_stay_on_it() -> None:
    words = [*line("area in m", 70, 100), Word("2", Box(120, 97, 123, 103)), *line("of land", 130, 100)]
    assert text(reading_order(words)) == "area in m 2 of land"


def test_a_slightly_tilted_line_is_kept_together() -> None:
    words = [
        Word(f"{row}{column}", Box(70 + 20 * column, y, 85 + 20 * column, y + 10))
        for row in "abc"
        for column in range(9)
        for y in [100 + 14 * "abc".index(row) + column]
    ]
    assert reading_order(words) == words


def test_columns_of_running_text_are_read_one_after_the_other() -> None:
    left, right = paragraph("L", 60, 20), paragraph("R", 240, 20)
    expected = [f"L{row}" for row in range(20)] + [f"R{row}" for row in range(20)]
    shuffled = left + right
    random.Random(1).shuffle(shuffled)
    assert starts(reading_order(shuffled), "LR") == expected
    assert starts(reading_order(right + left), "LR") == expected


def test_lines_of_columns_need_not_stand_level() -> None:
    left, right = paragraph("L", 60, 20), paragraph("R", 240, 20, top=105.0)
    order = starts(reading_order(right + left), "LR")
    assert order == [f"L{row}" for row in range(20)] + [f"R{row}" for row in range(20)]


def test_a_title_is_read_before_the_columns_and_a_page_number_after_them() -> None:
    columns = paragraph("L", 60, 12) + paragraph("R", 240, 12)
    title = line("A Title Over Both Of The Columns Of Text", 180, 60, 14)
    order = reading_order([*columns, *line("17", 305, 700), *title])
    assert text(order).startswith("A Title Over Both")
    assert order[-1].text == "17"
    assert starts(order, "LR")[11:13] == ["L11", "R0"]


def test_three_columns() -> None:
    words = [word for x, name in ((240, "R"), (60, "L"), (420, "S")) for word in paragraph(name, x, 10)]
    assert "".join(start[0] for start in starts(reading_order(words), "LRS")) == 10 * "L" + 10 * "R" + 10 * "S"


def test_a_table_is_read_row_by_row() -> None:
    words = [
        word
        for row in range(12)
        for word in line(f"r{row} income from operations", 60, 100 + 14 * row)
        + line(f"$ {row},301", 330, 100 + 14 * row)
        + line(f"$ {row},407 in all", 420, 100 + 14 * row)
    ]
    expected = text(words)
    random.Random(2).shuffle(words)
    assert text(reading_order(words)) == expected


def test_labels_and_values_stay_together() -> None:
    pairs = [("Advertiser", "Smith for Governor"), ("Flight", "01/27/20 - 02/17/20"), ("Order", "277181")] * 4
    words = [
        word
        for row, (label, value) in enumerate(pairs)
        for word in line(label, 60, 100 + 14 * row) + line(value, 160, 100 + 14 * row)
    ]
    assert reading_order(words[::-1]) == words


def test_a_script_from_right_to_left_is_read_from_the_right() -> None:
    words = [Word("שלום", Box(200, 100, 240, 110)), Word("עולם", Box(150, 100, 190, 110))]
    assert reading_order(words) == words
    assert reading_order(words[::-1]) == words


def on_a_line(text: str, gap: float = 3.0) -> list[Word]:
    """Words from left to right; " | " is a wide gap."""
    words, x = [], 100.0
    for part in text.split():
        if part != "|":
            words.append(Word(part, Box(x, 100, x + 5 * len(part), 110)))
        x += 5 * len(part) + (gap if part != "|" else 20.0)
    return words


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        ("אביב בתל Acme Inc של הסכם", "הסכם של Acme Inc בתל אביב"),
        ("אביב Acme & Co 42 של 17 הסכם", "הסכם 17 של Acme & Co 42 אביב"),
        ("2020 - 2019 שנת הסכם", "הסכם שנת 2019 - 2020"),
        ("טוב - Acme - עולם שלום", "שלום עולם - Acme - טוב"),
        ("Oak Lane | Acme Inc | גדול הסכם שם של מספר", "מספר של שם הסכם גדול Acme Inc Oak Lane"),
        ("Company עולם שלום Ltd of 17 Haifa", "Company שלום עולם Ltd of 17 Haifa"),
        ("Company 42 | עולם 17 שלום", "שלום 17 עולם Company 42"),
        ("The sum of 300 הסכם", "The sum of 300 הסכם"),
        ("between the parties | עולם 17 שלום", "between the parties שלום 17 עולם"),
    ],
)
def test_words_on_a_line_of_both_directions_are_read_each_in_its_own(seen: str, read: str) -> None:
    words = on_a_line(seen)
    for order in (words, words[::-1], random.Random(4).sample(words, len(words))):
        assert text(reading_order(order)) == read


def test_every_word_is_kept_once_on_any_page() -> None:
    chance = random.Random(3)
    for _ in range(30):
        words = [
            Word(str(number), Box(x, y, x + chance.random() * 90, y + chance.random() * 14))
            for number in range(200)
            for x, y in [(chance.random() * 600, chance.random() * 800)]
        ]
        assert sorted(reading_order(words)) == sorted(words)


@pytest.mark.parametrize("order", CONTENT_ORDERS, ids=lambda order: order.__name__)
@pytest.mark.parametrize("make", LAYOUTS, ids=lambda make: make.__name__)
def test_a_page_is_read_as_a_person_reads_it_whatever_order_it_was_written_in(
    make: Callable[[], Layout], order: Callable[[list[Piece]], list[Piece]], tmp_path: Path
) -> None:
    layout = make()
    (page,) = read_pages(saved(tmp_path, page_of(layout, order)))
    assert " ".join(word.text for word in page.words) == " ".join(layout.expected).replace(" | ", " ")
