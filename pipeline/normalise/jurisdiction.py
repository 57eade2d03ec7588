"""Jurisdictions to their common English name: "laws of the Commonwealth of Massachusetts" → "Massachusetts".

States of the United States, provinces of Canada, and countries.
"""

import re
from collections.abc import Iterator

from pipeline.normalise import Found
from pipeline.types import Value

_STATES = """
Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, District of Columbia, Florida, Georgia,
Guam, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland, Massachusetts, Michigan,
Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, New York,
North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania, Puerto Rico, Rhode Island, South Carolina,
South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington, West Virginia, Wisconsin, Wyoming"""
_PROVINCES = """
Alberta, British Columbia, Manitoba, New Brunswick, Newfoundland and Labrador, Nova Scotia, Ontario,
Prince Edward Island, Quebec, Saskatchewan"""
_COUNTRIES = """
Argentina, Australia, Austria, Bahamas, Bahrain, Barbados, Belgium, Belize, Bermuda, Brazil, British Virgin Islands,
Bulgaria, Canada, Cayman Islands, Chile, China, Colombia, Costa Rica, Croatia, Curaçao, Cyprus, Czech Republic, Denmark,
Dominican Republic, Ecuador, Egypt, England and Wales, England, Estonia, Finland, France, Germany, Gibraltar, Greece,
Guernsey, Hong Kong, Hungary, Iceland, India, Indonesia, Ireland, Isle of Man, Israel, Italy, Jamaica, Japan, Jersey,
Jordan, Kazakhstan, Kenya, Kuwait, Latvia, Lebanon, Liberia, Liechtenstein, Lithuania, Luxembourg, Macau, Malaysia,
Malta, Marshall Islands, Mauritius, Mexico, Monaco, Morocco, Netherlands, New Zealand, Nigeria, Northern Ireland,
Norway, Oman, Pakistan, Panama, Peru, Philippines, Poland, Portugal, Qatar, Romania, Russia, Saudi Arabia, Scotland,
Serbia, Seychelles, Singapore, Slovakia, Slovenia, South Africa, South Korea, Spain, Sri Lanka, Sweden, Switzerland,
Taiwan, Thailand, Turkey, Ukraine, United Arab Emirates, United Kingdom, United States, Uruguay, Venezuela, Vietnam"""
_OTHER_NAMES = {
    "District of Columbia": "Washington, D.C.; Washington, DC; Washington D.C.",
    "China": "People's Republic of China; People’s Republic of China",
    "Russia": "Russian Federation",
    "South Korea": "Republic of Korea; Korea",
    "United Kingdom": "Great Britain",
    "United States": "United States of America; USA; U.S.A.",
}


def _names() -> dict[str, str]:
    """Every way of writing a place, lower-cased → its canonical name."""
    canonical = [" ".join(name.split()) for name in ",".join((_STATES, _PROVINCES, _COUNTRIES)).split(",")]
    names = {name.lower(): name for name in canonical}
    for name, others in _OTHER_NAMES.items():
        names |= {other.lower(): name for other in others.split("; ")}
    return names


_NAMES = _names()
_PATTERN = re.compile(
    r"\b(?=[A-Z])(?i:"
    + "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in sorted(_NAMES, key=len, reverse=True))
    + r")(?!\w)"
)
_LAW_BEFORE = re.compile(r"\b(?:laws?|statutes?)\b[^.;]{0,60}$", re.IGNORECASE)
_LAW_AFTER = re.compile(r"^(?:['’]s)?,?\s+(?:state\s+)?(?:laws?|statutes)\b", re.IGNORECASE)
_STATE_BEFORE = re.compile(r"\b(?:state|commonwealth|province|republic|kingdom)\s+of\s+(?:the\s+)?$", re.IGNORECASE)
_COURT_BEFORE = re.compile(r"\b(?:courts?|jurisdiction|venue)\b[^.;]{0,80}$", re.IGNORECASE)
_CONTEXT = 120


def find(text: str) -> Iterator[Found]:
    """Every capitalised place name; its weight says whether the words around it speak of law or courts."""
    for match in _PATTERN.finditer(text):
        before = text[max(0, match.start() - _CONTEXT) : match.start()]
        weight = _weight(before, text[match.end() : match.end() + _CONTEXT])
        yield Found(match.start(), match.end(), Value(_NAMES[" ".join(match[0].lower().split())]), weight)


def normalise(text: str) -> Value | None:
    """The place whose law is meant: of the places in the text the clearest, of equally clear ones the first."""
    best = max(find(text), key=lambda found: found.weight, default=None)
    return best.value if best else None


def _weight(before: str, after: str) -> float:
    if _LAW_BEFORE.search(before) or _LAW_AFTER.match(after):
        return 1.0
    if _COURT_BEFORE.search(before):
        return 0.7
    return 0.5 if _STATE_BEFORE.search(before) else 0.2
