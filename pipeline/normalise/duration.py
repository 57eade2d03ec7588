"""Durations to a number and a unit, as written: "a period of eighteen (18) months" → "18 months".

The unit is kept: "24 months" is not turned into "2 years". "The second anniversary" is 2 years.
"""

import re
from collections.abc import Iterator

from pipeline.normalise import Found
from pipeline.normalise._numbers import CARDINALS, ORDINALS, number, pattern
from pipeline.types import Value

_WORD = pattern(CARDINALS)
_NTH = pattern(ORDINALS)
_PATTERN = re.compile(
    rf"""(?<![\w.,$])(?=[\d(efnost])(?:
    (?:(?P<word>{_WORD})\b\s*(?:\(\s*(?P<bracket>\d+(?:\.\d+)?)\s*\))?
      | \(?(?P<digits>\d+(?:\.\d+)?)\)?(?:\s*\(\s*(?:{_WORD})\s*\))?)
    [\s\-\u2010-\u2015]*
    (?:(?:full|consecutive|successive|additional|calendar|more)[\s\-]+)?
    (?P<unit>(?:business\s+)?day|week|month|year)s?\b
    | (?P<nth>{_NTH})\b\s*(?:\(\d+\w\w\)\s*)?anniversary\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_LASTING_BEFORE = re.compile(
    r"\b(?:terms?|terminat\w+|expir\w+|remain|continue|survive|(?:of|in)\s+(?:full\s+)?(?:force|effect))\b[^.;]*$",
    re.IGNORECASE,
)
_CONTEXT = 160  # characters


def find(text: str) -> Iterator[Found]:
    """Every duration in the text; it weighs more where the words before it speak of lasting or ending."""
    for match in _PATTERN.finditer(text):
        before = text[max(0, match.start() - _CONTEXT) : match.start()]
        yield Found(match.start(), match.end(), _read(match), 1.0 if _LASTING_BEFORE.search(before) else 0.5)


def normalise(text: str) -> Value | None:
    """The first duration in the text, as "1 year", "18 months"; parts: number, unit (plural)."""
    return next((found.value for found in find(text)), None)


def _read(match: re.Match[str]) -> Value:
    if match["nth"]:
        return _value(number(match["nth"], ORDINALS), "year")
    written = match["bracket"] or match["digits"]
    count = float(written) if written else number(match["word"], CARDINALS)
    return _value(count, " ".join(match["unit"].lower().split()))


def _value(count: float, unit: str) -> Value:
    whole = int(count) if count == int(count) else count
    return Value(f"{whole} {unit}{'' if whole == 1 else 's'}", {"number": whole, "unit": f"{unit}s"})
