"""POST /summarize: what does this document say, in short?"""

from functools import partial

from fastapi import APIRouter, Request

from app import schemas
from app.deps import BeamsDep, ServiceDep, TokensDep, UploadDep
from app.errors import UPLOAD_PROBLEMS, documented
from pipeline.answer import Answer, summary

router = APIRouter(tags=["documents"])


@router.post("/summarize", response_model=schemas.Summary, responses=documented(*UPLOAD_PROBLEMS, "no_decoder"))
async def summarize(
    request: Request, service: ServiceDep, upload: UploadDep, beams: BeamsDep = 4, max_new_tokens: TokensDep = 256
) -> Answer:
    """Read the whole document and put it into a few sentences of the model's own, by beam search.

    The sentences are the model's and may say what the document does not. A document without words has none.
    """
    service.check_decoder()
    ask = partial(service.batcher.summarise, beams=beams, max_new_tokens=max_new_tokens)
    timed = await service.answer(request, upload, ask)
    return {**summary(timed.document, timed.found), "seconds": timed.seconds}
