"""Measures of summaries: ROUGE (Lin, 2004), and the baseline that every summary is held against.

ROUGE as published work reports it, by rouge-score: F-measure with Porter stemming, the mean over documents.
"""

import re
from collections.abc import Sequence
from itertools import islice
from statistics import fmean

_MEASURES = ("rouge1", "rouge2", "rougeL")
_ABBREVIATIONS = frozenset(
    "al cf co corp dr eq eqs fig figs inc jr ltd mr mrs ms no nos pp prof sec secs sr st v vs".split()
)
# What ends a sentence: a sign, whatever closes with it, space, and the beginning of a next one.
_END = re.compile(r"[.!?][)\]\"'’”]*\s+(?=[(\[\"'‘“]*[A-Z0-9])")


def rouge(gold: Sequence[str], given: Sequence[str]) -> dict[str, float]:
    """{"rouge1", "rouge2", "rougeL"}: F-measures between 0 and 1, each the mean over the documents.

    Raises ValueError if there are none or the numbers differ, ImportError without the package rouge-score.
    """
    from rouge_score.rouge_scorer import RougeScorer

    if not gold:
        raise ValueError("no documents to measure on")
    scorer = RougeScorer(_MEASURES, use_stemmer=True)
    scores = [scorer.score(a, b) for a, b in zip(gold, given, strict=True)]
    return {name: fmean(score[name].fmeasure for score in scores) for name in _MEASURES}


def lead(text: str, sentences: int = 3) -> str:
    """The first sentences of a text, a baseline that is hard to beat where documents begin with what matters."""
    return " ".join(islice(split_sentences(text), sentences))


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, without the space between them.

    One ends at ".", "!" or "?" before a capital letter or a digit, but not after a single letter or an abbreviation.
    """
    sentences, start = [], 0
    for end in _END.finditer(text):
        last = re.split(r"[\s(\[.]", text[start : end.start()])[-1]
        if text[end.start()] == "." and ((len(last) == 1 and last.isalpha()) or last.lower() in _ABBREVIATIONS):
            continue
        sentences.append(text[start : end.end()].strip())
        start = end.end()
    return [*sentences, text[start:].strip()] if text[start:].strip() else sentences
