"""How the benchmarks report: one row a comparison, as a table for people or as JSON lines for programs."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table


class Row(NamedTuple):
    """ours and peer in the unit the name gives, both better when smaller; note: what else one should know."""

    name: str
    ours: float
    peer: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times better than the peer."""
        return self.peer / self.ours


def report(rows: Sequence[Row], as_json: bool) -> None:
    """Print the rows."""
    if as_json:
        for row in rows:
            print(json.dumps({"name": row.name, "ours": row.ours, "peer": row.peer, "ratio": row.ratio}))
        return
    table = Table("what", "ours", "peer", "peer / ours", "note")
    for row in rows:
        table.add_row(row.name, f"{row.ours:.4g}", f"{row.peer:.4g}", f"{row.ratio:.2f}", row.note)
    Console().print(table)


def print_markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table as a README has it: the first column left, the others right."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))
