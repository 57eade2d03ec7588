"""Every normaliser keeps the contract of the folder."""

from itertools import pairwise

import pytest

from models.registry import names, pick
from pipeline.types import Value

FOLDER = "pipeline.normalise"
RUNNING_TEXT = (
    "This Agreement, dated as of the 3rd day of May, 2011, between Acme, Inc., a Delaware corporation, and Jane Roe, "
    "continues for a period of two (2) years and is governed by the laws of the State of New York. Signed 5/4/2011."
)
VALUES = {
    "date": "2011-05-03",
    "duration": "18 months",
    "jurisdiction": "North Carolina",
    "name": "Acme Holdings Inc.",
    "text": "any text",
}


@pytest.mark.parametrize("name", names(FOLDER))
def test_nothing_gives_none(name: str) -> None:
    for text in ("", " \n ", "--", "…"):
        value = pick(FOLDER, name).normalise(text)
        assert value is None or name == "text"


@pytest.mark.parametrize("name", names(FOLDER))
def test_a_normalised_value_stays_as_it_is(name: str) -> None:
    value = pick(FOLDER, name).normalise(VALUES[name])
    assert isinstance(value, Value)
    assert value.text == VALUES[name]


@pytest.mark.parametrize("name", [name for name in names(FOLDER) if hasattr(pick(FOLDER, name), "find")])
def test_what_is_found_in_running_text_normalises_to_the_same_value(name: str) -> None:
    normaliser = pick(FOLDER, name)
    found = list(normaliser.find(RUNNING_TEXT))
    assert found
    assert all(a.end <= b.start for a, b in pairwise(found))
    for hit in found:
        assert normaliser.normalise(RUNNING_TEXT[hit.start : hit.end]) == hit.value
        assert 0 < hit.weight <= 1
