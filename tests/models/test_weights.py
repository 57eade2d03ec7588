import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from models.weights import read_published

FIRST, SECOND = {"a.weight": torch.arange(3.0)}, {"b.weight": torch.arange(4.0)}
BOTH = FIRST | SECOND


class Strange:
    """What pickle would run on opening it."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (Path("opened"),)


def index(folder: Path, name: str, *files: str) -> None:
    """An index of two keys in these files."""
    (folder / f"{name}.index.json").write_text(json.dumps({"weight_map": dict(zip(BOTH, files, strict=True))}))


def same(found: dict[str, Tensor]) -> bool:
    return found.keys() == BOTH.keys() and all(torch.equal(found[name], BOTH[name]) for name in BOTH)


def test_one_file(tmp_path: Path) -> None:
    torch.save(BOTH, tmp_path / "pytorch_model.bin")
    assert same(read_published(tmp_path))


def test_safetensors_are_preferred(tmp_path: Path) -> None:
    torch.save(FIRST, tmp_path / "pytorch_model.bin")
    save_file(BOTH, tmp_path / "model.safetensors")
    assert same(read_published(tmp_path))


def test_several_files(tmp_path: Path) -> None:
    names = "model-1.safetensors", "model-2.safetensors"
    index(tmp_path, "model.safetensors", *names)
    for name, part in zip(names, (FIRST, SECOND), strict=True):
        save_file(part, tmp_path / name)
    assert same(read_published(tmp_path))
    (tmp_path / names[1]).unlink()
    with pytest.raises(OSError, match=names[1]):
        read_published(tmp_path)


def test_several_pickled_files(tmp_path: Path) -> None:
    index(tmp_path, "pytorch_model.bin", "one.bin", "two.bin")
    torch.save(FIRST, tmp_path / "one.bin")
    torch.save(SECOND, tmp_path / "two.bin")
    assert same(read_published(tmp_path))


def test_an_index_may_not_point_elsewhere(tmp_path: Path) -> None:
    index(tmp_path, "model.safetensors", "model-1.safetensors", "../model.safetensors")
    with pytest.raises(ValueError, match="another folder"):
        read_published(tmp_path)


@pytest.mark.parametrize("written", ["[]", "{", '{"weight_map": [1]}', '{"weight_map": {"a": 1}}'])
def test_what_is_no_index(written: str, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(written)
    with pytest.raises(ValueError, match="not an index"):
        read_published(tmp_path)


def test_nothing_in_a_file_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for write in (lambda path: torch.save({"a": Strange()}, path), _pickle):
        write(tmp_path / "pytorch_model.bin")
        with pytest.raises(ValueError, match="more than weights"):
            read_published(tmp_path)
    assert not Path("opened").exists()


def _pickle(path: Path) -> None:
    path.write_bytes(pickle.dumps(Strange(), protocol=2))


def test_a_file_that_holds_no_weights(tmp_path: Path) -> None:
    for held in ({"step": 3}, [torch.zeros(1)]):
        torch.save(held, tmp_path / "pytorch_model.bin")
        with pytest.raises(ValueError, match="something else"):
            read_published(tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("length", [0, 90])
def test_a_damaged_file(name: str, length: int, tmp_path: Path) -> None:
    path = tmp_path / name
    (save_file if name.endswith("s") else torch.save)(BOTH, path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ValueError, match=name):
        read_published(tmp_path)


def test_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="holds no weights"):
        read_published(tmp_path)
