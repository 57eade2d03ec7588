"""The options with which a command tells what its run costs, and the telling."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli._terminal import print_table

if TYPE_CHECKING:
    from pipeline.training.cost import Cost

Wanted = Annotated[bool, typer.Option("--cost", help="Estimate the run's energy and CO2, with CodeCarbon.")]
Country = Annotated[str, typer.Option(help="The one whose electricity --cost reckons with: three letters.")]


def part(cost: "Cost | None") -> dict[str, Any]:
    """What a JSON line says of the cost: `cost`, nothing where it was not measured."""
    return {"cost": asdict(cost)} if cost else {}


def show(answer: Mapping[str, Any]) -> None:
    """A table for people of an answer's `cost`; nothing where it has none."""
    if cost := answer.get("cost"):
        rows = [
            ["energy", f"{cost['energy_kwh']:.4g} kWh"],
            [f"CO2, electricity of {cost['country']}", f"{cost['co2_kg']:.4g} kg"],
            ["duration", f"{cost['seconds']:.0f} s"],
        ]
        print_table(("cost", "estimate"), rows)
