"""The one worker thread that owns the model: documents in, predictions out, never two callers at once.

    batcher = Batcher(lambda: Predictor(folder))
    batcher.start()                                  # loading happens in the worker as well
    answer = await batcher.predict(document, schema="auto")

Whatever waits in the queue when the worker comes back is given to the model together. A document that makes the
model fail is tried alone, so that only its own caller hears of it; a caller who went away is left out.
"""

import logging
import queue
import threading
from asyncio import wrap_future
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from pipeline.types import Document, Prediction, Summary

log = logging.getLogger("longleaf.batcher")


class ModelInfo(Protocol):
    """What a model says of itself."""

    @property
    def name(self) -> str:
        """Its folder's name."""

    @property
    def version(self) -> str:
        """Changes whenever its answers may."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """Which of "classify", "extract" and "summarize" it can do."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes it tells apart."""

    @property
    def schemas(self) -> Mapping[str, tuple[str, ...]]:
        """Each extraction schema's entity types."""

    @property
    def parameters(self) -> int:
        """How many numbers it holds."""

    @property
    def max_tokens(self) -> int:
        """Of one window; longer documents are read in several."""

    @property
    def device(self) -> str:
        """Where it runs, as torch names it."""


class Predictor(Protocol):
    """The seam to the model. Blocking; called from one thread only."""

    @property
    def info(self) -> ModelInfo:
        """What it says of itself."""

    def predict(
        self, documents: Sequence[Document], *, classify: bool = True, schema: str | None = None
    ) -> list[Prediction]:
        """One prediction a document, in order.

        schema: its name, "auto" for the one of the predicted class, None for no extraction.
        Raises ValueError for a schema it does not have.
        """

    def summarise(self, documents: Sequence[Document], *, beams: int = 4, max_new_tokens: int = 256) -> list[Summary]:
        """One summary a document, in order. Raises ValueError for a model that cannot."""


class NotReadyError(RuntimeError):
    """The model is not there: still loading, could not be loaded, or the service is stopping."""


@dataclass(frozen=True, slots=True)
class _Predict:
    """What to ask of the model. Documents of which the same is asked go together."""

    classify: bool
    schema: str | None

    def __call__(self, predictor: Predictor, documents: Sequence[Document]) -> list[Prediction]:
        return predictor.predict(documents, classify=self.classify, schema=self.schema)


@dataclass(frozen=True, slots=True)
class _Summarise:
    """The same, of a summary."""

    beams: int
    max_new_tokens: int

    def __call__(self, predictor: Predictor, documents: Sequence[Document]) -> list[Summary]:
        return predictor.summarise(documents, beams=self.beams, max_new_tokens=self.max_new_tokens)


@dataclass(frozen=True, slots=True)
class _Job:
    document: Document
    ask: _Predict | _Summarise
    future: Future[Any] = field(default_factory=Future)


class Batcher:
    """Loads the model in a thread of its own and answers there. `info` and `failure` may be read from any thread."""

    def __init__(self, load: Callable[[], Predictor], max_batch: int = 16) -> None:
        self.info: ModelInfo | None = None
        self.failure: Exception | None = None
        self._load = load
        self._max_batch = max_batch
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._stopping = False
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)

    def start(self) -> None:
        """Begin loading, then answering."""
        self._thread.start()

    def stop(self, seconds: float = 30.0) -> None:
        """Answer what was asked before this, refuse what comes after, and wait for that up to a time limit.

        A model that is still being loaded is not waited for.
        """
        self._stopping = True
        self._queue.put(None)
        if self.info is not None:
            self._thread.join(seconds)

    def model(self) -> ModelInfo:
        """The loaded model. Raises NotReadyError with the reason there is none."""
        if self.failure:
            raise NotReadyError("The model could not be loaded; the service's log says why.")
        if self._stopping:
            raise NotReadyError("The service is stopping.")
        if self.info is None:
            raise NotReadyError("The model is still loading.")
        return self.info

    async def predict(self, document: Document, *, classify: bool = True, schema: str | None = None) -> Prediction:
        """Wait for the worker's answer without blocking the event loop. Cancelling takes the document off the queue."""
        prediction: Prediction = await self._ask(document, _Predict(classify, schema))
        return prediction

    async def summarise(self, document: Document, *, beams: int = 4, max_new_tokens: int = 256) -> Summary:
        """The same, for a summary."""
        summary: Summary = await self._ask(document, _Summarise(beams, max_new_tokens))
        return summary

    async def _ask(self, document: Document, ask: _Predict | _Summarise) -> Any:  # noqa: ANN401
        self.model()
        job = _Job(document, ask)
        self._queue.put(job)
        return await wrap_future(job.future)

    def _work(self) -> None:
        try:
            predictor = self._load()
            self.info = predictor.info
        except Exception as error:
            log.error("the model could not be loaded: %s", error)
            log.debug("the trace of that", exc_info=True)
            self.failure = error
            return
        while jobs := self._waiting():
            groups: dict[_Predict | _Summarise, list[_Job]] = {}
            for job in jobs:
                groups.setdefault(job.ask, []).append(job)
            for group in groups.values():
                self._answer(predictor, group)
        self._refuse_rest()

    def _waiting(self) -> list[_Job]:
        """The next job and all that wait behind it, up to the batch's size; nothing when it is time to stop."""
        jobs: list[_Job] = []
        while len(jobs) < self._max_batch:
            try:
                job = self._queue.get(block=not jobs)
            except queue.Empty:
                break
            if job is None:
                self._queue.put(None)
                break
            if job.future.set_running_or_notify_cancel():
                jobs.append(job)
        return jobs

    def _answer(self, predictor: Predictor, jobs: list[_Job]) -> None:
        """Answer jobs that ask the same; if the model fails on several, each is tried alone."""
        try:
            found = jobs[0].ask(predictor, [job.document for job in jobs])
            answers = list(zip(jobs, found, strict=True))
        except Exception as error:
            if len(jobs) == 1:
                jobs[0].future.set_exception(error)
                return
            log.warning("a batch of %d documents failed; each is tried alone", len(jobs), exc_info=True)
            for job in jobs:
                self._answer(predictor, [job])
            return
        for job, answer in answers:
            job.future.set_result(answer)

    def _refuse_rest(self) -> None:
        while True:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                return
            if job is not None and job.future.set_running_or_notify_cancel():
                job.future.set_exception(NotReadyError("The service is stopping."))
