"""Whole numbers below one hundred in English words, cardinal and ordinal; shared by dates and durations."""

_UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_IRREGULAR = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth"} | {
    "nine": "ninth",
    "twelve": "twelfth",
}


def _ordinal(cardinal: str) -> str:
    if cardinal in _IRREGULAR:
        return _IRREGULAR[cardinal]
    return f"{cardinal[:-1]}ieth" if cardinal.endswith("y") else f"{cardinal}th"


def _words() -> tuple[dict[str, int], dict[str, int]]:
    cardinals = {word: number for number, word in enumerate(_UNITS + _TEENS, start=1)}
    ordinals = {_ordinal(word): number for word, number in cardinals.items()}
    for tens, word in enumerate(_TENS, start=2):
        cardinals[word] = tens * 10
        ordinals[_ordinal(word)] = tens * 10
        for unit, unit_word in enumerate(_UNITS, start=1):
            cardinals[f"{word} {unit_word}"] = tens * 10 + unit
            ordinals[f"{word} {_ordinal(unit_word)}"] = tens * 10 + unit
    return cardinals, ordinals


CARDINALS, ORDINALS = _words()


def pattern(words: dict[str, int]) -> str:
    """A regular expression for any of the words, the longest first; a hyphen or spaces between the parts."""
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(word.replace(" ", r"[\s\-\u2010-\u2015]+") for word in longest_first)


def number(text: str, words: dict[str, int]) -> int:
    """The number a match of `pattern(words)` stands for."""
    return words[" ".join(text.lower().translate(_HYPHENS).split())]


_HYPHENS = str.maketrans(dict.fromkeys((45, *range(8208, 8214)), " "))
