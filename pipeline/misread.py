"""Whether an OCR engine read a page badly, told from its words alone."""

import re
from collections.abc import Collection, Sequence

# Hidden text of the FARA training split that is bad has 0.051 to 0.32 of its letters in scraps, good at most 0.045.
_MAX_SCRAPS = 0.048
# Pages that Tesseract reads half wrong reach 0.4 and more, those it reads well at most 0.14.
_MAX_UNKNOWN = 0.25
_LEAST_SHORT_WORDS = 15
_MAX_FOREIGN = 0.01

_SCRAP = re.compile(
    r"""
      [^\W_][\^~\\{}<>|«»¬■¦] | [\^~\\{}<>|«»¬■¦][^\W_]     # signs at letters that they are not written at
    | [^\W\d_][;!?*"][^\W\d_] | [a-z]\d+[a-z]                # or within words
    | [a-z][A-Z]+[a-z]+[A-Z] | [a-z]{2}[A-Z]{2}
    | ^\W*[bcdfghjklmnpqrstvwxz]{4,}\W*$ | [bcdfghjklmnpqrstvwxz]{6}
    | ^[b-hj-z]$ | ^[\^~\\{}<>|«»¬■¦'"`.,;:!?]+$
    """,
    re.VERBOSE,
)
_ADDRESS = re.compile(r"://|www\.|@")

# A language has few words of two or three letters, and everybody uses them; here are those of English, German, French,
# Spanish, Italian, Portuguese and Dutch.
_SHORT_WORDS = frozenset(
    """
    act add age ago aid aim air all am an and any are arm art as ask at ate bad bag ban bar be bed beg bet bid big bit
    box boy bus but buy by can cap car cat cow cry cup cut day did die dig do dog dry due ear eat egg end etc eye far
    fat fax fed fee few fig fit fix fly for fun gap gas get go god got gun guy had has hat he her hey him his hit hot
    how ice if ill in inc ink is it its jet job joy key kid law lay led leg let lie lip lot low mad man map mat may me
    men met mid mix my net new no nor not now nut odd of off oh oil old on one or our out owe own pay pen pet pin pm
    pot pro put ran raw red rid rob row run sad sat saw say sea see set sex she shy sit six sky so son sum sun tax tea
    ten the tie tip to toe ton too top try two up us use van via war was way we web wet who why win won yes yet you
    ab am auf aus bei bin bis da das dem den der des die dir du ein er es für hat hin ich ihm ihn ihr im ist je man mir
    mit nun nur ob sie um und uns von vor war wer wie wir wo zu zum zur
    au aux ce de du en est et eu il ils la le les lui mes ne nos on ou où par pas que qui sa sans se ses si soi son sur
    tel ton un une vos vu été
    al ante con da dar del dos día el esa ese eso fin fue ha han he las lo los mi más ni no para ser sin su sus tal te
    tu va ver ya año
    ad ai agli che chi ci col cui da dal dei di due gli ha ho io ma nei nel non più poi può sia sua sue sul suo suoi tra
    tre uno via voi
    ao aos ate até com da das do dos e em foi já lhe mas meu na nas nem no nos não o os ou pela por são seu sob sua tem
    um uma vez
    aan al als bij dan dat de die dit door een er geen had heb hem het hij hun ik is je kan men met mij na naar nog nu
    of om ons ook op per te tot uit van wat wel wie wij zal ze zij zo
    st nd rd th
    """.split()
)
_SHORT_WORD = re.compile(r"[(\"'“‘\[]?([^\W\d_]{2,3})[.,;:)\"'”’\]]*")
_ROMAN = frozenset("ivx")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzàâäéèêëïîìôöòùûüçñßáíóúœæãõ")


def is_misread(words: Sequence[str]) -> bool:
    """Whether too many of the words are none: scraps in any language, short words in those that are known here.

    Every word counts once, however often it stands on the page.
    """
    different = {word for word in words if not _ADDRESS.search(word)}
    scraps = sum(len(word) for word in different if _SCRAP.search(word))
    return scraps > _MAX_SCRAPS * sum(map(len, different)) or _unknown(different) > _MAX_UNKNOWN


def _unknown(words: Collection[str]) -> float:
    """Share (0–1) of the short words that no language has; 0 where they are few, or of another alphabet."""
    letters = [letter for letter in "".join(words).lower() if letter.isalpha()]
    if sum(letter not in _LETTERS for letter in letters) > _MAX_FOREIGN * len(letters):
        return 0.0
    short = {match[1] for word in words if (match := _SHORT_WORD.fullmatch(word)) and match[1].islower()}
    short = {word for word in short if not set(word) <= _ROMAN}
    return len(short - _SHORT_WORDS) / len(short) if len(short) >= _LEAST_SHORT_WORDS else 0.0
