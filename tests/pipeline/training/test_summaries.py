from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models

from models.presets import preset
from pipeline.dataset import NOT_LABELLED, collate
from pipeline.training.formats import Example
from pipeline.training.prepare import TrainingWindows, label, teaches
from pipeline.training.summaries import SUMMARY, summary_head, summary_target
from tests import tiny

TOKENIZER = tiny.tokenizer()
HEAD = {"kind": "generate", "max_length": 6, "start": 2, "stop": 3, "pad": 0}
CONFIG = tiny.config(heads={**tiny.HEADS, SUMMARY: HEAD})
IDS = TOKENIZER.encode("the annual report", add_special_tokens=False).ids


def test_a_decoder_has_the_ids_of_its_tokenizer() -> None:
    assert summary_head(TOKENIZER, "longleaf") == {**HEAD, "max_length": 512}


@pytest.mark.parametrize("name", ["raed-fnet", "raed-hnet", "led"])
def test_a_preset_with_a_decoder_keeps_its_shape(name: str) -> None:
    ids = {"start": 2, "stop": 3, "pad": 0}
    assert summary_head(TOKENIZER, name) == {**preset(name).heads[SUMMARY], **ids}


def test_a_decoder_needs_an_id_to_fill_up_with() -> None:
    vocabulary = {entry: i for i, entry in enumerate(("[UNK]", "[CLS]", "[SEP]"))}
    with pytest.raises(ValueError, match=r"\[PAD\]"):
        summary_head(Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]")), "led")
    with pytest.raises(ValueError, match="'spiral'"):
        summary_head(TOKENIZER, "spiral")


def test_the_target_is_the_summary_and_its_end() -> None:
    assert summary_target("The annual report", TOKENIZER, HEAD).tolist() == [[*IDS, 3]]
    assert summary_target("", TOKENIZER, HEAD).tolist() == [[3]]
    assert summary_target(None, TOKENIZER, HEAD).tolist() == [[NOT_LABELLED]]


def test_a_target_ends_with_what_the_decoder_can_write() -> None:
    [found] = summary_target("the annual report " * 9, TOKENIZER, HEAD).tolist()
    assert found == [*(IDS * 2)[:5], 3]


def test_what_stands_for_a_special_token_is_text() -> None:
    tokenizer = tiny.tokenizer()
    tokenizer.encode_special_tokens = True
    assert summary_target("[SEP]", tokenizer, HEAD)[0].tolist().count(3) == 1


def windows_of(*pairs: tuple[str, str | None]) -> TrainingWindows:
    examples = [
        (Example(Path(f"{i}"), None, text=text, summary=summary), text) for i, (text, summary) in enumerate(pairs)
    ]
    return TrainingWindows([label(e, tiny.document(text), TOKENIZER) for e, text in examples], TOKENIZER, CONFIG, 40)


def test_the_first_window_of_a_document_is_learnt_to_be_summarised() -> None:
    windows = windows_of((tiny.long_text(200, known=tiny.WHOLE), "the annual report"))
    assert windows.items == [(0, 0, 38)]
    _, targets = windows[0]
    assert targets[SUMMARY].tolist() == [[*IDS, 3]]
    assert (targets["document_class"] == NOT_LABELLED).all()


def test_targets_of_a_batch_are_filled_up_to_the_longest() -> None:
    windows = windows_of(("this agreement", "report"), ("the company", None), ("annual report", "the annual report"))
    items = [windows[i] for i in range(len(windows))]
    batch = collate([window for window, _ in items], [targets for _, targets in items])
    filled = [[IDS[2], 3, NOT_LABELLED, NOT_LABELLED], [NOT_LABELLED] * 4, [*IDS, 3]]
    assert batch.targets[SUMMARY].tolist() == filled
    assert np.array_equal(batch.targets["document_class"], [NOT_LABELLED] * 3)


def test_a_summary_teaches_a_model_with_a_decoder() -> None:
    [document] = windows_of(("this agreement", "report")).documents
    assert teaches(document, CONFIG)
    assert not teaches(document, tiny.config())
    [document] = windows_of(("this agreement", None)).documents
    assert not teaches(document, CONFIG)
