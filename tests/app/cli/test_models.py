import json

import pytest

from app.cli import models
from app.cli._terminal import UsageProblemError
from models.presets import PRESETS


def test_shipped_models_come_first_then_presets_with_their_cost(capsys: pytest.CaptureFixture[str]) -> None:
    models.run(size="tiny", json=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["status"] for line in lines} == {"ok"}
    presets = [line for line in lines if "preset" in line]
    assert lines[: -len(PRESETS)] == [line for line in lines if "classes" in line]
    assert [line["preset"] for line in presets] == list(PRESETS)
    assert {line["size"] for line in presets} == {"tiny"}
    for line in presets:
        assert line["parameters"] > 0
        assert list(line["gflop"]) == ["512", "4096", "16384"]
        assert sorted(line["gflop"].values()) == list(line["gflop"].values())


def test_a_document_is_read_in_windows() -> None:
    """Where all of it fits one window nothing is read twice."""
    costs = {line["preset"]: line["gflop"] for line in models._presets("base")}
    short, long = costs["fnet-4096"], costs["fnet-8192"]
    assert short["4096"] == long["4096"]
    assert short["16384"] > long["16384"] > 4 * long["4096"]


def test_an_unknown_size_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageProblemError, match=r"'vast'.*tiny, small, base"):
        models.run(size="vast")
