from dataclasses import replace
from pathlib import Path

from lxml import etree

from pipeline.export import alto
from pipeline.types import Document
from tests.pipeline.export.reading import DOCUMENT, written

SCHEMA = etree.XMLSchema(file=str(Path(__file__).with_name("alto.xsd")))
A = "{http://www.loc.gov/standards/alto/ns-v4#}"


def parsed(document: Document) -> etree._Element:
    root = etree.fromstring(written(alto, document))
    SCHEMA.assertValid(root)
    return root


def texts(element: etree._Element) -> list[str]:
    return [string.get("CONTENT") for string in element.iter(f"{A}String")]


def test_it_is_valid_and_says_where_every_word_is() -> None:
    root = parsed(DOCUMENT)
    assert texts(root) == "Title first line next <line> after gap head 7 body Договор".split()
    first, gap = (string for string in root.iter(f"{A}String") if string.get("CONTENT") in ("first", "gap"))
    place = [float(first.get(name)) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT")]
    assert place == [1200, 1667, 833, 200], "1200ths of an inch"
    assert float(gap.get("WC")) == 0.5


def test_every_page_is_there_also_the_one_that_failed() -> None:
    pages = list(parsed(DOCUMENT).iter(f"{A}Page"))
    assert [page.get("PHYSICAL_IMG_NR") for page in pages] == ["1", "2", "3"]
    assert [page.get("QUALITY_DETAIL") for page in pages] == [None, "timed_out", None]
    assert [page.get("WIDTH") for page in pages] == ["10200"] * 3


def test_headers_and_footers_are_in_the_margins() -> None:
    *_, page = parsed(DOCUMENT).iter(f"{A}Page")
    found = {space.tag.removeprefix(A): texts(space) for space in page}
    assert found == {"TopMargin": ["head"], "BottomMargin": ["7"], "PrintSpace": ["body", "Договор"]}


def test_a_page_says_how_its_text_is_turned() -> None:
    page = replace(DOCUMENT.pages[0], rotation=270, skew=0.5)
    (found,) = parsed(Document("a", "", (page,))).iter(f"{A}Page")
    assert found.get("ROTATION") == "269.5"
