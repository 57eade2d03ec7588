import re
from dataclasses import replace

import pytest

from pipeline.decide import Draft, decide, is_garbled
from pipeline.types import Box, Word
from tests.pipeline.writing import SENTENCES

TEXT = " ".join(SENTENCES).split()
GERMAN = re.split(
    " ",
    "Dieser Vertrag wird zwischen den unten genannten Parteien geschlossen und bindet beide. Jede Partei hält geheim, "
    "was sie von der anderen in Wort oder Schrift erfährt, und gibt es an keinen Dritten weiter.",
)


def shifted(words: list[str], by: int) -> list[str]:
    return ["".join(chr(ord(character) + by) for character in word) for word in words]


def page(words: list[str], top: float = 300.0, **facts: object) -> Draft:
    placed = tuple(Word(word, Box(0, top, 10, top + 10)) for word in words)
    return replace(Draft(1, 612, 792, placed, images=0.0, marks=False), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("draft", "source", "reason"),
    [
        (page(TEXT), "text", "text layer"),
        (page(TEXT, images=1.0), "text", "text layer"),
        (page(["Exhibit", "A"], images=1.0), "text", "text layer"),
        (page(["Page", "1", "of", "9"], top=20.0), "text", "text layer"),
        (page(["Page", "1", "of", "9"], top=20.0, images=1.0), "ocr", "scan with a header or footer only"),
        (page(["Page", "1", "of", "9"], top=770.0, images=0.9), "ocr", "scan with a header or footer only"),
        (page([]), "none", "blank page"),
        (page([], marks=True), "ocr", "no text layer"),
        (page(TEXT, meaningless=0.3), "ocr", "garbled text layer"),
        (page(shifted(TEXT, 3), unmapped=0.0), "ocr", "garbled text layer"),
        (page(shifted(TEXT, -29)), "ocr", "garbled text layer"),
        (page(TEXT, unmapped=1.0), "text", "text layer"),
        (page(["9$7&RGH"], unmapped=1.0), "ocr", "garbled text layer"),
        (page([], failure="timed_out"), "ocr", "unreadable text layer"),
    ],
)
def test_each_page_is_decided_with_a_reason(draft: Draft, source: str, reason: str) -> None:
    decision = decide(draft, "auto")
    assert (decision.source, decision.reason) == (source, reason)


def test_ocr_can_be_forced_and_forbidden() -> None:
    assert decide(page(TEXT), "always").source == "ocr"
    assert decide(page([]), "always").source == "ocr"
    assert decide(page([], marks=True), "never").source == "none"
    assert decide(page(shifted(TEXT, 3)), "never").source == "text"
    assert decide(page(shifted(TEXT, 3)), "never").reason == "garbled text layer, OCR switched off"


@pytest.mark.parametrize("by", [-31, -29, -28, -3, -2, -1, 1, 2, 3, 13])
def test_shifted_letters_are_seen_in_text_of_some_length(by: int) -> None:
    assert is_garbled(shifted(3 * TEXT, by), 0.0)
    assert not is_garbled(shifted(TEXT[:5], by), 0.0)


@pytest.mark.parametrize("words", [TEXT, GERMAN, [word.upper() for word in TEXT], ["2,301", "$", "4%"] * 99])
def test_text_that_is_text_is_believed(words: list[str]) -> None:
    assert not is_garbled(words, 0.0)
