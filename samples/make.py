"""Makes the sample documents: `python -m samples.make [FOLDER]`, the folder being this one if none is given.

Every text, name and number in them is made up for this project. What should be found in them is in expected.json.
"""

import sys
from pathlib import Path

from samples.source import agreement, order, receipt, scan

HERE = Path(__file__).parent
SOURCE = HERE / "source"

NDA = agreement.Design(title="Mutual Non-Disclosure Agreement", footer="Mutual Non-Disclosure Agreement")
CONTRACT = agreement.Design(
    title="Master Supply and Services Agreement",
    footer="Master Supply and Services Agreement CPE-AFC-2021-044",
    size=12,
    leading=16.6,
    margin=90,
)


def make(folder: Path) -> None:
    """Writes the five documents into the folder; needs poppler and the Liberation fonts."""
    agreement.write((SOURCE / "nda.txt").read_text(encoding="utf-8"), NDA, folder / "nda.pdf")
    agreement.write((SOURCE / "contract.txt").read_text(encoding="utf-8"), CONTRACT, folder / "contract.pdf")
    scan.write(folder / "nda.pdf", folder / "nda-scan.pdf")
    order.write(folder / "order.pdf")
    receipt.write(folder / "receipt.png")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
