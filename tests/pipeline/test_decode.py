from itertools import product

import numpy as np
import pytest

from pipeline.decode import Probabilities, find_entities, line_boxes, merge_mentions, merge_same, spans
from pipeline.types import Box, Document, Entity, Page, PageBox, Value, Word, WordRef
from tests import tiny

FIELDS = {
    "party": {"normaliser": "text", "many": True},
    "effective_date": {"normaliser": "date", "many": False},
}
OUT, B_PARTY, I_PARTY, B_DATE, I_DATE = range(5)


def said(*tags: int, chance: float = 0.9) -> Probabilities:
    """(words, 5): of each word one tag with that probability, the others share the rest; OUT is sure."""
    rows = np.full((len(tags), 5), (1 - chance) / 4, dtype=np.float32)
    rows[np.arange(len(tags)), tags] = chance
    rows[[i for i, tag in enumerate(tags) if tag == OUT]] = (1, 0, 0, 0, 0)
    return rows


def refs_of(document: Document) -> list[WordRef]:
    return [WordRef(p, w) for p, page in enumerate(document.pages) for w in range(len(page.words))]


def found_in(document: Document, probabilities: Probabilities) -> list[tuple[str, str, str | None]]:
    entities = find_entities(document, refs_of(document), probabilities, FIELDS)
    return [(e.label, e.text, e.value.text if e.value else None) for e in entities]


def likeliest(probabilities: Probabilities) -> list[tuple[int, int, int]]:
    """(first, stop, entity) of the spans of the best of all valid paths; words that are surely outside stay so."""
    paths = np.array(list(product(range(5), repeat=len(probabilities))))
    before = np.pad(paths, ((0, 0), (1, 0)))[:, :-1]
    inside = (paths == I_PARTY) | (paths == I_DATE)
    valid = ~inside | (before == paths) | (before == paths - 1)
    valid &= (paths == OUT) | (probabilities[:, 0] < 0.98)
    scores = np.log(np.maximum(probabilities, 1e-12))[np.arange(len(probabilities)), paths].sum(1)
    best = paths[np.where(valid.all(1), scores, -np.inf).argmax()]
    types = ((best + 1) // 2).tolist()
    found = []
    for i, kind in enumerate(types):
        if kind and (i == 0 or types[i - 1] != kind):
            stop = next((j for j in range(i, len(types)) if types[j] != kind), len(types))
            found.append((i, stop, kind - 1))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_spans_are_those_of_the_best_of_all_valid_paths(seed: int) -> None:
    draw = np.random.default_rng(seed)
    probabilities = draw.dirichlet(np.full(5, 0.4), size=draw.integers(1, 7)).astype(np.float32)
    probabilities[draw.random(len(probabilities)) < 0.2] = (0.99, 0.01, 0, 0, 0)
    found = spans(probabilities)
    assert [span[:3] for span in found] == likeliest(probabilities)
    for span in found:
        inside = probabilities[span.first : span.stop, 2 * span.entity + 1 : 2 * span.entity + 3].sum(1)
        assert span.confidence == pytest.approx(inside.mean())


def test_what_is_never_begun_is_begun_or_left() -> None:
    """I follows only what it continues: here the likeliest tags alone would be no path."""
    assert [span[:3] for span in spans(said(OUT, I_PARTY, I_PARTY, I_DATE))] in ([(1, 3, 0), (3, 4, 1)], [(1, 3, 0)])


@pytest.mark.parametrize("probabilities", [said(), said(OUT, OUT, OUT)])
def test_nothing_is_found_where_nothing_is(probabilities: Probabilities) -> None:
    assert spans(probabilities) == []
    assert find_entities(tiny.document("by the by"), [], said(), FIELDS) == ()


def test_an_entity_has_text_value_page_and_box() -> None:
    document = tiny.document("made on", "by Acme Inc. of February 10, 2017")
    tags = (OUT, OUT, OUT, B_PARTY, I_PARTY, OUT, B_DATE, I_DATE, I_DATE)
    party, date = find_entities(document, refs_of(document), said(*tags), FIELDS)
    words = document.pages[1].words
    assert (party.label, party.text, party.value, party.page) == ("party", "Acme Inc.", Value("Acme Inc."), 2)
    assert party.boxes == (PageBox(2, Box(words[1].box.x0, 72, words[2].box.x1, 82)),)
    assert party.confidence == pytest.approx(0.925, abs=1e-3)
    assert date.value is not None
    assert (date.text, date.value.text) == ("February 10, 2017", "2017-02-10")


def test_a_value_over_two_lines_and_over_a_page_break_has_a_box_for_each() -> None:
    document = tiny.document("a b c d e f Acme International Holdings Inc.", "Limited by the party")
    assert line_boxes(document, [WordRef(0, w) for w in (6, 7, 8, 9)] + [WordRef(1, 0)]) == (
        PageBox(1, Box(72 + 6 * 58, 72, 72 + 7 * 58 + 54, 82)),
        PageBox(1, Box(72, 86, 72 + 58 + 24, 96)),
        PageBox(2, Box(72, 72, 72 + 42, 82)),
    )


@pytest.mark.parametrize(
    ("words", "text"), [(("Interna-", "tional"), "International"), (("Oﬃce", "Inc."), "Oﬃce Inc.")]
)
def test_a_value_divided_at_the_end_of_a_line_is_one_word_in_two_places(words: tuple[str, str], text: str) -> None:
    boxes = Box(500, 72, 540, 82), Box(72, 86, 100, 96)
    page = Page(1, 612, 792, tuple(map(Word, words, boxes)))
    (entity,) = find_entities(
        Document("a", "", (page,)), [WordRef(0, 0), WordRef(0, 1)], said(B_PARTY, I_PARTY), FIELDS
    )
    assert entity.text == text
    assert entity.value == Value(text.replace("ﬃ", "ffi"))
    assert [box for _, box in entity.boxes] == list(boxes)


def test_a_cut_value_is_completed_across_a_divided_word() -> None:
    places = ("dated", 0, 0), ("Janu-", 1, 0), ("ary", 0, 1), ("14,\xad", 1, 1), ("2022", 2, 1), ("by", 3, 1)
    words = tuple(Word(text, Box(50 * x, 20 * y, 50 * x + 40, 20 * y + 10)) for text, x, y in places)
    document = Document("a", "", (Page(1, 612, 792, words),))
    found = found_in(document, said(OUT, OUT, B_DATE, OUT, OUT, OUT))
    assert found == [("effective_date", "January 14,\xad 2022", "2022-01-14")]


@pytest.mark.parametrize(
    ("second", "lines"),
    [
        (Box(60, 0, 90, 10), 1),
        (Box(60, 4, 90, 14), 1),
        (Box(60, -4, 90, 4), 1),
        (Box(60, 2, 70, 5), 1),
        (Box(60, 6, 90, 16), 2),
        (Box(0, 12, 40, 22), 2),
        (Box(0, 0, 9, 10), 2),
    ],
    ids=["beside", "a little lower", "a little higher", "small", "raised type", "next line", "column to the left"],
)
def test_which_words_stand_on_one_line(second: Box, lines: int) -> None:
    page = Page(4, 612, 792, (Word("a", Box(10, 0, 50, 10)), Word("b", second)))
    boxes = line_boxes(Document("a", "", (page,)), [WordRef(0, 0), WordRef(0, 1)])
    assert len(boxes) == lines
    assert {number for number, _ in boxes} == {4}


def test_mentions_of_one_value_are_one_entity_with_the_clearest_place() -> None:
    document = tiny.document("2017-02-10 by 10 February 2017 by 2018-01-01")
    tags = (B_DATE, OUT, B_DATE, I_DATE, I_DATE, OUT, B_DATE)
    probabilities = said(*tags, chance=0.8)
    probabilities[2:5] = said(*tags)[2:5]
    assert found_in(document, probabilities) == [("effective_date", "10 February 2017", "2017-02-10")]
    party = {"effective_date": {"normaliser": "date", "many": True}}
    both = find_entities(document, refs_of(document), probabilities[:, [0, 3, 4]], party)
    assert [e.value.text for e in both if e.value] == ["2017-02-10", "2018-01-01"]


def test_mentions_differ_in_more_than_case() -> None:
    box = (PageBox(1, Box(0, 0, 1, 1)),)
    mentions = [Entity("party", text, None, chance, box) for text, chance in (("ACME", 0.6), ("Acme", 0.9), ("B", 0.7))]
    merged = merge_mentions(mentions)
    assert [(entity.text, entity.confidence) for entity, _ in merged] == [("Acme", 0.9), ("B", 0.7)]
    assert [support for _, support in merged] == pytest.approx([1.5, 0.7])


def test_a_thing_called_in_full_and_for_short_is_one() -> None:
    box = (PageBox(1, Box(0, 0, 1, 1)),)
    called = (("Acme", 0.9), ("Beta", 2.0), ("Acme Holdings", 1.5), ("Gamma", 0.5))
    values = [(Entity("party", text, None, 0.9, box), support) for text, support in called]
    merged = merge_same(values, lambda value, other: value in other or other in value)
    assert [(e.text, support) for e, support in merged] == [
        ("Acme Holdings", pytest.approx(2.4)),
        ("Beta", 2.0),
        ("Gamma", 0.5),
    ]
    assert merge_same([], str.__eq__) == []


def test_of_a_field_with_one_value_the_best_supported_is_taken() -> None:
    document = tiny.document("2018-01-01 by 2017-02-10 by 2017-02-10")
    probabilities = said(B_DATE, OUT, B_DATE, OUT, B_DATE, chance=0.6)
    probabilities[0] = said(B_DATE, chance=0.95)[0]
    assert found_in(document, probabilities) == [("effective_date", "2017-02-10", "2017-02-10")]


def test_a_value_that_can_be_read_goes_before_a_surer_one_that_cannot() -> None:
    document = tiny.document("someday by 2017-02-10")
    probabilities = np.concatenate([said(B_DATE, OUT, chance=0.99), said(B_DATE, chance=0.6)])
    assert found_in(document, probabilities) == [("effective_date", "2017-02-10", "2017-02-10")]
    assert found_in(document, said(B_DATE, OUT, OUT)) == [("effective_date", "someday", None)]


def test_of_a_field_with_many_values_the_unclear_ones_are_left_out() -> None:
    document = tiny.document("Acme by Beta by Gamma")
    probabilities = said(B_PARTY, OUT, B_PARTY, OUT, B_PARTY)
    probabilities[2] = (0.3, 0.45, 0.0, 0.25, 0.0)
    assert [text for _, text, _ in found_in(document, probabilities)] == ["Acme", "Gamma"]


@pytest.mark.parametrize("normaliser", ["text", "name"])
def test_entities_come_in_the_order_of_the_schema_and_then_of_the_document(normaliser: str) -> None:
    document = tiny.document("2017-02-10 by Zeta by Acme", "by Acme by Mu")
    fields = {**FIELDS, "party": {"normaliser": normaliser, "many": True}}
    probabilities = said(B_DATE, OUT, B_PARTY, OUT, B_PARTY, OUT, B_PARTY, OUT, B_PARTY)
    found = find_entities(document, refs_of(document), probabilities, fields)
    assert [entity.text for entity in found] == ["Zeta", "Acme", "Mu", "2017-02-10"]


@pytest.mark.parametrize(
    ("text", "tagged", "expected"),
    [
        ("dated as of March 14, 2022 between them", (3, 5), ("March 14, 2022", "2022-03-14")),
        ("dated as of March 14, 2022 between them", (5, 6), ("March 14, 2022", "2022-03-14")),
        ("March 14, 2022", (1, 2), ("March 14, 2022", "2022-03-14")),
        ("signed some day in March between them on 5/6/2020", (4, 5), ("March", None)),  # the other date is not its own
    ],
)
def test_a_cut_value_is_completed_from_its_neighbours(
    text: str, tagged: tuple[int, int], expected: tuple[str, str | None]
) -> None:
    document = tiny.document(text)
    tags = [B_DATE if tagged[0] <= i < tagged[1] else OUT for i in range(len(text.split()))]
    assert found_in(document, said(*tags)) == [("effective_date", *expected)]
