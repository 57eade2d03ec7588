"""GET /models: which models answer here?"""

from fastapi import APIRouter

from app import schemas
from app.deps import ServiceDep
from app.errors import documented

router = APIRouter(tags=["service"])


@router.get("/models", responses=documented("not_ready"))
async def models(service: ServiceDep) -> schemas.Models:
    """The loaded model: its tasks, its classes, its schemas and its size."""
    info = service.batcher.model()
    model = schemas.Model(
        name=info.name,
        version=info.version,
        tasks=list(info.tasks),
        classes=list(info.classes),
        schemas={name: list(types) for name, types in info.schemas.items()},
        parameters=info.parameters,
        max_tokens=info.max_tokens,
        device=info.device,
    )
    return schemas.Models(models=[model])
