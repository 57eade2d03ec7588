"""Every format reads a tiny folder of its kind, and says clearly what is wrong with one."""

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from models.registry import names, pick
from pipeline.training.formats import Example, open_format

FOLDER = "pipeline.training.formats"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def kleister(folder: Path) -> None:
    write(folder / "documents" / "a.pdf")
    write(folder / "train" / "documents.txt", "a.pdf\n")
    write(folder / "train" / "expected.tsv", "party=Nike_Inc. party=Jane_Roe term=2_years\n")
    write(folder / "test-A" / "documents.txt", "a.pdf\nabsent.pdf\n")


def table(folder: Path) -> None:
    write(folder / "documents" / "a.pdf")
    write(folder / "labels.csv", "file,label,split\na.pdf,annual_report,train\n")


def deepform(folder: Path) -> None:
    write(folder / "documents" / "a.pdf")
    header = "file,split,pages,contract_num,advertiser,gross_amount,flight_from,flight_to"
    write(folder / "labels.csv", f'{header}\na.pdf,train,2, 42,Roe for Mayor,"$2,785.00",,3/1/20\n')


def cuad(folder: Path) -> None:
    write(folder / "documents" / "a.pdf")
    clauses = {
        "Parties": {"text": "[]", "answer": 'Acme, Inc. ("Acme"); Jane Roe'},
        "Governing Law": {"text": "[]", "answer": "New York"},
        "Renewal Term": {"text": "[]", "answer": ""},
    }
    write(folder / "labels.jsonl", json.dumps({"file": "a.pdf", "split": "train", "clauses": clauses}) + "\n")


def sroie(folder: Path) -> None:
    write(folder / "train" / "a.jpg")
    write(folder / "train" / "a.json", json.dumps({"company": "ACME", "date": "", "total": "9.00"}))
    write(folder / "train" / "without_image.json", "{}")


def invoices(folder: Path) -> None:
    write(folder / "datasets" / "invoices" / "raw_data" / "a.pdf")


def provisions(folder: Path) -> None:
    text = json.dumps({"label": "notices", "text": "All notices are written."}, ensure_ascii=False)
    (folder / "provisions.jsonl.xz").write_bytes(lzma.compress(text.encode()))


def unfair_tos(folder: Path) -> None:
    for company in ("Acme.txt", "Roe.txt"):
        write(folder / "sentences" / company, "We may end this.\n\n")
        write(folder / "tags" / company, "ter3 law1\n\n")


def rows(folder: Path) -> None:
    write(folder / "train.jsonl", json.dumps({"text": ["One.", "Two."], "label": "appeal"}) + "\n")


MAKERS: dict[str, Callable[[Path], None]] = {
    "cuad": cuad,
    "deepform": deepform,
    "invoices": invoices,
    "kleister": kleister,
    "provisions": provisions,
    "rows": rows,
    "sroie": sroie,
    "table": table,
    "unfair_tos": unfair_tos,
}
TEXTS = {"provisions": "All notices are written.", "rows": "One.\nTwo.", "unfair_tos": "We may end this."}
LABEL_SCHEMA_VALUES = {
    "cuad": (
        "commercial_contract",
        "contract",
        (("party", 'Acme, Inc. ("Acme")'), ("party", "Jane Roe"), ("governing_law", "New York")),
    ),
    "deepform": (
        "advertising_order",
        "ad_order",
        (
            ("contract_num", "42"),
            ("advertiser", "Roe for Mayor"),
            ("gross_amount", "$2,785.00"),
            ("flight_to", "3/1/20"),
        ),
    ),
    "invoices": ("receipt_or_invoice", None, ()),
    "kleister": (
        "non_disclosure_agreement",
        "nda",
        (("party", "Nike Inc."), ("party", "Jane Roe"), ("term", "2 years")),
    ),
    "provisions": ("notices", None, ()),
    "rows": ("appeal", None, ()),
    "sroie": ("receipt_or_invoice", "receipt", (("company", "ACME"), ("total", "9.00"))),
    "table": ("annual_report", None, ()),
    "unfair_tos": (None, None, ()),
}


def make(name: str, folder: Path) -> ModuleType:
    MAKERS[name](folder)
    return pick(FOLDER, name)


@pytest.mark.parametrize("name", names(FOLDER))
def test_a_folder_is_recognised_by_its_format_and_no_other(name: str, tmp_path: Path) -> None:
    module = make(name, tmp_path)
    assert open_format(tmp_path) is module
    assert [other for other in names(FOLDER) if pick(FOLDER, other).recognises(tmp_path)] == [name]


@pytest.mark.parametrize("name", names(FOLDER))
def test_documents_come_with_label_and_values(name: str, tmp_path: Path) -> None:
    (example,) = make(name, tmp_path).read(tmp_path, "train")
    assert example.path.is_file() == (name not in TEXTS)
    assert example.text == TEXTS.get(name)
    assert (example.label, example.schema, example.values) == LABEL_SCHEMA_VALUES[name]


@pytest.mark.parametrize("name", names(FOLDER))
def test_a_missing_split_names_the_splits_there_are(name: str, tmp_path: Path) -> None:
    module = make(name, tmp_path)
    with pytest.raises(ValueError, match=r"no split 'nowhere'; there are: .*train"):
        module.read(tmp_path, "nowhere")


@pytest.mark.parametrize("name", ["cuad", "deepform", "kleister", "table"])
def test_a_listed_document_that_is_not_there_is_named(name: str, tmp_path: Path) -> None:
    module = make(name, tmp_path)
    (tmp_path / "documents" / "a.pdf").unlink()
    with pytest.raises(FileNotFoundError, match=r"a\.pdf does not exist, though .* lists it"):
        module.read(tmp_path, "train")


def test_an_unknown_folder_names_the_formats_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no data set of a known format; looked for: cuad, .*kleister"):
        open_format(tmp_path)
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        open_format(tmp_path / "absent")


def test_kleister_without_labels_passes_over_absent_documents(tmp_path: Path) -> None:
    module = make("kleister", tmp_path)
    assert module.splits(tmp_path) == ["test-A", "train"]
    path = tmp_path / "documents" / "a.pdf"
    assert module.read(tmp_path, "test-A") == [Example(path, "non_disclosure_agreement")]


def test_kleister_lists_of_different_length_are_an_error(tmp_path: Path) -> None:
    module = make("kleister", tmp_path)
    write(tmp_path / "train" / "expected.tsv", "term=1_year\nterm=2_years\n")
    with pytest.raises(ValueError, match=r"has 1 lines and .* has 2"):
        module.read(tmp_path, "train")
