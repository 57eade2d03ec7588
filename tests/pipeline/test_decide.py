import random
import string
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pypdfium2.raw as pdfium
import pytest
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont

from pipeline.decide import Decision, Draft, decide, garbled_by
from pipeline.textlayer import read_page
from pipeline.types import Box, Word
from tests.pipeline.handmade import drawn_pdf, mapped_pdf, raw_pdf, unmapped_pdf
from tests.pipeline.languages import LATIN, OTHERS
from tests.pipeline.test_misread import CONTRACT, SIGNS, WORDS
from tests.pipeline.writing import SENTENCES, pdf_canvas, saved, scan

TEXT = " ".join(SENTENCES).split()
STAMPED = "scan with a header, footer or stamp only"
NO_MAPPING = "garbled text layer: no Unicode mapping"
SHIFTED = "garbled text layer: shifted letters"


def shifted(words: list[str], by: int) -> list[str]:
    return ["".join(chr(ord(character) + by) for character in word) for word in words]


def page(words: list[str], top: float = 300.0, **facts: object) -> Draft:
    placed = tuple(Word(word, Box(0, top, 40, top + 10)) for word in words)
    return replace(Draft(1, 612, 792, placed, images=0.0, marks=False), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("draft", "source", "reason"),
    [
        (page(TEXT), "text", "text layer"),
        (page(TEXT, images=1.0), "text", "text layer"),
        (page(["Exhibit", "A"]), "text", "text layer"),
        (page(["Exhibit", "A"], images=1.0), "ocr", STAMPED),
        (page(["Exhibit", "A"], images=1.0, invisible=1.0), "text", "text layer"),
        (page(["Exhibit", "A"], images=0.4), "text", "text layer"),
        (page(["Page", "1", "of", "9"], top=20.0), "text", "text layer"),
        (page(["Page", "1", "of", "9"], top=20.0, images=1.0), "ocr", STAMPED),
        (page(["Page", "1", "of", "9"], top=770.0, images=0.9), "ocr", STAMPED),
        (page([]), "none", "blank page"),
        (page([], marks=True), "ocr", "no text layer"),
        (page(TEXT, private_use=0.3), "ocr", "garbled text layer: private-use characters"),
        (page(TEXT, private_use=0.06, replacements=0.05), "ocr", "garbled text layer: private-use characters"),
        (page(TEXT, replacements=0.3), "ocr", "garbled text layer: replacement characters"),
        (page([], controls=1.0), "ocr", "garbled text layer: NUL or control characters"),
        (page(TEXT, private_use=0.05), "text", "text layer"),
        (page(shifted(TEXT, 3)), "ocr", SHIFTED),
        (page(shifted(TEXT, -29)), "ocr", SHIFTED),
        (page(TEXT, unmapped=1.0), "text", "text layer"),
        (page(["9$7&RGH"], unmapped=1.0), "ocr", NO_MAPPING),
        (page(WORDS, invisible=1.0, images=1.0), "ocr", "poor OCR layer"),
        (page(WORDS, invisible=0.2), "text", "text layer"),
        (page(CONTRACT, invisible=1.0, images=1.0), "text", "text layer"),
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
    assert decide(page(shifted(TEXT, 3)), "never") == Decision("text", f"{SHIFTED}, OCR switched off")


def test_a_poor_ocr_layer_is_read_anew_unless_it_is_trusted() -> None:
    poor = page(WORDS, invisible=1.0, images=1.0)
    assert decide(poor, "auto", "redo").source == "ocr"
    assert decide(poor, "auto", "trust") == Decision("text", "text layer")
    assert decide(page(shifted(TEXT, 3), invisible=1.0), "auto", "trust").source == "ocr"


@pytest.mark.parametrize("by", [-31, -29, -28, -3, -2, -1, 1, 2, 3, 13])
def test_shifted_letters_are_seen_in_text_of_some_length(by: int) -> None:
    assert garbled_by(shifted(3 * TEXT, by)) == "shifted letters"
    assert garbled_by(shifted(TEXT[:5], by)) is None


@pytest.mark.parametrize("by", range(1, 26))
def test_a_turned_alphabet_is_seen(by: int) -> None:
    letters = string.ascii_lowercase
    turned = str.maketrans(letters, letters[by:] + letters[:by])
    assert garbled_by([word.lower().translate(turned) for word in CONTRACT]) == "shifted letters"


@pytest.mark.parametrize("seed", range(5))
def test_mixed_up_letters_are_seen(seed: int) -> None:
    """Of alphabets mixed up at random, the ones in which rare letters became common."""
    letters = "etaoinsrhldcumfpgwybvkxjqz"
    rare = "".join(random.Random(seed).sample(letters[13:], 13))
    mixed = str.maketrans(letters, rare + letters[:13])
    assert garbled_by([word.lower().translate(mixed) for word in CONTRACT]) == "improbable letters"


@pytest.mark.parametrize(
    "names",
    ["(cid:12)(cid:40)(cid:3)", "/g32 /g12/g7", "G21 G22", "/T/h/i/s", "glyph12 glyph7", "uni0041uni0042 uni00AD"],
)
def test_names_of_glyphs_are_seen(names: str) -> None:
    assert garbled_by([*names.split(), "(a)"]) == "glyph names"
    assert garbled_by([*names.split(), *TEXT]) is None


@pytest.mark.parametrize("language", [*LATIN, *OTHERS])
def test_any_language_is_believed(language: str) -> None:
    assert garbled_by(3 * (LATIN | OTHERS)[language].split()) is None


@pytest.mark.parametrize("words", [TEXT, [word.upper() for word in TEXT], ["2,301", "$", "4%"] * 99])
def test_text_that_is_text_is_believed(words: list[str]) -> None:
    assert garbled_by(words) is None


def decided(content: bytes, folder: Path) -> Decision:
    """Of the first page of a PDF."""
    document = pdfium.FPDF_LoadDocument(str(saved(folder, content)).encode(), None)
    try:
        return decide(read_page(document, 1), "auto")
    finally:
        pdfium.FPDF_CloseDocument(document)


@pytest.mark.parametrize(
    ("letter", "reason"),
    [
        (lambda char: chr(0xE000 + ord(char)), "garbled text layer: private-use characters"),
        (lambda char: chr(0xF000 + ord(char)), "garbled text layer: private-use characters"),
        (lambda char: "\ufffd", "garbled text layer: replacement characters"),
        (lambda char: "\x00", "garbled text layer: NUL or control characters"),
        (lambda char: "\x00" if char in "aeiou" else char, "garbled text layer: NUL or control characters"),
        (lambda char: chr(ord(char) + 3), SHIFTED),
        (lambda char: char, "text layer"),
    ],
)
def test_what_a_font_says_of_its_letters_is_not_taken_on_trust(
    letter: Callable[[str], str], reason: str, tmp_path: Path
) -> None:
    assert decided(mapped_pdf(SENTENCES, letter), tmp_path).reason == reason


def test_a_font_that_says_nothing_of_its_letters_is_seen(tmp_path: Path) -> None:
    assert decided(unmapped_pdf(SENTENCES), tmp_path) == Decision("ocr", NO_MAPPING)


def test_names_of_glyphs_in_a_page_are_seen(tmp_path: Path) -> None:
    named = ["".join(f"(cid:{ord(char)})" for char in word) for word in TEXT[:9]]
    assert decided(raw_pdf(named), tmp_path) == Decision("ocr", "garbled text layer: glyph names")


@pytest.mark.parametrize("language", ["German", "Polish", "Turkish", "Russian", "Greek", "Arabic", "Hebrew"])
def test_a_page_in_any_script_is_believed(language: str, tmp_path: Path) -> None:
    text = (LATIN | OTHERS)[language]
    drawn = text[::-1] if language in ("Arabic", "Hebrew") else text
    assert decided(drawn_pdf([drawn[i : i + 60] for i in range(0, len(drawn), 60)]), tmp_path).reason == "text layer"


@pytest.mark.parametrize(("language", "font"), [("Chinese", "STSong-Light"), ("Japanese", "HeiseiMin-W3")])
def test_fonts_that_are_not_in_the_file_are_believed(language: str, font: str, tmp_path: Path) -> None:
    registerFont(UnicodeCIDFont(font))
    assert decided(drawn_pdf([OTHERS[language]], font), tmp_path).reason == "text layer"


@pytest.mark.parametrize(
    ("lines", "top", "hidden", "reason"),
    [
        (["EXHIBIT A"], 400, False, STAMPED),
        (["Case 1:20-cv-1 Document 7", "Page 3 of 9"], 780, False, STAMPED),
        ([" ".join(CONTRACT[i : i + 12]) for i in range(0, len(CONTRACT), 12)], 700, True, "text layer"),
        ([" ".join(WORDS[i : i + 12]) for i in range(0, len(WORDS), 12)], 700, True, "poor OCR layer"),
        ([" ".join(SIGNS[i : i + 7]) for i in range(0, len(SIGNS), 7)] * 2, 700, True, "poor OCR layer"),
        (["Exhibit A", "to the lease"], 400, True, "text layer"),
    ],
    ids=["stamp", "header", "good layer", "poor layer", "signs", "short layer"],
)
def test_text_on_a_scan(lines: list[str], top: float, hidden: bool, reason: str, tmp_path: Path) -> None:
    target = BytesIO()
    canvas = pdf_canvas(target)
    canvas.drawInlineImage(scan([]), 0, 0, 612, 792)
    for row, line in enumerate(lines):
        text = canvas.beginText(72, top - 20 * row)
        text.setTextRenderMode(3 if hidden else 0)
        text.textOut(line)
        canvas.drawText(text)
    canvas.save()
    assert decided(target.getvalue(), tmp_path).reason == reason
