"""The lines and paragraphs of a page, told by the boxes of its words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipeline.text import same_line
from pipeline.types import Box, Page, Word, around

# Of the page's usual distance between lines: what is wider parts paragraphs.
_PARTING = 1.4
# What neither XML nor a line of text may hold: control characters, halves of surrogate pairs, non-characters.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Line:
    """Words that stand on one line, in reading order; none of them is empty or holds a character XML forbids."""

    words: tuple[Word, ...]

    @property
    def box(self) -> Box:
        """The box around it, on the page as displayed."""
        return around(word.box for word in self.words)

    @property
    def text(self) -> str:
        """Its words, a space between two."""
        return " ".join(word.text for word in self.words)


Paragraph = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """A page's paragraphs: those that run on from page to page at its head and foot, and the rest."""

    header: tuple[Paragraph, ...]
    body: tuple[Paragraph, ...]
    footer: tuple[Paragraph, ...]

    def __iter__(self) -> Iterator[Paragraph]:
        yield from (*self.header, *self.body, *self.footer)


def parts(page: Page) -> Parts:
    """The page's lines and paragraphs, top to bottom as they are read."""
    end = len(page.words) - page.footer
    split = page.words[: page.header], page.words[page.header : end], page.words[end:]
    return Parts(*(_paragraphs(_lines(words, page), page) for words in split))


def clean(text: str) -> str:
    """The text without characters that XML forbids."""
    return _FORBIDDEN.sub("", text)


def _lines(words: Sequence[Word], page: Page) -> list[Line]:
    lines: list[list[Word]] = []
    before: Word | None = None
    for word in (word._replace(text=clean(word.text)) for word in words):
        if not word.text:
            continue
        turned = word._replace(box=page.upright(word.box))
        if before and same_line(before, turned):
            lines[-1].append(word)
        else:
            lines.append([word])
        before = turned
    return [Line(tuple(line)) for line in lines]


def _paragraphs(lines: Sequence[Line], page: Page) -> tuple[Paragraph, ...]:
    """The lines, parted where the next one is further below than usual, or above."""
    if not lines:
        return ()
    boxes = [page.upright(line.box) for line in lines]
    steps = [below.y0 - box.y0 for box, below in pairwise(boxes)]
    down = sorted(step for step in steps if step > 0)
    usual = down[len(down) // 4] if down else 0.0  # more lines end a paragraph on some pages than go on with it
    starts = [0, *(i for i, step in enumerate(steps, start=1) if not 0 < step <= _PARTING * usual), len(lines)]
    return tuple(tuple(lines[start:stop]) for start, stop in pairwise(starts))
