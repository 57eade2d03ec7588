"""The service: settings and a model in, an ASGI application out."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app import __version__, errors, schemas
from app.batcher import Predictor
from app.middleware import RequestMiddleware
from app.service import Service
from app.settings import Settings
from models.registry import names, pick

SUMMARY = "Reads whole business and legal documents and says what each one is and what it says, where."


def create_app(settings: Settings, load: Callable[[], Predictor]) -> FastAPI:
    """An application whose worker thread calls `load` for its model once the application starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.service = service = Service(settings, load)
        service.start()
        yield
        await service.stop()

    app = FastAPI(
        title="Longleaf",
        summary=SUMMARY,
        version=__version__,
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,
        # The pages that show the schema load scripts from another host, which nobody asked for.
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(RequestMiddleware, max_bytes=settings.max_bytes)
    errors.install(app)
    for name in names("app.routes"):
        app.include_router(pick("app.routes", name).router)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """FastAPI's schema, the problem body among its components (`errors.documented` points there), and the examples."""
    if not app.openapi_schema:
        schema = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
        problem = schemas.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        components = schema["components"]["schemas"]
        components |= {**problem.pop("$defs"), "Problem": problem}
        for name, example in schemas.EXAMPLES.items():
            components[name]["example"] = example
        app.openapi_schema = schema
    return app.openapi_schema
