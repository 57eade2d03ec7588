"""POST /extract: what does this document say, and where?"""

from functools import partial

from fastapi import APIRouter, Request

from app import schemas
from app.deps import SchemaDep, ServiceDep, UploadDep
from app.errors import UPLOAD_PROBLEMS, documented
from pipeline.answer import Answer, extraction

router = APIRouter(tags=["documents"])


@router.post("/extract", response_model=schemas.Extraction, responses=documented(*UPLOAD_PROBLEMS, "unknown_schema"))
async def extract(request: Request, service: ServiceDep, upload: UploadDep, schema: SchemaDep) -> Answer:
    """Read the whole document and find the entities of a schema, each with its value, confidence, page and boxes.

    Without a schema it is the one that belongs to the predicted class; where there is none, `schema` is null,
    `entities` is empty and `note` says so.
    """
    service.check_schema(schema)
    timed = await service.answer(request, upload, partial(service.batcher.predict, schema=schema))
    return {**extraction(timed.document, timed.found), "seconds": timed.seconds}
