"""What routes ask for in their signatures: the service, and the uploaded file."""

from typing import Annotated

from fastapi import Depends, File, Form, Query, Request, UploadFile

from app.errors import Problem
from app.service import Service, Upload, harmless


def service(request: Request) -> Service:
    """The service this application was started with."""
    found: Service = request.app.state.service
    return found


async def upload(
    request: Request,
    file: Annotated[UploadFile, File(description="a PDF, or a PNG, JPEG or TIFF image; its content says which")],
    password: Annotated[str | None, Form(description="of an encrypted document")] = None,
) -> Upload:
    """The file part and its password. Raises Problem where there are several files."""
    if len((await request.form()).getlist("file")) > 1:
        message = "Send one file a request"
        raise Problem("invalid_request", f"file: {message}.", [{"field": "file", "message": message}])
    return Upload(harmless(file.filename), await file.read(), password or None)


def schema(
    form: Annotated[
        str | None, Form(alias="schema", description="extract with this schema, whatever the class")
    ] = None,
    query: Annotated[str | None, Query(alias="schema", description="the same; the form's field comes first")] = None,
) -> str:
    """The schema asked for; "auto", chosen by the predicted class, where none was."""
    return form or query or "auto"


ServiceDep = Annotated[Service, Depends(service)]
UploadDep = Annotated[Upload, Depends(upload)]
SchemaDep = Annotated[str, Depends(schema)]
BeamsDep = Annotated[int, Form(ge=1, le=16, description="how many beginnings of a summary are followed at a time")]
TokensDep = Annotated[
    int,
    Form(ge=1, le=1024, description="the longest summary, in tokens; the model's own limit holds as well"),
]
