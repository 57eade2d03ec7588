"""The demonstration, with the service as a real process around a fake model."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import demo
from app.cli._terminal import UsageProblemError
from tests.fakes import AGREEMENT, EXPLOSIVE, REPORT

SERVER = Path(__file__).parents[1] / "serving.py"


def test_every_document_is_answered_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    for name, content in {"agreement.pdf": AGREEMENT, "report.pdf": REPORT, "fault.pdf": EXPLOSIVE}.items():
        (tmp_path / name).write_bytes(content)
    port = demo.free_port()
    with demo.running([sys.executable, str(SERVER), str(port)], port) as address:
        assert demo.ask_all(address, sorted(tmp_path.iterdir())) == 2
    assert demo.ask_all(address, [tmp_path / "report.pdf"]) == 2, "the service has stopped"
    shown = capsys.readouterr()
    assert "non_disclosure_agreement" in shown.out
    assert "ALPHACORP" in shown.out
    assert "No extraction schema belongs" in shown.out
    assert "fault.pdf: Something went wrong" in shown.err


def test_a_service_that_does_not_start_shows_its_log() -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('the reason')"]
    with pytest.raises(UsageProblemError, match="the reason"), demo.running(command, demo.free_port()):
        pass


def test_a_service_that_does_not_stop_is_killed() -> None:
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    demo.stop_process(process, seconds=0.2)
    assert process.returncode == -9
    process.stdout.close()
