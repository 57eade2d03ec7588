import pikepdf
import pytest

from pipeline.glyphless import Glyphless, clusters, visual


def test_marks_belong_to_the_character_before_them() -> None:
    assert clusters("cafe\u0301s") == ["c", "a", "f", "e\u0301", "s"]
    assert clusters("\u0301a") == ["\u0301", "a"]


@pytest.mark.parametrize(
    ("written", "seen"),
    [("word 12", "word 12"), ("אבג", "גבא"), ("אב12גד", "דג12בא"), ("12אב", "בא12"), ("abאב", "abאב"), ("", "")],
)
def test_characters_from_left_to_right(written: str, seen: str) -> None:
    assert "".join(visual(clusters(written))) == seen


def test_a_character_keeps_its_code() -> None:
    with pikepdf.new() as pdf:
        font = Glyphless(pdf)
        assert font.encode("abba") == bytes([0, 1, 0, 2, 0, 2, 0, 1])
        assert font.encode("cab") == bytes([0, 3, 0, 1, 0, 2])


def test_more_characters_than_a_font_may_have_are_shown_as_none() -> None:
    with pikepdf.new() as pdf:
        font = Glyphless(pdf)
        codes = font.encode("".join(map(chr, range(0xF0000, 0x100000))))
        font.finish()
        assert codes[-4:] == b"\xff\xff\0\0"
