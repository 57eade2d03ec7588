"""longleaf serve"""

import logging
from typing import TYPE_CHECKING, Annotated

import typer

from app.catalogue import open_model
from app.cli import _documents, _options, _terminal

if TYPE_CHECKING:
    from app.batcher import Predictor


def run(
    host: Annotated[str | None, typer.Option(help="Address to listen on.  [default: 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.  [default: 8000]", min=0, max=65535)] = None,
    model: _options.Model = None,
) -> None:
    """Serve POST /classify, /extract and /summarize over HTTP until told to stop.

    /ready says when the model is loaded.
    """
    settings = _documents.load_settings()
    folder = _documents.model_folder(model, settings)

    import uvicorn

    from app.main import create_app

    def load() -> "Predictor":
        """A service whose model cannot be loaded is of no use to anyone: stop it."""
        try:
            return open_model(folder, settings.device)
        except Exception as error:
            failures.append(str(error))
            server.should_exit = True
            raise

    failures: list[str] = []
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    config = uvicorn.Config(
        create_app(settings, load),
        host=host or settings.host,
        port=settings.port if port is None else port,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=30,
    )
    server = uvicorn.Server(config)
    server.run()
    if failures:
        _terminal.stop(failures[0])
