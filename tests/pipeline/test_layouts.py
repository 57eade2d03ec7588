from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipeline import layouts, layouts_mixed
from tests.pipeline.layouts import CONTENT_ORDERS, Layout, Piece, page_of
from tests.pipeline.reading import read_pages
from tests.pipeline.writing import saved

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


@pytest.mark.parametrize("order", CONTENT_ORDERS, ids=lambda order: order.__name__)
@pytest.mark.parametrize("make", LAYOUTS, ids=lambda make: make.__name__)
def test_a_page_is_read_as_a_person_reads_it_whatever_order_it_was_written_in(
    make: Callable[[], Layout], order: Callable[[list[Piece]], list[Piece]], tmp_path: Path
) -> None:
    layout = make()
    (page,) = read_pages(saved(tmp_path, page_of(layout, order)))
    assert " ".join(word.text for word in page.words) == " ".join(layout.expected).replace(" | ", " ")
