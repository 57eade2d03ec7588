"""POST /ocr: what is written in this document, and where?"""

from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from app import schemas
from app.deps import ServiceDep, UploadDep
from app.errors import UPLOAD_PROBLEMS, Problem, documented
from models.registry import names, pick

FORMATS = names("pipeline.export")
_CHUNK = 1 << 20

router = APIRouter(tags=["documents"])


def _documented() -> dict[int | str, dict[str, Any]]:
    """OpenAPI's description of the answer in every format, and of the problems."""
    types = (pick("pipeline.export", name).MEDIA_TYPE.partition(";")[0] for name in FORMATS)
    content = {kind: {"schema": {"type": "string"}} for kind in types if kind != "application/json"}
    return {200: {"description": "The document in the format asked for", "content": content}} | documented(
        *UPLOAD_PROBLEMS
    )


@router.post("/ocr", response_model=schemas.Reading, responses=_documented())
async def ocr(
    request: Request,
    service: ServiceDep,
    upload: UploadDep,
    format: Annotated[
        str, Query(description="what the answer is written as", json_schema_extra={"enum": list(FORMATS)})
    ] = "json",
) -> StreamingResponse:
    """Read the whole document, by OCR where it has no good text layer, and give back its words and their places.

    No model takes part. `json` holds pages, words, boxes and confidences, `text` the lines, `hocr` and `alto` all of it
    as OCR programs exchange it; `pdf` is the document itself with invisible text on the pages that were read by OCR.
    """
    if format not in FORMATS:
        message = f"There is no format {format!r}; there are: {', '.join(FORMATS)}"
        raise Problem("invalid_request", f"format: {message}.", [{"field": "format", "message": message}])
    writer = pick("pipeline.export", format)
    file = await service.export(request, upload, format)
    return StreamingResponse(
        _chunks(file), media_type=writer.MEDIA_TYPE, headers=_headers(file, upload.name, writer.EXTENSION)
    )


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    """The file in pieces; closed in the end, also when the client goes away half way."""
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _headers(file: BinaryIO, name: str, extension: str) -> dict[str, str]:
    """The answer's size, and the name to keep it under: that of the document, with the format's extension."""
    size = file.seek(0, 2)
    file.seek(0)
    kept = quote(f"{name.removesuffix(extension)}{extension}", safe="")
    return {"Content-Length": str(size), "Content-Disposition": f"attachment; filename*=utf-8''{kept}"}
