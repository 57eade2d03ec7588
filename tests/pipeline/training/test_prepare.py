from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from models.config import LongleafConfig
from pipeline.dataset import NOT_LABELLED
from pipeline.encode import EncodedDocument
from pipeline.errors import DocumentError
from pipeline.ingest import IngestSettings
from pipeline.training.formats import Example
from pipeline.training.prepare import (
    Groups,
    Labelled,
    TrainingWindows,
    count_located,
    examples_of,
    heads_for,
    label,
    read_examples,
    tags_of,
    teaches,
)
from pipeline.types import Document
from tests import tiny
from tests.pipeline.training.writing import agreements, provisions, reports, terms
from tests.pipeline.writing import text_pdf

TOKENIZER = tiny.tokenizer()
CONFIG = tiny.config()
VALUES = (("party", "Acme Inc."), ("party", "Nobody Ltd."), ("effective_date", "2017-02-10"), ("colour", "red"))
NDA = Example(Path("nda.pdf"), "non_disclosure_agreement", "nda", VALUES)
TEXT = "This agreement is made on February 10, 2017 by Acme Inc. and by Acme Inc. of"
FILLER = tiny.long_text(300, known=tiny.WHOLE)


def labelled(text: str, example: Example = NDA) -> Labelled:
    return label(example, tiny.document(*text.split("|")), TOKENIZER)


def windows_of(
    documents: Sequence[Labelled], window: int = 40, config: LongleafConfig = CONFIG, **more: int
) -> TrainingWindows:
    return TrainingWindows(documents, TOKENIZER, config, window, **more)


def test_values_are_located_in_the_document() -> None:
    document = labelled(f"the party|{TEXT}")
    assert (document.label, document.schema) == ("non_disclosure_agreement", "nda")
    places = [(m.label, [(ref.page, ref.word) for ref in m.words]) for m in document.mentions]
    assert places == [
        ("effective_date", [(1, 5), (1, 6), (1, 7)]),
        ("party", [(1, 9), (1, 10)]),
        ("party", [(1, 13), (1, 14)]),
    ]


@pytest.mark.parametrize("schema", [None, "unheard_of"])
def test_a_document_without_a_known_schema_keeps_its_class(schema: str | None) -> None:
    document = labelled(TEXT, Example(Path("a.pdf"), "annual_report", schema, VALUES))
    assert (document.label, document.schema, document.mentions) == ("annual_report", None, ())


def test_tags_begin_and_go_on() -> None:
    tags = tags_of(labelled(TEXT), ["party", "effective_date"])
    assert tags.tolist() == [0, 0, 0, 0, 0, 3, 4, 4, 0, 1, 2, 0, 0, 1, 2, 0]
    assert tags_of(labelled(TEXT), ["effective_date"]).tolist() == [0] * 5 + [1, 2, 2] + [0] * 8


def test_heads_are_made_for_what_can_be_learnt() -> None:
    documents = [labelled(TEXT), labelled("by", Example(Path("b.pdf"), "annual_report")), labelled("by", NDA)]
    heads, schema_of_class = heads_for(documents)
    assert heads["document_class"] == {"kind": "classify", "labels": ["annual_report", "non_disclosure_agreement"]}
    assert list(heads["nda"]["entities"]) == ["party", "effective_date", "jurisdiction", "term"]
    assert schema_of_class == {"non_disclosure_agreement": "nda"}
    assert heads_for([labelled("by", Example(Path("c.pdf"), None))]) == ({}, {})
    LongleafConfig(heads=heads, schema_of_class=schema_of_class)


SEVERAL = {"kind": "classify", "labels": ["a", "b", "c"], "multi": True}


def with_labels(*labels: str) -> Example:
    return Example(Path("rows.jsonl#1"), None, text="by", labels=labels)


def test_documents_of_several_classes_make_a_multi_label_head() -> None:
    documents = [labelled("by", with_labels(*labels)) for labels in (("c", "a"), (), ("b",))]
    assert heads_for(documents) == ({"document_class": SEVERAL}, {})
    assert heads_for([labelled("by", with_labels())]) == ({}, {})
    with pytest.raises(ValueError, match="need a model each"):
        heads_for([*documents, labelled("by")])


@pytest.mark.parametrize(
    ("example", "wanted"),
    [
        (with_labels("c", "a", "unheard of"), [[1, 0, 1]]),
        (with_labels(), [[0, 0, 0]]),
        (Example(Path("a.pdf"), "a"), [[NOT_LABELLED] * 3]),
    ],
)
def test_of_several_classes_each_is_a_target(example: Example, wanted: list[list[int]]) -> None:
    config = tiny.config(heads={"document_class": SEVERAL})
    _, targets = windows_of([labelled("by", example)], config=config)[0]
    assert targets["document_class"].tolist() == wanted
    assert teaches(labelled("by", example), config) == (example.labels is not None)


def test_a_head_that_learns_from_no_labels_has_no_targets() -> None:
    config = tiny.config(heads={**tiny.HEADS, "mlm": {"kind": "mlm"}})
    _, targets = windows_of([labelled(TEXT)], config=config)[0]
    assert set(targets) == set(tiny.HEADS)


@pytest.mark.parametrize(
    ("example", "teaching"),
    [
        (NDA, True),
        (Example(Path("b.pdf"), "annual_report"), True),
        (Example(Path("b.pdf"), "receipt_or_invoice"), False),
        (Example(Path("b.pdf"), None), False),
        (with_labels("annual_report"), False),
    ],
)
def test_only_what_a_head_knows_teaches(example: Example, teaching: bool) -> None:
    assert teaches(labelled("by", example), CONFIG) == teaching


def test_short_windows_fill_batches() -> None:
    texts = [tiny.long_text(n % 7 + 1, seed=n, known=tiny.WHOLE) for n in range(60)]
    windows = windows_of([labelled(text, with_labels("a")) for text in texts])
    groups = Groups(windows, budget=40)
    assert sorted(index for group in groups.groups for index in group) == list(range(60))
    sizes = [sum(len(window) for window, _ in groups[i]) for i in range(len(groups))]
    assert max(sizes) <= 40
    assert sum(sizes) / len(sizes) > 32
    assert Groups(windows, budget=40).groups == groups.groups != Groups(windows, budget=40, seed=1).groups


def test_a_window_longer_than_a_batch_is_one() -> None:
    windows = windows_of([labelled(FILLER)], one_in=1)
    assert [len(group) for group in Groups(windows, budget=16).groups] == [1] * len(windows)


def test_values_found_are_counted() -> None:
    other = Example(Path("b.pdf"), "annual_report")
    counted = count_located([labelled(TEXT), labelled("by Acme Inc."), labelled(TEXT, other)])
    assert counted == {"party": (2, 4), "effective_date": (1, 2)}


def targets_of(windows: TrainingWindows, index: int) -> tuple[EncodedDocument, list[int], list[int]]:
    """A window, the targets of its tokens, and that of its class."""
    window, targets = windows[index]
    assert set(targets) == set(tiny.HEADS)
    return window, targets["nda"].tolist(), targets["document_class"].tolist()


def test_the_first_token_of_each_word_is_labelled() -> None:
    document = labelled(TEXT)
    [(window, tags, classes)] = [targets_of(windows_of([document], config=tiny.config(max_tokens=64), window=64), 0)]
    assert classes == [1]
    assert len(tags) == len(window) == len(document.tokens) + 2
    assert (tags[0], tags[-1]) == (NOT_LABELLED, NOT_LABELLED)
    inside = np.array(tags[1:-1])
    assert (inside != NOT_LABELLED).tolist() == document.tokens.starts_word.tolist()
    assert inside[inside != NOT_LABELLED].tolist() == tags_of(document, ["party", "effective_date"]).tolist()


@pytest.mark.parametrize(
    ("example", "classes"),
    [(Example(Path("b.pdf"), "annual_report"), [0]), (Example(Path("c.pdf"), "receipt_or_invoice"), [NOT_LABELLED])],
)
def test_what_a_document_does_not_say_is_not_labelled(example: Example, classes: list[int]) -> None:
    _, tags, found = targets_of(windows_of([labelled("by Acme Inc.", example)]), 0)
    assert (set(tags), found) == ({NOT_LABELLED}, classes)


def test_every_value_of_a_long_document_is_in_some_window() -> None:
    document = labelled(f"{FILLER}|{TEXT}|{FILLER}|{TEXT}|{FILLER}")
    windows = windows_of([document])
    begun: set[int] = set()
    for _, start, stop in windows.items:
        begun |= {start + i for i in np.flatnonzero(windows.tags[0][start:stop] % 2 == 1)}
    assert begun == set(np.flatnonzero(windows.tags[0] % 2 == 1))
    assert len(begun) == len(document.mentions) == 6


def test_of_windows_without_values_one_in_some_is_taken() -> None:
    document = labelled(f"{FILLER}|{TEXT}|{FILLER}")
    every, some, few = (len(windows_of([document], one_in=n)) for n in (1, 3, 10**9))
    assert every > some > few >= 1
    again = windows_of([document], one_in=3).items
    assert again == windows_of([document], one_in=3).items
    assert again != windows_of([document], one_in=3, seed=1).items


def test_every_document_gives_a_window() -> None:
    assert windows_of([labelled(FILLER)], one_in=10**9).items == [(0, 0, 38)]
    assert windows_of([labelled("")]).items == [(0, 0, 0)]


def test_of_a_document_of_known_class_the_first_and_the_middle_window_are_taken() -> None:
    report = Example(Path("b.pdf"), "annual_report")
    assert windows_of([labelled("by", report)]).items == [(0, 0, 1)]
    first, middle = windows_of([labelled(FILLER, report)]).items
    assert first == (0, 0, 38)
    assert middle[1] == pytest.approx(150, abs=38)


def test_a_shorter_window_is_put_anywhere_among_the_positions() -> None:
    windows = windows_of([labelled(FILLER)], window=16, config=tiny.config(max_tokens=40))
    torch.manual_seed(0)
    first = set()
    for _ in range(200):
        window, _ = windows[0]
        positions = window.positions.tolist()
        assert positions[0] == 0
        assert positions[1:] == list(range(positions[1], positions[1] + len(window) - 1))
        first.add(positions[1])
    assert first == set(range(1, 40 - 15 + 1))


def test_a_window_is_no_longer_than_the_model_allows() -> None:
    windows = windows_of([labelled(FILLER)], window=10_000)
    assert max(stop - start for _, start, stop in windows.items) == 38
    assert windows[0][0].positions.tolist() == list(range(40))


def test_documents_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    contents = {
        "good.pdf": text_pdf([["This agreement is made by Acme"]]),
        "empty.pdf": b"",
        "text.pdf": b"no document",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    examples = [Example(tmp_path / name, "annual_report") for name in ("empty.pdf", "good.pdf", "text.pdf")]
    told: list[tuple[str, str]] = []

    def tell(example: Example, outcome: Document | DocumentError) -> None:
        told.append((example.path.name, outcome.name if isinstance(outcome, Document) else outcome.code))

    read = list(read_examples(examples, tmp_path / "cache", IngestSettings(ocr="never"), tell))
    assert [(example.path.name, document.name) for example, document in read] == [("good.pdf", "good.pdf")]
    assert told == [("empty.pdf", "empty_file"), ("good.pdf", "good.pdf"), ("text.pdf", "not_a_document")]
    assert [document.pages[0].words[0].text for _, document in read] == ["This"]


def test_data_sets_of_several_formats_are_read_together(tmp_path: Path) -> None:
    data = [(agreements(tmp_path / "a", 2), "train"), (reports(tmp_path / "b", 1, split="dev"), "dev")]
    found = [(e.path.name, e.label, e.schema) for e in examples_of(data)]
    assert found == [
        ("agreement-train-0.pdf", "non_disclosure_agreement", "nda"),
        ("agreement-train-1.pdf", "non_disclosure_agreement", "nda"),
        ("report-0.pdf", "annual_report", None),
    ]


def test_a_text_is_a_document(tmp_path: Path) -> None:
    examples = examples_of([(terms(tmp_path, 40), "train")])
    read = list(read_examples(examples, tmp_path / "cache", IngestSettings()))
    assert [example for example, _ in read] == examples
    assert [document.name for _, document in read][:2] == ["train.jsonl#1", "train.jsonl#2"]
    assert [word.text for word in read[1][1].pages[0].words] == ["1.", "Here", "notices", "are", "given", "by", "hand."]
    assert not (tmp_path / "cache").exists()


def test_of_many_documents_some_are_drawn(tmp_path: Path) -> None:
    data = [(provisions(tmp_path / "a", 30), "train"), (reports(tmp_path / "b", 2), "train")]
    every, some = examples_of(data), examples_of(data, 10)
    assert len({example.path for example in some}) == 10
    assert set(some) < set(every)
    assert some == examples_of(data, 10)
    assert examples_of(data, 32) == examples_of(data, 99) == every


def test_unusable_data_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        examples_of([(tmp_path / "nowhere", "train")])
    with pytest.raises(ValueError, match="no data set"):
        examples_of([(tmp_path, "train")])
    with pytest.raises(ValueError, match="'test'"):
        examples_of([(agreements(tmp_path / "a", 1), "test")])
