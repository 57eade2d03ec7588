"""Data set folders small enough to make in a test: real PDFs, labels in the form of the data set."""

from pathlib import Path

from tests.pipeline.writing import text_pdf

STATES = ("Ohio", "Texas", "Utah", "Iowa", "Maine", "Nevada", "Oregon", "Idaho")


def kleister(folder: Path, documents: int = 6) -> Path:
    """Agreements of two pages, each with its own party and state; splits `train` and `dev-0` hold the same ones."""
    (folder / "documents").mkdir(parents=True)
    rows = []
    for i, state in enumerate(STATES[:documents]):
        party = f"Acme {state} Inc."
        first = [f"This agreement is made between {party}", "and each party of this report."]
        law = [f"It is governed by the laws of the State of {state}."]
        (folder / "documents" / f"{i}.pdf").write_bytes(text_pdf([first, law]))
        rows.append(f"party={party.replace(' ', '_')} jurisdiction={state}")
    for split in ("train", "dev-0"):
        (folder / split).mkdir()
        listed = "\n".join(f"{i}.pdf" for i in range(documents))
        (folder / split / "documents.txt").write_text(f"{listed}\n")
        (folder / split / "expected.tsv").write_text("\n".join(rows) + "\n")
    return folder


def table(folder: Path, label: str = "annual_report", documents: int = 3) -> Path:
    """Reports in a table of labels, all in the split `train`."""
    (folder / "documents").mkdir(parents=True)
    rows = ["file,label,split"]
    for i in range(documents):
        (folder / "documents" / f"{i}.pdf").write_bytes(
            text_pdf([[f"Annual report of the company in the year 200{i}"]])
        )
        rows.append(f"{i}.pdf,{label},train")
    (folder / "labels.csv").write_text("\n".join(rows) + "\n")
    return folder
