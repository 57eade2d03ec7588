import json
from pathlib import Path

import pytest

from pipeline.training.formats import cuad

TYPES = {
    "Joint Venture _ Filing": "joint_venture",
    "License_Agreements": "license",
    "Endorsement Agreement": "endorsement",
    "Co_Branding": "co_branding",
    "IP": "ip",
}


def write(folder: Path, **more: str) -> None:
    (folder / "documents").mkdir()
    rows = [{"file": f"{i}.pdf", "split": "train", "clauses": {}, **more} for i in range(2)]
    for row in rows:
        (folder / "documents" / row["file"]).touch()
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(("written", "label"), TYPES.items())
def test_a_contract_is_of_its_type_in_a_split_of_its_own(tmp_path: Path, written: str, label: str) -> None:
    write(tmp_path, type=written)
    assert cuad.splits(tmp_path) == ["train", "train-types"]
    typed, plain = cuad.read(tmp_path, "train-types"), cuad.read(tmp_path, "train")
    assert [(e.label, e.schema, e.values) for e in typed] == [(label, None, ())] * 2
    assert [(e.label, e.schema) for e in plain] == [("commercial_contract", "contract")] * 2
    assert [e.path for e in typed] == [e.path for e in plain]


def test_without_types_there_is_no_such_split(tmp_path: Path) -> None:
    write(tmp_path)
    assert cuad.splits(tmp_path) == ["train"]
    with pytest.raises(ValueError, match="no split 'train-types'"):
        cuad.read(tmp_path, "train-types")
