"""GET /health: is the process alive?  GET /ready: does it take documents?"""

from fastapi import APIRouter

from app import __version__, schemas
from app.deps import ServiceDep
from app.errors import documented

router = APIRouter(tags=["service"])


@router.get("/health", response_model=schemas.Health)
async def health() -> dict[str, str]:
    """Answers as long as the process does."""
    return {"status": "ok", "version": __version__}


@router.get("/ready", response_model=schemas.Readiness, responses=documented("not_ready"))
async def ready(service: ServiceDep) -> dict[str, str]:
    """Answers 503 until the model is loaded, and again when the service is stopping."""
    return {"status": "ready", "model": service.batcher.model().name}
