"""CodeCarbon's estimate, real and without network."""

import socket
import sys
from pathlib import Path

import pytest

from pipeline.training.cost import Cost, measured, require


def spend(country: str | None) -> Cost | None:
    with measured(country) as meter:
        assert meter.cost is None
        sum(range(10**6))
    return meter.cost


def test_a_run_is_measured_without_network_or_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def connect(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.chdir(tmp_path)
    american, french = spend("USA"), spend("FRA")
    assert american
    assert french
    assert american.country == "USA"
    assert min(american.energy_kwh, american.co2_kg, american.seconds) > 0
    assert american.co2_kg / american.energy_kwh > 2 * french.co2_kg / french.energy_kwh
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_measured_unless_asked_for() -> None:
    assert spend(None) is None


def test_a_failing_run_fails_as_it_would_unmeasured() -> None:
    with pytest.raises(KeyError), measured("USA"):
        raise KeyError


def test_a_country_must_be_known() -> None:
    with pytest.raises(ValueError, match="no country 'Utopia'; it wants three letters"):
        spend("Utopia")


def test_codecarbon_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "codecarbon.input", None)
    assert spend(None) is None
    with pytest.raises(ImportError):
        require("USA")
