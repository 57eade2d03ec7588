from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import RobertaTokenizer

from models.checkpoint import load
from pipeline.dataset import collate
from pipeline.encode import encode, load_tokenizer, tokenize
from pipeline.importing import Imported, find_checkpoint, import_checkpoint
from tests import tiny
from tests.models.published import peers

PAGES = ("This agreement, made between", "Acme Inc. and the party")


def published(folder: Path, family: str = "bert", **changes: Any) -> Path:  # noqa: ANN401
    """A checkpoint and its tokenizer."""
    words = tiny.tokenizer().get_vocab_size()
    peers.peer(family, **{"vocab_size": words, **changes}).save_pretrained(folder)
    tiny.tokenizer().save(str(folder / "tokenizer.json"))
    return folder


@torch.no_grad()
def test_a_folder_of_transformers_becomes_one_of_ours(tmp_path: Path) -> None:
    imported = import_checkpoint(published(tmp_path / "theirs"), tmp_path / "ours")
    assert isinstance(imported, Imported)
    assert not imported.converted
    assert {path.name for path in (tmp_path / "ours").iterdir()} == {
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    }
    model, theirs = load(tmp_path / "ours"), peers.peer("bert", vocab_size=tiny.tokenizer().get_vocab_size())
    tokenizer = load_tokenizer(tmp_path / "ours")
    [window] = encode(tokenize(tiny.document(*PAGES), tokenizer), tokenizer, model.config)
    wanted = theirs(torch.from_numpy(window.input_ids)[None]).logits[0]
    peers.close(model(collate([window])).logits["mlm"], wanted)


@torch.no_grad()
def test_a_model_of_robertas_kind_reads_documents_as_the_original_does(tmp_path: Path) -> None:
    """Words, their tokens, begin and end, positions and weights."""
    theirs = peers.peer("longformer", vocab_size=400)
    theirs.save_pretrained(tmp_path / "theirs")
    tiny.roberta_tokenizer(tmp_path / "theirs")
    import_checkpoint(tmp_path / "theirs", tmp_path / "ours")
    model, tokenizer = load(tmp_path / "ours"), load_tokenizer(tmp_path / "ours")
    [window] = encode(tokenize(tiny.document(*PAGES), tokenizer), tokenizer, model.config)
    its = RobertaTokenizer.from_pretrained(tmp_path / "theirs", add_prefix_space=True)
    tokens = torch.tensor(its(" ".join(PAGES).split(), is_split_into_words=True)["input_ids"])
    wanted = peers.ask("longformer", theirs, [tokens]).logits[0]
    peers.close(model(collate([window])).logits["mlm"], wanted)


@pytest.mark.parametrize(("family", "begin"), [("bert", "[CLS]"), ("roberta", "<s>")])
def test_older_files_of_a_tokenizer_are_converted(family: str, begin: str, tmp_path: Path) -> None:
    source = tmp_path / "theirs"
    peers.peer(family, vocab_size=400).save_pretrained(source)
    if family == "bert":
        words = sorted(tiny.tokenizer().get_vocab().items(), key=lambda entry: entry[1])
        (source / "vocab.txt").write_text("\n".join(word for word, _ in words), "utf-8")
    else:
        load_tokenizer(tiny.roberta_tokenizer(tmp_path)).model.save(str(source))
    imported = import_checkpoint(source, tmp_path / "ours")
    assert imported.converted
    tokenizer = load_tokenizer(tmp_path / "ours")
    tokens = tokenize(tiny.document("This agreement"), tokenizer)
    assert [tokenizer.id_to_token(i).strip("Ġ").lower() for i in tokens.ids][-1] == "agreement"
    assert tokenizer.token_to_id(begin) is not None


def test_a_tokenizer_that_cannot_be_made(tmp_path: Path) -> None:
    source = published(tmp_path / "theirs", "fnet")
    (source / "tokenizer.json").unlink()
    with pytest.raises(OSError, match="holds no tokenizer"):
        import_checkpoint(source, tmp_path / "ours")
    (source / "spiece.model").write_bytes(b"")
    with pytest.raises(ValueError, match=r"none can be made of spiece\.model"):
        import_checkpoint(source, tmp_path / "ours")


def test_a_tokenizer_of_another_model(tmp_path: Path) -> None:
    source = published(tmp_path / "theirs", vocab_size=60)
    with pytest.raises(ValueError, match="its model words for 60"):
        import_checkpoint(source, tmp_path / "ours")


def test_a_checkpoint_is_not_overwritten(tmp_path: Path) -> None:
    source = published(tmp_path / "theirs")
    with pytest.raises(ValueError, match="a folder of its own"):
        import_checkpoint(source, tmp_path / "other" / ".." / "theirs")


def test_a_folder_is_found_without_the_hub(tmp_path: Path) -> None:
    assert find_checkpoint(str(tmp_path)) == tmp_path
    (tmp_path / "file").touch()
    for asked in (f"{tmp_path}/file", f"{tmp_path}/nowhere", "./nowhere", "~/nowhere"):
        with pytest.raises(OSError, match="There is no folder"):
            find_checkpoint(asked)
    with pytest.raises(OSError, match="neither a folder nor the name"):
        find_checkpoint("not a/name")
