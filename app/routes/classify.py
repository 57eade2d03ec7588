"""POST /classify: what is this document?"""

from fastapi import APIRouter, Request

from app import schemas
from app.deps import ServiceDep, UploadDep
from app.errors import UPLOAD_PROBLEMS, documented
from pipeline.answer import Answer, classification

router = APIRouter(tags=["documents"])


@router.post("/classify", response_model=schemas.Classification, responses=documented(*UPLOAD_PROBLEMS))
async def classify(request: Request, service: ServiceDep, upload: UploadDep) -> Answer:
    """Read the whole document and say what it is: the likeliest class, and every class's probability."""
    timed = await service.answer(request, upload, service.batcher.predict)
    return {**classification(timed.document, timed.found), "seconds": timed.seconds}
