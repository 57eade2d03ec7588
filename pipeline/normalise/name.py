"""Names of companies and people, cleaned: `Nike, Inc., an Oregon corporation ("Company")` → "Nike Inc.".

Case is kept, commas go, "&" is "and", a legal form is written one way ("L.L.C." → "LLC", "Incorporated" → "Inc.").
"""

import re
import unicodedata

from rapidfuzz import fuzz

from pipeline.types import Value

_LEGAL_FORMS = {
    "inc": "Inc.",
    "incorporated": "Inc.",
    "ltd": "Ltd.",
    "limited": "Ltd.",
    "llc": "LLC",
    "lp": "LP",
    "llp": "LLP",
    "plc": "PLC",
    "corp": "Corp.",
    "co": "Co.",
    "pty": "Pty.",
}
_KINDS = "corporation|company|partnership|trust|bank|association|individual|resident|citizen|entity|subsidiary"
_TAIL = re.compile(
    rf"""\s*(?:
      \(
    | ,?\s+(?:together\s+)?with\s+its\b
    | (?:,\s+an?|\s+(?-i:an?))\s+[^,]{{0,60}}\b(?:{_KINDS})\b  # in lower case unless after a comma: "Build A Company"
    | ,\s+(?:having|whose|located)\b
    ).*""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_LONG, _NEARLY_EQUAL = 6, 85.0  # letters; of 100
_EDGES = " \t\n,;:\"'“”‘’`*_|[](){}<>-–—"


def normalise(text: str) -> Value | None:
    """The name alone; None where no letter or digit is left."""
    tidy = " ".join(unicodedata.normalize("NFKC", text).split())
    name = _POSSESSIVE.sub("", (_TAIL.sub("", tidy) or tidy).removeprefix("/s/").strip(_EDGES))
    words = [word for word in name.replace("&", " and ").replace(",", " ").split() if any(map(str.isalnum, word))]
    if not words:
        return None
    words = [legal_form(word) or word for word in words]
    if not _ends_with_abbreviation(words[-1]):
        words[-1] = words[-1].rstrip(".")
    return Value(" ".join(words))


def same(name: str, other: str) -> bool:
    """Whether two names are of one bearer, as a document may call it in full and for short.

    So they are where all words of one are in the other, legal forms aside ("Sears", "Sears Roebuck and Co."); a long
    word may have a wrong letter.
    """
    fewer, more = sorted((_bare_words(name), _bare_words(other)), key=len)
    return bool(fewer) and all(any(_alike(word, candidate) for candidate in more) for word in fewer)


def _alike(word: str, other: str) -> bool:
    return word == other or (len(word) >= _LONG and fuzz.ratio(word, other) >= _NEARLY_EQUAL)


def _bare_words(name: str) -> set[str]:
    return {word.strip(_EDGES + ".").casefold() for word in name.split() if legal_form(word) is None}


def legal_form(word: str) -> str | None:
    """How a word that is a legal form is written, whatever punctuation it carries; None for any other word."""
    bare = _POSSESSIVE.sub("", word.strip(_EDGES))
    return _LEGAL_FORMS.get(bare.replace(".", "").lower())


def _ends_with_abbreviation(word: str) -> bool:
    """Whether the last dot belongs to the name ("Inc.", "N.V.", "Sr.") and ends no sentence."""
    return word in _LEGAL_FORMS.values() or word.count(".") > 1 or len(word) <= 3
