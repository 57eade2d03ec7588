from pathlib import Path

import pytest

from pipeline.training.formats import unfair_tos


def company(folder: Path, name: str, lines: str, tags: str) -> None:
    for kind, text in (("sentences", lines), ("tags", tags)):
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / f"{name}.txt").write_text(text, "utf-8")


def test_a_sentence_has_the_kinds_that_are_unfair_in_it(tmp_path: Path) -> None:
    company(
        tmp_path,
        "Acme",
        "Welcome.\nWe owe nothing.\n\n By use\u2028you agree. \n",
        "\nltd2 ter3 a1\n\nuse2 pinc2 countrym\n",
    )
    company(tmp_path, "Roe", "Fair.", "law1")
    found = {e.path.name: e for split in unfair_tos.splits(tmp_path) for e in unfair_tos.read(tmp_path, split)}
    assert {name: e.labels for name, e in found.items()} == {
        "Acme.txt#1": (),
        "Acme.txt#2": ("limitation_of_liability", "unilateral_termination"),
        "Acme.txt#4": ("contract_by_using",),
        "Roe.txt#1": (),
    }
    assert found["Acme.txt#4"].text == "By use\u2028you agree."
    assert {e.label for e in found.values()} == {None}


def test_companies_are_split_in_fifths(tmp_path: Path) -> None:
    for i in range(20):
        company(tmp_path, f"company {i}", "One.\nTwo.", "\n")
    names = {
        split: {e.path.name.split("#")[0] for e in unfair_tos.read(tmp_path, split)}
        for split in ("train", "validation", "test")
    }
    assert [len(found) for found in names.values()] == [12, 4, 4]
    assert len(set.union(*names.values())) == 20


def test_lines_without_their_tags_are_an_error(tmp_path: Path) -> None:
    company(tmp_path, "Acme", "One.\nTwo.", "ter2")
    with pytest.raises(ValueError, match=r"has 2 lines and .* has 1"):
        unfair_tos.read(tmp_path, "test")
    (tmp_path / "tags" / "Acme.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"though .*Acme\.txt lists it"):
        unfair_tos.read(tmp_path, "test")
