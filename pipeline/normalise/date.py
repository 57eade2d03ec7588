"""Dates to ISO form: "this 18th day of April, 2001" → "2001-04-18".

Day, month and year must all be there: general date parsers fill in what is missing, which is why none is used here.
Two-digit years are read only in numeric dates; 69–99 are 1969–1999. A numeric date is read month first,
unless that is impossible or its separator is a dot.
"""

import re
from calendar import month_name
from collections.abc import Iterator
from datetime import date

from pipeline.normalise import Found
from pipeline.normalise._numbers import ORDINALS, number, pattern
from pipeline.types import Value

_MONTHS = {name[:3].lower(): index for index, name in enumerate(month_name) if name}
_MONTH = "|".join(rf"{name[:3]}(?:{name[3:]}|t)?" for name in month_name if name)
_GAP = r"[\s,.\-\u2010-\u2015/]"
_DAY = rf"\d{{1,2}}(?!\d)\s*(?:st|nd|rd|th|t\sh|s\st|n\sd|r\sd|d)?\b|{pattern(ORDINALS)}"
_YEAR = r"(?:1[6-9]|2[01])\d\d(?!\d)"
_PATTERN = re.compile(
    rf"""(?<![\w])(?:
      (?P<day>{_DAY}){_GAP}*(?:\(\d{{1,2}}\w{{0,2}}\){_GAP}*)?(?:day{_GAP}*)?(?:of{_GAP}*)?
        (?P<month>{_MONTH})\b{_GAP}*(?:of{_GAP}*|in\sthe\syear{_GAP}*)?(?P<year>{_YEAR})
    | (?P<month2>{_MONTH})\b{_GAP}*(?:the\s)?(?P<day2>{_DAY}){_GAP}*(?:of{_GAP}*)?(?P<year2>{_YEAR})
    | (?P<year3>{_YEAR})(?P<mark3>[-./])(?P<month3>\d{{1,2}})(?P=mark3)(?P<day3>\d{{1,2}})(?!\d)
    | (?P<first>\d{{1,2}})\s?(?P<mark4>[-./])\s?(?P<second>\d{{1,2}})\s?(?P=mark4)\s?(?P<year4>{_YEAR}|\d\d)(?![\d])
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def find(text: str) -> Iterator[Found]:
    """Every whole date in the text."""
    for match in _PATTERN.finditer(text):
        value = _read(match)
        if value is not None:
            yield Found(match.start(), match.end(), Value(value.isoformat()))


def normalise(text: str) -> Value | None:
    """The first whole date in the text, as YYYY-MM-DD."""
    return next((found.value for found in find(text)), None)


def _read(match: re.Match[str]) -> date | None:
    """The date of a match; None where there is no such day."""
    try:
        if match["month"]:
            return date(int(match["year"]), _MONTHS[match["month"][:3].lower()], _day(match["day"]))
        if match["month2"]:
            return date(int(match["year2"]), _MONTHS[match["month2"][:3].lower()], _day(match["day2"]))
        if match["year3"]:
            return date(int(match["year3"]), int(match["month3"]), int(match["day3"]))
        return _numeric(int(match["first"]), int(match["second"]), match["year4"], day_first=match["mark4"] == ".")
    except ValueError:
        return None


def _day(text: str) -> int:
    digits = re.match(r"\d+", text)
    return int(digits[0]) if digits else number(text, ORDINALS)


def _numeric(first: int, second: int, year: str, day_first: bool) -> date:
    full_year = int(year)
    if len(year) == 2:
        full_year += 1900 if full_year >= 69 else 2000
    if day_first or first > 12:
        first, second = second, first
    if first > 12:
        first, second = second, first
    return date(full_year, first, second)
