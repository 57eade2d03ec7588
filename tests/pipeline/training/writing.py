"""Data sets to learn from in seconds: generated PDFs in the folders that the formats know."""

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


def _document(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text_pdf([lines]))
