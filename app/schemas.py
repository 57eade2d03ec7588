"""The service's answers as types, with an example of each: what OpenAPI shows, and what every answer is held to."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from pipeline.types import Source

Share = Annotated[float, Field(ge=0, le=1)]
LineBox = Annotated[
    tuple[int, float, float, float, float],
    Field(
        description="[page, x0, y0, x1, y1]: the page's number from 1, then points from the top left of the page shown"
    ),
]


class Part(BaseModel):
    """A part of an answer; a member that is not described here would be a mistake of ours."""

    model_config = ConfigDict(extra="forbid")


class PageFailure(Part):
    """A page that could not be read, and why."""

    page: int
    code: str


class PageDetail(Part):
    """One page: its size in points as displayed, and where its words came from."""

    page: int = Field(description="counted from 1")
    width: float
    height: float
    source: Source = Field(
        description="text: the file's own text layer; ocr: recognised from the image; none: no words"
    )
    reason: str = Field(description="why that source")
    failure: str | None = Field(description="the error's code where the page could not be read")
    words: int
    header: int = Field(description="how many of the first words run on from page to page")
    footer: int = Field(description="how many of the last words run on from page to page")
    rotation: int = Field(description="degrees clockwise by which a scan was turned to be read; boxes are not")
    skew: float = Field(description="degrees by which a scan's lines fall to the right, undone to be read")
    notes: list[str] = Field(description="what else was done so that the page could be read, or was left out")
    part: str | None = Field(description="the attachment the page belongs to, where the file is a mail")


class Seconds(Part):
    """Where the time went."""

    reading: float = Field(description="from bytes to words, OCR included")
    waiting: float = Field(description="for a free reader, and for the model while it answered others")
    model: float = Field(description="the model's own time")
    total: float


class Counted(Part):
    """Which document, read how completely. `pages_read` + `pages_failed` = `pages`."""

    name: str = Field(description="the file's name as it was sent")
    sha256: str
    pages: int
    pages_read: int
    pages_failed: int
    failures: list[PageFailure]
    notes: list[str] = Field(description="what had to be done to the file as a whole, such as repairing it")


class Basis(Counted):
    """Which document, read how completely, by which model, how fast."""

    tokens: int = Field(description="tokens the model read")
    windows: int = Field(description="overlapping windows they were read in")
    page_details: list[PageDetail]
    model: str
    seconds: Seconds


class Labelled(Basis):
    """With the class that was found."""

    label: str | None = Field(description="the likeliest class; null where the model may give a document several")
    confidence: Share | None = Field(description="that class's probability")


class Classification(Labelled):
    """What the document is."""

    labels: list[str] = Field(
        description="its classes: `label` alone; where it may have several, those likelier than not, perhaps none"
    )
    scores: dict[str, Share] = Field(description="every class's probability, the likeliest first")


class Value(Part):
    """A value in its one written form, and in parts where it has any."""

    text: str = Field(description='"2017-02-10", "7 years"')
    parts: dict[str, Any] | None = Field(description='{"number": 7, "unit": "years"}')


class Entity(Part):
    """One thing the document says, and where."""

    label: str
    text: str = Field(description="as it stands in the document")
    value: Value | None = Field(description="normalised; null where it could not be")
    confidence: Share
    page: int = Field(description="the page it begins on")
    boxes: list[LineBox] = Field(description="one for each line of it")


class Extraction(Labelled):
    """What the document says, and where."""

    schema_: str | None = Field(alias="schema", description="the extraction schema used")
    note: str | None = Field(description="why no entities were looked for")
    entities: list[Entity] = Field(description="in the order of the document")


class Summary(Basis):
    """What the document says, in short."""

    summary: str = Field(description="in the model's own words; empty for a document without words")


class ReadWord(Part):
    """One word of a page."""

    text: str
    box: tuple[float, float, float, float] = Field(description="x0, y0, x1, y1 in points from the top left")
    confidence: Share = Field(description="the engine's own; 1 from a text layer")


class ReadPage(PageDetail):
    """One page with its words, in reading order."""

    content: list[ReadWord]


class Reading(Counted):
    """A document as it was read, without a model."""

    sources: dict[Source, int] = Field(description="how many pages came from each source")
    words: int
    page_details: list[ReadPage]


class Model(Part):
    """A loaded model."""

    name: str
    version: str
    tasks: list[str] = Field(description='which of "classify", "extract" and "summarize" it can do')
    classes: list[str]
    schemas: dict[str, list[str]] = Field(description="each schema's entity types")
    parameters: int
    max_tokens: int = Field(description="tokens of one window; longer documents are read in several")
    device: str


class Models(Part):
    """The models that answer here."""

    models: list[Model]


class Health(Part):
    """The process is alive."""

    status: str = Field(examples=["ok"])
    version: str = Field(description="of this program")


class Readiness(Part):
    """The model is loaded and documents are taken."""

    status: str = Field(examples=["ready"])
    model: str


class FieldError(Part):
    """A field at fault."""

    field: str
    message: str


class Problem(Part):
    """An RFC 9457 problem. Rely on `code`; `detail` is one sentence for people."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    request_id: str = Field(description="also in the header X-Request-ID, and in the log")
    errors: list[FieldError] | None = None


_BASIS: dict[str, Any] = {
    "name": "agreement.pdf",
    "sha256": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
    "pages": 2,
    "pages_read": 1,
    "pages_failed": 1,
    "failures": [{"page": 2, "code": "timed_out"}],
    "notes": [],
    "tokens": 403,
    "windows": 1,
    "page_details": [
        {
            "page": 1,
            "width": 612.0,
            "height": 792.0,
            "source": "text",
            "reason": "text layer",
            "failure": None,
            "words": 312,
            "header": 0,
            "footer": 0,
            "rotation": 0,
            "skew": 0.0,
            "notes": [],
            "part": None,
        },
        {
            "page": 2,
            "width": 612.0,
            "height": 792.0,
            "source": "none",
            "reason": "no text layer",
            "failure": "timed_out",
            "words": 0,
            "header": 0,
            "footer": 0,
            "rotation": 0,
            "skew": 0.0,
            "notes": [],
            "part": None,
        },
    ],
    "model": "longleaf-small 1.0",
    "seconds": {"reading": 0.031, "waiting": 0.002, "model": 0.412, "total": 0.445},
}
_CLASS = {"label": "non_disclosure_agreement", "confidence": 0.982}
_ENTITY = {
    "label": "term",
    "text": "seven (7) years",
    "value": {"text": "7 years", "parts": {"number": 7, "unit": "years"}},
    "confidence": 0.94,
    "page": 1,
    "boxes": [[1, 143.2, 310.5, 221.9, 322.1]],
}
_COUNTS = ("name", "sha256", "pages", "pages_read", "pages_failed", "failures", "notes")
_WORD = {"text": "Agreement", "box": [143.2, 310.5, 221.9, 322.1], "confidence": 0.962}
_READ_PAGE = {**_BASIS["page_details"][0], "source": "ocr", "reason": "no text layer", "words": 1, "content": [_WORD]}
EXAMPLES: dict[str, dict[str, Any]] = {
    "Classification": {
        **_BASIS,
        **_CLASS,
        "labels": ["non_disclosure_agreement"],
        "scores": {"non_disclosure_agreement": 0.982, "commercial_contract": 0.011, "annual_report": 0.007},
    },
    "Extraction": {**_BASIS, **_CLASS, "schema": "nda", "note": None, "entities": [_ENTITY]},
    "Reading": {
        **{member: _BASIS[member] for member in _COUNTS},
        "sources": {"text": 0, "ocr": 1, "none": 1},
        "words": 1,
        "page_details": [_READ_PAGE, {**_BASIS["page_details"][1], "content": []}],
    },
    "Summary": {**_BASIS, "summary": "the parties keep what they learn of each other confidential for seven years."},
}
