"""longleaf demo"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli import _documents, _options, _terminal, classify, extract

SUFFIXES = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff")
SAMPLES = Path(__file__).parents[2] / "samples"
START_SECONDS = 120.0
STOP_SECONDS = 15.0
ANSWER_SECONDS = 600.0


def run(
    samples: Annotated[Path, typer.Option(help="A folder of documents.", show_default=False)] = SAMPLES,
    model: _options.Model = None,
) -> None:
    """Start the service, send it the sample documents, and show what it answers."""
    _documents.check_folder(samples)
    files = sorted(file for file in samples.iterdir() if file.suffix.lower() in SUFFIXES)
    if not files:
        _terminal.stop(f"There is no document in {samples}.")
    folder = _documents.model_folder(model, _documents.load_settings())
    port = free_port()
    command = [sys.executable, "-m", "app.cli", "serve", "--host", "127.0.0.1", "--port", str(port)]
    with running([*command, "--model", str(folder)], port) as address:
        failed = ask_all(address, files)
    if failed:
        _terminal.warn(f"{failed} of {2 * len(files)} requests were not answered.")
    raise typer.Exit(int(failed > 0))


def ask_all(address: str, files: list[Path]) -> int:
    """Send every file to /classify and /extract, print both answers as tables; returns how many requests failed."""
    classified: list[tuple[dict[str, Any], float]] = []
    extracted: list[tuple[dict[str, Any], float]] = []
    with _terminal.progress("Documents") as told:
        for file in files:
            told(len(classified), len(files))
            classified.append(_ask(f"{address}/classify", file))
            extracted.append(_ask(f"{address}/extract", file))
    columns = ("document", "class", "confidence", "pages read", "seconds")
    rows = [_class_row(file, *answer) for file, answer in zip(files, classified, strict=True)]
    _terminal.print_table(columns, rows, "What each document is")
    for file, answer in zip(files, extracted, strict=True):
        _show_entities(file, *answer)
    return sum("code" in answer for answer, _ in (*classified, *extracted))


@contextmanager
def running(command: list[str], port: int) -> Iterator[str]:
    """A service started by `command`, ready, at the yielded address; stopped at the end, with force if need be.

    Raises UsageProblemError, with the end of the service's log, where it does not become ready in time.
    """
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile("w+") as log:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            if not _ready(address, process):
                log.seek(0)
                end = "".join(log.readlines()[-20:])
                _terminal.stop(f"The service did not become ready. The end of its log:\n{end}")
            yield address
        finally:
            stop_process(process)


def _ready(address: str, process: "subprocess.Popen[bytes]") -> bool:
    """Wait until the service answers that it is ready; False once it has ended, or after START_SECONDS."""
    import httpx

    end = time.monotonic() + START_SECONDS
    with httpx.Client(trust_env=False) as client:
        while time.monotonic() < end and process.poll() is None:
            try:
                if client.get(f"{address}/ready").status_code == httpx.codes.OK:
                    return True
            except httpx.TransportError:
                pass  # not listening yet
            time.sleep(0.1)
    return False


def stop_process(process: "subprocess.Popen[bytes]", seconds: float = STOP_SECONDS) -> None:
    """Ask it to end; kill it when it has not after `seconds`."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _ask(url: str, file: Path) -> tuple[dict[str, Any], float]:
    """The answer or the problem body, which has a `code`; and the seconds it took."""
    import httpx

    started = time.perf_counter()
    try:
        with file.open("rb") as content:
            response = httpx.post(url, files={"file": (file.name, content)}, timeout=ANSWER_SECONDS, trust_env=False)
        answer: dict[str, Any] = response.json()
    except (httpx.HTTPError, ValueError) as error:
        answer = {"code": "no_answer", "detail": f"No answer ({type(error).__name__})."}
    return answer, time.perf_counter() - started


def _class_row(file: Path, answer: dict[str, Any], seconds: float) -> list[object]:
    if "code" in answer:
        return [file.name, answer["detail"], None, None, f"{seconds:.2f}"]
    return [file.name, *classify.cells(answer), f"{seconds:.2f}"]


def _show_entities(file: Path, answer: dict[str, Any], seconds: float) -> None:
    print()
    if "code" in answer:
        _terminal.warn(f"{file.name}: {answer['detail']}")
    elif answer["note"]:
        print(f"{file.name}: {answer['note']}")
    else:
        rows = [extract.row(entity) for entity in answer["entities"]]
        _terminal.print_table(extract.COLUMNS, rows, f"What {file.name} says ({seconds:.2f} seconds)")


def free_port() -> int:
    """A port nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
