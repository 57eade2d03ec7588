"""The real service on a real socket, around a fake model. Run as a program it serves on the port that is named."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import uvicorn

from app.batcher import Predictor
from app.main import create_app
from app.settings import Settings
from tests.fakes import FakePredictor


@contextmanager
def serving(load: Callable[[], Predictor], settings: Settings | None = None) -> Iterator[httpx.Client]:
    """A client of a service in another thread, whose model is being loaded."""
    app = create_app(settings or Settings(), load)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=120) as client:
        yield client
    server.should_exit = True
    thread.join(60)


@contextmanager
def ready(predictor: FakePredictor, settings: Settings | None = None) -> Iterator[httpx.Client]:
    """A client of a service that takes documents."""
    with serving(lambda: predictor, settings) as client:
        wait_until(lambda: client.get("/ready").is_success)
        yield client


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Look again and again; fails where the condition does not come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


if __name__ == "__main__":
    uvicorn.run(create_app(Settings(), FakePredictor), port=int(sys.argv[1]), access_log=False)
