from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.decoder import memory_of
from models.published import describe
from models.seq2seq import generate
from tests.models.published import peers

TEXTS = torch.tensor([[7, 30, 9, 50, 2], [8, 40, 2, -100, -100]])


@torch.no_grad()
def test_the_decoder_says_the_same(tmp_path: Path) -> None:
    published = peers.peer("led")
    ours, _ = peers.imported(published, tmp_path)
    for lengths in ((3, 5), (8, 16), (50, 21)):
        windows = [peers.ids(length, seed=length) for length in lengths]
        wanted = peers.ask("led", published, windows, labels=TEXTS)
        found = ours(replace(peers.batch(ours.config, windows), targets={"summary": TEXTS}))
        peers.close(found.logits["summary"], wanted.logits)
        peers.close(found.loss, wanted.loss)


@torch.inference_mode()
@pytest.mark.parametrize("beams", [1, 4])
def test_it_writes_the_same(beams: int, tmp_path: Path) -> None:
    published = peers.peer("led", seed=3)
    ours, _ = peers.imported(published, tmp_path)
    windows = [peers.ids(length, seed=length) for length in (21, 50)]
    batch = peers.batch(ours.config, windows)
    memory, mask = memory_of(ours(batch, []).hidden_states, batch.windows)
    found = generate(ours, "summary", memory, mask, beams=beams, max_new_tokens=20)
    filled = torch.nn.utils.rnn.pad_sequence(windows, batch_first=True, padding_value=1)
    written = published.generate(
        filled,
        attention_mask=mask.long(),
        global_attention_mask=torch.zeros_like(filled).index_fill(1, torch.tensor(0), 1),
        num_beams=beams,
        max_new_tokens=20,
        no_repeat_ngram_size=3,
        do_sample=False,
    )
    assert found == [[token for token in ids if token not in (1, 2)] for ids in written.tolist()]
    assert all(len(set(ids)) > 2 for ids in found)


def test_a_model_without_output_bias_has_a_decoder_too(tmp_path: Path) -> None:
    ours, account = peers.imported(peers.peer("led", with_head=False), tmp_path)
    assert not account.unused
    assert not ours.heads["summary"].bias.any()
    assert "heads.summary.decoder.blocks.2.cross_attention.key.weight" in ours.state_dict()


def test_its_ids_begin_and_end_a_text() -> None:
    told = describe({"model_type": "led", "decoder_start_token_id": 7, "eos_token_id": 8, "pad_token_id": 9})
    options = told.heads["summary"].options
    assert (options["start"], options["stop"], options["pad"]) == (7, 8, 9)
    assert options["max_length"] == 1024


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"decoder_ffn_dim": 32}, "4096 feed-forward channels and its decoder 32"),
        ({"decoder_attention_heads": 8}, "16 attention heads and its decoder 8"),
        ({"tie_word_embeddings": False}, "output weights"),
        ({"eos_token_id": [2, 3]}, r"\[2, 3\]"),
        ({"attention_window": [4, 8]}, r"windows of \[4, 8\]"),
    ],
)
def test_what_ours_cannot_be_is_refused(change: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        describe({"model_type": "led", **change})
