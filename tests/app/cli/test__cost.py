import pytest

from app.cli import _cost
from pipeline.training.cost import Cost

SPENT = Cost(energy_kwh=0.0123456, co2_kg=0.00456, seconds=61.4, country="USA")


def test_a_cost_is_part_of_a_json_line_where_it_was_measured() -> None:
    assert _cost.part(SPENT) == {
        "cost": {"energy_kwh": 0.0123456, "co2_kg": 0.00456, "seconds": 61.4, "country": "USA"}
    }
    assert _cost.part(None) == {}


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    _cost.show({"accuracy": 1.0, **_cost.part(SPENT)})
    shown = capsys.readouterr().out
    for figure in ("0.01235 kWh", "0.00456 kg", "electricity of USA", "61 s"):
        assert figure in shown
    _cost.show({"accuracy": 1.0})
    assert capsys.readouterr().out == ""
