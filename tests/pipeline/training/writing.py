"""Data sets to learn from in seconds: generated PDFs and texts in the folders that the formats know."""

import json
from pathlib import Path

from tests.pipeline.writing import text_pdf

NAMES = ("Acme", "Beta", "Gamma", "Delta", "Omega", "Sigma", "Kappa", "Theta", "Alpha", "Zeta")


def agreements(folder: Path, count: int, split: str = "train") -> Path:
    """Kleister-NDA's form: agreements of two parties, dated, with the values of each."""
    rows = []
    for i in range(count):
        one, other = NAMES[i % len(NAMES)], NAMES[(i + 3) % len(NAMES)]
        lines = [
            f"This agreement is made on {i % 28 + 1} March 201{i % 8}",
            f"between the company {one} Inc. and the company {other} LLC.",
            "Each party keeps what it learns confidential for a term of 2 years.",
        ]
        _document(folder / "documents" / f"agreement-{split}-{i}.pdf", lines)
        rows.append(f"effective_date=201{i % 8}-03-{i % 28 + 1:02} party={one}_Inc. party={other}_LLC term=2_years\n")
    (folder / split).mkdir()
    listing = "".join(f"agreement-{split}-{i}.pdf\n" for i in range(count))
    (folder / split / "documents.txt").write_text(listing)
    (folder / split / "expected.tsv").write_text("".join(rows))
    return folder


def reports(folder: Path, count: int, label: str = "annual_report", split: str = "train") -> Path:
    """A table of labels: documents of which only the class is known."""
    rows = ["file,label,split\n"]
    for i in range(count):
        name = f"report-{i}.pdf"
        lines = [f"The annual report of {NAMES[i % len(NAMES)]}", f"for the year 201{i % 8} in thousands of dollars"]
        _document(folder / "documents" / name, lines)
        rows.append(f"{name},{label},{split}\n")
    (folder / "labels.csv").write_text("".join(rows))
    return folder


CLAUSES = {"notices": "notices are given by hand", "taxes": "taxes are the party's", "term": "the term is a year"}


def provisions(folder: Path, count: int, split: str = "train") -> Path:
    """Rows of texts that have one class each."""
    found = list(CLAUSES.items())
    rows = [{"text": f"{i}. Here {found[i % 3][1]} in {i % 10}.", "label": found[i % 3][0]} for i in range(count)]
    return _rows(folder, split, rows)


def terms(folder: Path, count: int, split: str = "train") -> Path:
    """Rows of texts that have several classes or none, by turns none, the first, the second, both."""
    names = list(CLAUSES)[:2]
    rows = []
    for i in range(count):
        labels = [name for bit, name in enumerate(names) if i >> bit & 1]
        text = " and ".join(CLAUSES[name] for name in labels) or "we are a company"
        rows.append({"text": f"{i % 10}. Here {text}.", "labels": labels})
    return _rows(folder, split, rows)


def papers(folder: Path, count: int, split: str = "train") -> Path:
    """Rows of texts with a summary: the party that each is about, of three by turns."""
    rows: list[dict[str, object]] = []
    for i in range(count):
        name = NAMES[i % 3].lower()
        text = f"In {i % 10} the company {name} and the party agree. This is the report. It is annual. {name} is of it."
        rows.append({"text": text, "summary": f"the agreement of the company {name}."})
    return _rows(folder, split, rows)


def _rows(folder: Path, split: str, rows: list[dict[str, object]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def _document(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text_pdf([lines]))
