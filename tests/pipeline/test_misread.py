import random

import pytest

from pipeline.misread import is_misread
from tests.pipeline.languages import LATIN, OTHERS
from tests.pipeline.writing import SENTENCES

CONTRACT = (
    "This Agreement is made by and between the parties as of the date set out in it. No party may use any of the "
    "information for its own ends or give it to a third one, but for those who need to know it to do their work. "
    "All that is in it was told in trust; if you are not one of us, you may not act on it so long as we do not say so."
).split()
# What engines made of scans of forms: scraps and signs, then letters that look like words.
SIGNS = (
    "Regisl^, p^anmat of Jwece Amendment to wsshw&aiksc CompHance k accomplished flye-ffling^ tito;Foreign "
    "f fellwtRnJpomcfr^si^cn under anUpjjfe^ciosure. i&mWatory, JSailure the- is&rmatiGhissub}^ establiaW"
).split()
WORDS = (
    "tbe Compary shal no! diseose anv of tbe in orm ation thal it gei fom ihe otner pariy io a thid onc uniess il is "
    "toid 1o do s0 hy iaw ot hv an ordcr of a coun aod tben oniy as fai as it rnust do so aud no fnr iher tban tha"
).split()


@pytest.mark.parametrize("words", [SIGNS, WORDS], ids=["signs", "words"])
def test_a_bad_reading_is_seen(words: list[str]) -> None:
    assert is_misread(words)


@pytest.mark.parametrize("words", [CONTRACT, " ".join(SENTENCES).split(), []], ids=["contract", "sentences", "nothing"])
def test_a_good_reading_is_believed(words: list[str]) -> None:
    assert not is_misread(words)


@pytest.mark.parametrize("language", [*LATIN, *OTHERS])
def test_a_good_reading_in_any_language_is_believed(language: str) -> None:
    assert not is_misread((LATIN | OTHERS)[language].split())


def test_forms_with_numbers_and_addresses_are_believed() -> None:
    text = (
        "Order No. 4711-A, $1,250.00 (net); http://www.fara.gov/*x* a_b@c.org (ii) 12:30PM M-F 10% AT&T O'Neil McDonald"
    )
    assert not is_misread(text.split())


def test_the_more_letters_are_wrong_the_surer_it_is_seen() -> None:
    def with_errors(share: float) -> list[str]:
        draw = random.Random(1)
        return [
            "".join(draw.choice("abcdefghijklmnopqrstuvwxyz") if draw.random() < share else letter for letter in word)
            for word in CONTRACT
        ]

    assert not is_misread(with_errors(0.01))
    assert is_misread(with_errors(0.2))
