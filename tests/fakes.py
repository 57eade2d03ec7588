"""Stand-ins at the seams: a predictor whose answers follow plainly from a document's words, and small documents."""

import io
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reportlab.lib import pagesizes
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from pipeline.types import Coverage, Document, Entity, PageBox, Prediction, Summary, Value


@dataclass(frozen=True)
class FakeInfo:
    name: str = "fake"
    version: str = "1"
    tasks: tuple[str, ...] = ("classify", "extract", "summarize")
    classes: tuple[str, ...] = ("non_disclosure_agreement", "annual_report")
    schemas: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"nda": ("party",)})
    parameters: int = 0
    max_tokens: int = 4096
    device: str = "cpu"


class FakePredictor:
    """An agreement is what says "confidential"; its parties are the words ending in "Corp"; its summary is its first
    words, as many as there may be; "explode" is a fault.

    batches: how many documents each call was given.  gate: calls wait until it is set.
    """

    def __init__(self) -> None:
        self.info = FakeInfo()
        self.batches: list[int] = []
        self.names: list[str] = []
        self.gate = threading.Event()
        self.gate.set()

    def predict(
        self, documents: Sequence[Document], *, classify: bool = True, schema: str | None = None
    ) -> list[Prediction]:
        self._take(documents)
        return [self._predict(document, schema) for document in documents]

    def summarise(self, documents: Sequence[Document], *, beams: int = 4, max_new_tokens: int = 256) -> list[Summary]:
        self._take(documents)
        return [self._summarise(document, max_new_tokens) for document in documents]

    def _take(self, documents: Sequence[Document]) -> None:
        self.batches.append(len(documents))
        self.names += [document.name for document in documents]
        self.gate.wait(60)

    def _predict(self, document: Document, schema: str | None) -> Prediction:
        words = [(page.number, word) for page in document.pages for word in page.words]
        texts = {word.text.lower() for _, word in words}
        if "explode" in texts:
            raise RuntimeError("secret detail of the fault")
        label, other = self.info.classes if "confidential" in texts else reversed(self.info.classes)
        if schema == "auto":
            schema = "nda" if label == "non_disclosure_agreement" else None
        found = [(page, word) for page, word in words if schema and word.text.endswith("Corp")]
        entities = tuple(
            Entity("party", word.text, Value(word.text.upper()), 0.75, (PageBox(page, word.box),))
            for page, word in found
        )
        coverage = Coverage(len(document.pages), document.pages_read, document.pages_failed, len(words), 1)
        scores = {label: 0.9, other: 0.1}
        return Prediction(document.name, document.sha256, coverage, scores, schema, entities, "fake 1", 0.001)

    def _summarise(self, document: Document, longest: int) -> Summary:
        coverage = self._predict(document, None).coverage
        words = [word.text for page in document.pages for word in page.words]
        return Summary(document.name, document.sha256, coverage, " ".join(words[:longest]), "fake 1", 0.001)


def pdf(*pages: str, password: str | None = None) -> bytes:
    """A PDF with one line of text a page."""
    file = io.BytesIO()
    encryption = StandardEncryption(password, canPrint=1) if password else None
    canvas = Canvas(file, pagesize=pagesizes.letter, encrypt=encryption, invariant=True)
    for text in pages:
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


AGREEMENT = pdf("This agreement is made between AlphaCorp and BetaCorp", "All that is told stays confidential")
REPORT = pdf("The annual report of GammaCorp for the year that ended in June")
EXPLOSIVE = pdf("This text makes the model explode while it is being read")
