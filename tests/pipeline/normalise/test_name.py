import pytest

from pipeline.normalise.name import legal_form, normalise, same


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nike, Inc., an Oregon corporation", "Nike Inc."),
        ('NIKE, INC. ("Company")', "NIKE Inc."),
        ("Thomas W. Mills, Sr.", "Thomas W. Mills Sr."),
        ("Leggett & Platt, Incorporated,", "Leggett and Platt Inc."),
        ("Bruckmann, Rosser & Co., L.L.C.", "Bruckmann Rosser and Co. LLC"),
        ("Leonard Green & Partners, L.P.", "Leonard Green and Partners LP"),
        ("Qiagen N.V.", "Qiagen N.V."),
        ("“Cloudera, Inc.”", "Cloudera Inc."),
        ("Clovis Oncology, Inc.’s", "Clovis Oncology Inc."),
        ("Escalade, ________, Incorporated", "Escalade Inc."),
        ("/s/ Jane Roe", "Jane Roe"),
        ("Jane  Roe.", "Jane Roe"),
        ("Jane Roe, an individual residing in Boise", "Jane Roe"),
        ("Build A Bear Company", "Build A Bear Company"),
        ("99¢ Only Stores", "99¢ Only Stores"),
    ],
)
def test_cleaned(text: str, expected: str) -> None:
    value = normalise(text)
    assert value is not None
    assert value.text == expected


def test_legal_forms_are_known_whatever_punctuation_they_carry() -> None:
    assert [legal_form(word) for word in ("INC.,", "l.l.c.", "Ltd", "(Inc.’s", "Acme")] == [
        "Inc.",
        "LLC",
        "Ltd.",
        "Inc.",
        None,
    ]


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("Sears", "Sears Roebuck and Co.", True),
        ("Xinyuan Real Estate Co. Ltd.", "Xinyuan Real Estate", True),
        ("Maarten Persenaire", "Maarten Persenalre", True),
        ("Quillmere Instruments Inc.", "Dunhallow Freight Systems LLC", False),
        ("Acme Holdings I LP", "Acme Holdings II LP", False),
        ("Inc.", "Acme Inc.", False),
    ],
)
def test_same_bearer(name: str, other: str, expected: bool) -> None:
    assert same(name, other) is same(other, name) is expected
