from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models

from pipeline.dataset import NOT_LABELLED
from pipeline.encode import Tokens, tokenize
from pipeline.training.masking import MaskedBatches, Masker
from pipeline.training.packing import Window, windows_of
from pipeline.training.trainer import collate_groups
from tests import tiny

TOKENIZER = tiny.tokenizer()
DOCUMENT = tokenize(tiny.document(tiny.long_text(150), tiny.long_text(150, seed=1) + " § ☃"), TOKENIZER)


def masked(tokens: Tokens = DOCUMENT) -> Iterator[tuple[Tokens, NDArray[np.int64]]]:
    """The document with other words hidden each time."""
    return (Masker(TOKENIZER)(tokens, np.random.default_rng(seed)) for seed in range(300))


def test_what_stood_at_chosen_tokens_is_to_be_guessed_and_others_stay() -> None:
    for hidden, stood in masked():
        chosen = stood != NOT_LABELLED
        assert (stood[chosen] == DOCUMENT.ids[chosen]).all()
        assert (hidden.ids[~chosen] == DOCUMENT.ids[~chosen]).all()
        assert (hidden.shapes[~chosen] == DOCUMENT.shapes[~chosen]).all()
        assert hidden.boxes is DOCUMENT.boxes


def test_the_shares() -> None:
    mask = TOKENIZER.token_to_id("[MASK]")
    found = list(masked())
    hidden, stood = np.stack([h.ids for h, _ in found]), np.stack([s for _, s in found])
    chosen = stood != NOT_LABELLED
    assert chosen.mean() == pytest.approx(0.15, rel=0.03)
    assert (hidden[chosen] == mask).mean() == pytest.approx(0.8, rel=0.03)
    assert (hidden[chosen] == stood[chosen]).mean() == pytest.approx(0.1, rel=0.1)
    everywhere = chosen.mean(axis=0)
    assert everywhere[DOCUMENT.ids != TOKENIZER.token_to_id("[UNK]")].min() > 0.05


def test_words_are_hidden_whole() -> None:
    assert max(np.bincount(DOCUMENT.words)) > 1
    mask = TOKENIZER.token_to_id("[MASK]")
    for hidden, stood in masked():
        for of_token in (stood != NOT_LABELLED, hidden.ids == mask):
            of_word = np.bincount(DOCUMENT.words, of_token) / np.bincount(DOCUMENT.words)
            assert set(of_word) <= {0.0, 1.0}


def test_special_tokens_are_neither_chosen_nor_put_in() -> None:
    unknown = DOCUMENT.ids == TOKENIZER.token_to_id("[UNK]")
    assert unknown.any()
    special = [TOKENIZER.token_to_id(name) for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")]
    for hidden, stood in masked():
        assert (stood[unknown] == NOT_LABELLED).all()
        assert not np.isin(hidden.ids[~unknown], special).any()


def test_the_shape_of_a_hidden_word_is_hidden() -> None:
    mask = TOKENIZER.token_to_id("[MASK]")
    for hidden, _ in masked():
        assert ((hidden.shapes == 0) == (hidden.ids == mask)).all()
        assert hidden.shapes.max() < 8


def test_a_piece_of_a_document_is_masked_too() -> None:
    arrays = ("ids", "words", "pages", "boxes", "centres", "shapes")
    for start, stop in ((9, 40), (0, 0)):
        piece = replace(DOCUMENT, **{name: getattr(DOCUMENT, name)[start:stop] for name in arrays})
        assert {len(stood) for _, stood in masked(piece)} == {stop - start}
        assert any((stood != NOT_LABELLED).any() for _, stood in masked(piece)) == (stop > start)


def test_a_tokenizer_must_know_how_to_hide() -> None:
    with pytest.raises(ValueError, match=r"\[MASK\]"):
        Masker(Tokenizer(models.WordPiece({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2}, unk_token="[UNK]")))


def batches(turn: int = 0, seed: int = 0, window: int = 40, shift: bool = True) -> MaskedBatches:
    laid = [[part] for part in windows_of([len(DOCUMENT)], window, turn)]
    return MaskedBatches([DOCUMENT], laid, TOKENIZER, tiny.config(), seed, shift)


def guessed(made: MaskedBatches) -> list[int]:
    """The targets of all windows without their special tokens."""
    return [int(target) for i in range(len(made)) for _, stood in made[i] for target in stood["mlm"][1:-1]]


def test_another_pass_or_seed_hides_other_words_and_the_same_hides_the_same() -> None:
    assert guessed(batches()) == guessed(batches())
    assert len({tuple(guessed(batches(turn, seed))) for turn in (0, 1) for seed in (0, 1)}) == 4


def test_what_is_hidden_does_not_depend_on_the_windows() -> None:
    assert guessed(batches(window=40)) == guessed(batches(window=16))


def test_windows_lie_anywhere_or_at_the_beginning() -> None:
    def firsts(made: MaskedBatches) -> set[int]:
        return {int(window.positions[1]) for i in range(len(made)) for window, _ in made[i]}

    assert firsts(batches(window=16, shift=False)) == {1}
    found = firsts(batches(window=16))
    assert 1 in found
    assert len(found) > 5
    assert max(found) <= 40 - 15


def test_batches_are_joined_for_the_trainer() -> None:
    made = MaskedBatches(
        [DOCUMENT], [[Window(0, 0, 0, 10), Window(0, 0, 10, 15)]], TOKENIZER, tiny.config(), seed=0, shift=False
    )
    batch = collate_groups([made[0], made[0]])["batch"]
    assert batch.first.tolist() == [0, 12, 19, 31]
    assert len(batch.targets["mlm"]) == len(batch.input_ids) == 38
    assert (batch.targets["mlm"][batch.first] == NOT_LABELLED).all()
