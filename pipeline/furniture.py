"""Running headers and footers: what stands at the top or the bottom of one page after another.

The lines in the top and the bottom 15 % of a page, or where there are none the outermost line of the page, are compared
with those of the pages before it. Two are the same where they stand at the same height and say the same, but for one
number that counts up with the pages. Lines that say little else than a number must count up; the outermost lines of
two pages need not stand at the same height if they do. What an OCR engine read almost alike on one of the last two
pages is the same too. Odd and even pages, and pages without, make no difference: a line is a header or a footer if it
is found on three pages (two, in a document of up to five), with at most one other line between it and the edge or the
next such line, and does not stand on its page a second time, as rows of a table do.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.fuzz import ratio

from pipeline.types import Page

_MARGIN = 0.15  # of the page's height
_MAX_LINES = 8  # from either edge
_LEVEL = 12.0  # points between lines of the same height
_FEW_PAGES = 5
_ALIKE = 90.0
_MIN_LENGTH, _MAX_LENGTH = 12, 500  # of a text that may be read almost alike
_MAX_NUMBERS = 6
_NUMBER = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxl]+")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50}

_Key = tuple[object, ...]


@dataclass(slots=True)
class _Line:
    """A line near an edge: its page and its words (indices), its distance from the edge in points, its text."""

    page: int
    words: list[int]
    height: float
    outermost: bool
    text: str = ""
    group: int = -1


def mark(pages: Sequence[Page]) -> tuple[Page, ...]:
    """The pages with running headers first and running footers last among their words, and with how many those are."""
    least = 2 if sum(bool(page.words) for page in pages) <= _FEW_PAGES else 3
    margins = [_margins(index, page) for index, page in enumerate(pages)]
    headers = _running([top for top, _ in margins], least)
    footers = _running([bottom for _, bottom in margins], least)
    return tuple(
        _marked(page, _words(page, top, headers), _words(page, bottom, footers))
        for page, (top, bottom) in zip(pages, margins, strict=True)
    )


def _margins(index: int, page: Page) -> tuple[list[_Line], list[_Line]]:
    """The lines at the top and those at the bottom, each from the edge inwards; no word is in both."""
    middles = [(box[1] + box[3]) / 2 for _, box, _ in page.words]
    order = sorted(range(len(middles)), key=middles.__getitem__)
    top = _lines(index, page, ((middles[number], number) for number in order))
    taken = {number for line in top for number in line.words}
    rest = ((page.height - middles[number], number) for number in reversed(order) if number not in taken)
    return top, _lines(index, page, rest)


def _lines(index: int, page: Page, heights: Iterable[tuple[float, int]]) -> list[_Line]:
    """The outermost line and the others in the margin: a word is on the line whose first word's height it is within."""
    lines: list[_Line] = []
    reach = 0.0
    for height, number in heights:
        if not lines or height - lines[-1].height > reach:
            if len(lines) == _MAX_LINES or (lines and height > _MARGIN * page.height):
                break
            box = page.words[number].box
            reach = max((box.y1 - box.y0) / 2, 3.0)
            lines.append(_Line(index, [], height, outermost=not lines))
        lines[-1].words.append(number)
    for line in lines:
        line.words.sort(key=lambda number: page.words[number].box.x0)
        line.text = " ".join([page.words[number].text for number in line.words]).lower()
    return lines


def _running(margins: Sequence[list[_Line]], least: int) -> set[int]:
    """Put each line in the group of those that say the same; the groups that run through at least so many pages."""
    known: dict[_Key, _Line] = {}
    pages: defaultdict[int, set[int]] = defaultdict(set)
    for index, lines in enumerate(margins):
        before = [line for margin in margins[max(index - 2, 0) : index] for line in margin]
        for line in lines:
            keys = dict(_keys(line))
            same = ((known[key], counts) for key, counts in keys.items() if key in known)
            found = next((other for other, counts in same if _is_level(line, other, counts)), None)
            found = found or next((other for other in before if _is_alike(line, other)), None)
            line.group = found.group if found else len(pages)
            pages[line.group].add(index)
            known.update(dict.fromkeys(keys, line))
    return {group for group, where in pages.items() if len(where) >= least}


def _is_level(line: _Line, other: _Line, counts: bool) -> bool:
    return abs(line.height - other.height) <= _LEVEL or (counts and line.outermost and other.outermost)


def _keys(line: _Line) -> Iterator[tuple[_Key, bool]]:
    """What two lines that say the same have in common, and whether a number counts up: then less that of the page."""
    if _ROMAN.fullmatch(line.text):
        yield ("#", _roman(line.text) - line.page), True
        return
    words = _NUMBER.sub("#", line.text)
    numbers = [int(number[:18]) for number in _NUMBER.findall(line.text)]
    if sum(map(str.isalpha, line.text)) >= 3 or len(line.text) > _MAX_NUMBERS:
        yield (words, *numbers), False
    if len(numbers) <= _MAX_NUMBERS:
        for place, number in enumerate(numbers):
            yield (words, place, *numbers[:place], number - line.page, *numbers[place + 1 :]), True


def _roman(text: str) -> int:
    """The value of a Roman numeral below 90."""
    values = [_ROMAN_DIGITS[digit] for digit in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def _is_alike(line: _Line, other: _Line) -> bool:
    """Whether two lines differ as two readings of the same print do: in a letter or two, at the same height."""
    if abs(line.height - other.height) > _LEVEL or min(len(line.text), len(other.text)) < _MIN_LENGTH:
        return False
    if max(len(line.text), len(other.text)) > _MAX_LENGTH:  # no print is as long, and to compare them takes for ever
        return False
    if 5 * sum(map(str.isdigit, line.text)) > len(line.text):
        return False  # rows of figures are alike and not the same
    if _NUMBER.sub("#", line.text) == _NUMBER.sub("#", other.text):
        return False  # the numbers tell them apart
    return ratio(line.text, other.text, score_cutoff=_ALIKE) > 0.0


def _words(page: Page, lines: list[_Line], running: set[int]) -> set[int]:
    """The words of the lines that run on, from the edge inwards until two lines in turn do not."""
    found: set[int] = set()
    if all(line.group not in running for line in lines):
        return found
    said = " ".join([word[0] for word in page.words]).lower()
    others = 0
    for line in lines:
        if line.group in running and (len(line.text) < _MIN_LENGTH or said.count(line.text) <= 1):
            found.update(line.words)
            others = 0
        elif (others := others + 1) > 1:
            break
    return found


def _marked(page: Page, header: set[int], footer: set[int]) -> Page:
    if not header and not footer:
        return page
    middle = [word for number, word in enumerate(page.words) if number not in header and number not in footer]
    first, last = ([page.words[number] for number in sorted(part)] for part in (header, footer))
    return replace(page, words=(*first, *middle, *last), header=len(first), footer=len(last))
