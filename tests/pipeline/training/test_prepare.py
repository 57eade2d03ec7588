from pathlib import Path

import numpy as np
import pytest

from pipeline.ingest import IngestSettings
from pipeline.training.prepare import (
    IGNORE,
    Labelled,
    TrainingWindows,
    count_located,
    examples_of,
    heads_for,
    label,
    read_examples,
)
from tests import tiny
from tests.pipeline.training.data_sets import kleister, table


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Labelled]:
    root = tmp_path_factory.mktemp("data")
    data = [(kleister(root / "agreements"), "train"), (table(root / "reports"), "train")]
    read = read_examples(examples_of(data), root / "cache", IngestSettings(ocr="never"))
    return [label(example, document, tiny.tokenizer()) for example, document in read]


def test_every_value_is_located(documents: list[Labelled]) -> None:
    assert count_located(documents) == {"party": (6, 6), "jurisdiction": (6, 6)}


def test_heads_are_those_the_documents_can_teach(documents: list[Labelled]) -> None:
    heads, schema_of_class = heads_for(documents)
    assert heads["document_class"]["labels"] == ["annual_report", "non_disclosure_agreement"]
    assert list(heads["nda"]["entities"]) == ["party", "effective_date", "jurisdiction", "term"]  # type: ignore[call-overload]
    assert schema_of_class == {"non_disclosure_agreement": "nda"}


def test_targets_stand_on_the_first_token_of_each_word(documents: list[Labelled]) -> None:
    heads, _ = heads_for(documents)
    config = tiny.config(heads=heads, max_tokens=128)
    windows = TrainingWindows(documents, tiny.tokenizer(), config, window=128, one_in=1)
    for (number, start, stop), (window, targets) in zip(windows.items, windows, strict=True):
        document = documents[number]
        assert len(targets["nda"]) == len(window)
        assert targets["nda"][0] == targets["nda"][-1] == IGNORE
        inside, first = targets["nda"][1:-1], document.tokens.starts_word[start:stop]
        if document.schema is None:
            assert (inside == IGNORE).all()
        else:
            assert (inside[~first] == IGNORE).all()
            assert (inside[first] != IGNORE).all()
            assert np.count_nonzero(inside == 1) == 1  # B of party, the first entity type
            assert np.count_nonzero(inside == 5) == 1  # B of jurisdiction, the third


def test_short_windows_stand_anywhere_among_the_positions(documents: list[Labelled]) -> None:
    heads, _ = heads_for(documents)
    windows = TrainingWindows(documents, tiny.tokenizer(), tiny.config(heads=heads, max_tokens=500), window=40)
    seen = [window.positions for window, _ in windows]
    assert max(positions[1] for positions in seen) > 40
    assert all(positions[0] == 0 and positions[-1] < 500 for positions in seen)
    assert all((np.diff(positions[1:]) == 1).all() for positions in seen)


def test_an_unreadable_document_is_told_of_and_left_out(tmp_path: Path) -> None:
    folder = table(tmp_path / "reports")
    (folder / "documents" / "1.pdf").write_bytes(b"%PDF-1.4 nothing more")
    told = []
    read = read_examples(
        examples_of([(folder, "train")]),
        tmp_path / "cache",
        IngestSettings(ocr="never"),
        lambda example, outcome: told.append((example.path.name, isinstance(outcome, Exception))),
    )
    assert [example.path.name for example, _ in read] == ["0.pdf", "2.pdf"]
    assert told == [("0.pdf", False), ("1.pdf", True), ("2.pdf", False)]
