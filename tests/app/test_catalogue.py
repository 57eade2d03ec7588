"""Models are found and described by their files alone."""

import json
import struct
from pathlib import Path

import pytest

from app.catalogue import NoModelError, describe, find_model, list_models, models_in, open_model

HEADS = {
    "document_class": {"kind": "classify", "labels": ["lease", "order"]},
    "nda": {"kind": "label", "entities": {"party": {}}},
}


def make(folder: Path, config: str = json.dumps({"heads": HEADS, "max_tokens": 4096, "version": "1.2"})) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(config)
    tensors = {"a": {"dtype": "F16", "shape": [3, 4], "data_offsets": [0, 24]}, "__metadata__": {"format": "pt"}}
    header = json.dumps(tensors).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(24))
    return folder


def test_the_newest_is_the_last_by_number(tmp_path: Path) -> None:
    for name in ("small-9", "small-10", "small-2"):
        make(tmp_path / name)
    (tmp_path / "small-11").mkdir()
    assert [folder.name for folder in models_in(tmp_path)] == ["small-2", "small-9", "small-10"]
    assert find_model(None, tmp_path).name == "small-10"


def test_the_model_asked_for_comes_first(tmp_path: Path) -> None:
    asked = make(tmp_path / "mine" / "m")
    assert find_model(asked, tmp_path) == asked


def test_no_model_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NoModelError, match="--model or LONGLEAF_MODEL"):
        find_model(None, tmp_path / "nowhere")
    with pytest.raises(NoModelError, match="no such folder"):
        find_model(tmp_path / "nowhere")
    with pytest.raises(NoModelError, match=r"needs the files config\.json and model\.safetensors"):
        find_model(tmp_path)


def test_a_model_is_described_by_its_files(tmp_path: Path) -> None:
    listing = describe(make(tmp_path / "small-1"))
    assert (listing.name, listing.version, listing.max_tokens) == ("small-1", "1.2", 4096)
    assert (listing.classes, listing.schemas) == (("lease", "order"), ("nda",))
    assert listing.tasks == ("classify", "extract")
    assert listing.parameters == 12


def test_what_cannot_be_read_is_told_of_and_left_out(tmp_path: Path) -> None:
    make(tmp_path / "good")
    make(tmp_path / "bad", "{")
    make(tmp_path / "odd", '{"heads": []}')
    told: list[str] = []
    assert [listing.name for listing in list_models([tmp_path, tmp_path / "nowhere"], told.append)] == ["good"]
    assert len(told) == 2


@pytest.mark.parametrize("config", ["{", '{"heads": {}}'])
def test_files_that_are_no_model_cannot_be_opened(tmp_path: Path, config: str) -> None:
    folder = make(tmp_path / "bad", config)
    (folder / "model.safetensors").write_bytes(b"12345678")
    with pytest.raises(NoModelError, match="cannot be opened"):
        open_model(folder)
