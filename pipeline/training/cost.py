"""What a run costs in energy and CO2, as CodeCarbon estimates it without network."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Of a run.  country: ISO code of the one whose electricity was reckoned with."""

    energy_kwh: float
    co2_kg: float
    seconds: float
    country: str


@dataclass
class Meter:
    """cost: None until the measured block has ended."""

    cost: Cost | None = None


def require(country: str) -> None:
    """Raise ImportError where codecarbon is not installed, ValueError for a country it does not know."""
    from codecarbon.input import DataSource

    known = DataSource().get_global_energy_mix_data()  # type: ignore[no-untyped-call]
    if country not in known:
        raise ValueError(f"CodeCarbon knows no country {country!r}; it wants three letters, as in 'USA'.")


@contextmanager
def measured(country: str | None) -> Iterator[Meter]:
    """Measure the block; None measures nothing.

    Energy is read from the counters of the processor (RAPL) and of NVIDIA's GPUs where there are any; otherwise it is
    the processor's rated power times the load of this process and its children, and a constant for the memory. CO2 is
    that energy times what a kWh of the country emits on average. Raises what `require` raises.
    """
    meter = Meter()
    if country is None:
        yield meter
        return
    require(country)
    from codecarbon import OfflineEmissionsTracker

    logging.getLogger("codecarbon").disabled = True  # it tells of its search for counters at every level
    tracker = OfflineEmissionsTracker(
        country_iso_code=country, tracking_mode="process", output_methods=[], allow_multiple_runs=True
    )
    tracker.start()
    try:
        yield meter
    finally:
        tracker.stop()
    found = tracker.final_emissions_data
    meter.cost = Cost(found.energy_consumed, found.emissions, found.duration, country)
