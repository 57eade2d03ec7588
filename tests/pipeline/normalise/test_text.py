from pipeline.normalise.text import normalise
from pipeline.types import Value


def test_compatibility_form_and_single_spaces() -> None:
    assert normalise(" ﬁnal\u00a0 price\n№ 5 ") == Value("final price No 5")
