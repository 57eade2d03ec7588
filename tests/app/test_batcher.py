"""One thread owns the model: it batches what waits, isolates faults, leaves out the cancelled, and stops cleanly."""

import asyncio
import threading
import time

import pytest

from app.batcher import Batcher, NotReadyError
from pipeline.types import Box, Document, Page, Prediction, Word
from tests.app.serving import wait_until
from tests.fakes import FakePredictor


def document(name: str, text: str = "confidential") -> Document:
    words = tuple(Word(word, Box(0, 0, 1, 1)) for word in text.split())
    return Document(name, "00", (Page(1, 10, 10, words, "text"),))


def started(predictor: FakePredictor, max_batch: int = 16) -> Batcher:
    batcher = Batcher(lambda: predictor, max_batch)
    batcher.start()
    wait_until(lambda: batcher.info is not None)
    return batcher


async def ask(batcher: Batcher, names: str, schema: str | None = None) -> list[Prediction]:
    return await asyncio.gather(*(batcher.predict(document(name), schema=schema) for name in names))


async def behind_a_busy_model(predictor: FakePredictor, batcher: Batcher) -> "asyncio.Task[Prediction]":
    """A first document the model works on until the gate opens."""
    predictor.gate.clear()
    first = asyncio.create_task(batcher.predict(document("first")))
    while not predictor.batches:
        await asyncio.sleep(0.005)
    return first


def test_what_waits_goes_together_up_to_the_limit() -> None:
    predictor = FakePredictor()
    batcher = started(predictor, max_batch=3)

    async def run() -> list[str]:
        first = await behind_a_busy_model(predictor, batcher)
        rest = asyncio.create_task(ask(batcher, "abcde"))
        await asyncio.sleep(0.05)
        predictor.gate.set()
        await first
        return [prediction.name for prediction in await rest]

    assert asyncio.run(run()) == list("abcde")
    assert predictor.batches == [1, 3, 2]
    batcher.stop()


def test_different_options_are_different_batches() -> None:
    predictor = FakePredictor()
    batcher = started(predictor)

    async def run() -> list[str | None]:
        first = await behind_a_busy_model(predictor, batcher)
        rest = asyncio.gather(ask(batcher, "ab", "nda"), ask(batcher, "cd"), ask(batcher, "e", "nda"))
        await asyncio.sleep(0.05)
        predictor.gate.set()
        await first
        return [prediction.schema for predictions in await rest for prediction in predictions]

    assert asyncio.run(run()) == ["nda", "nda", None, None, "nda"]
    assert sorted(predictor.batches) == [1, 2, 3]
    batcher.stop()


def test_summaries_go_together_apart_from_predictions() -> None:
    predictor = FakePredictor()
    batcher = started(predictor)

    async def run() -> list[str]:
        first = await behind_a_busy_model(predictor, batcher)
        asked = [batcher.summarise(document(name, "one two three"), max_new_tokens=2) for name in "ab"]
        longer = batcher.summarise(document("c", "one two three"))
        rest = asyncio.gather(*asked, longer, batcher.predict(document("d")))
        await asyncio.sleep(0.05)
        predictor.gate.set()
        await first
        *summaries, _ = await rest
        return [summary.text for summary in summaries]

    assert asyncio.run(run()) == ["one two", "one two", "one two three"]
    assert sorted(predictor.batches) == [1, 1, 1, 2]
    batcher.stop()


def test_a_cancelled_document_is_left_out() -> None:
    predictor = FakePredictor()
    batcher = started(predictor)

    async def run() -> None:
        first = await behind_a_busy_model(predictor, batcher)
        gone = asyncio.create_task(batcher.predict(document("gone")))
        stays = asyncio.create_task(batcher.predict(document("stays")))
        await asyncio.sleep(0.05)
        gone.cancel()
        await asyncio.sleep(0.05)
        predictor.gate.set()
        await asyncio.gather(first, stays)

    asyncio.run(run())
    assert predictor.names == ["first", "stays"]
    batcher.stop()


def test_a_fault_reaches_its_own_caller_only() -> None:
    predictor = FakePredictor()
    batcher = started(predictor)

    async def run() -> list[Prediction | BaseException]:
        first = await behind_a_busy_model(predictor, batcher)
        texts = {"a": "confidential", "b": "explode", "c": "report"}
        asked = [batcher.predict(document(name, text)) for name, text in texts.items()]
        rest = asyncio.gather(*asked, return_exceptions=True)
        await asyncio.sleep(0.05)
        predictor.gate.set()
        await first
        return await rest

    a, b, c = asyncio.run(run())
    assert isinstance(a, Prediction)
    assert isinstance(b, RuntimeError)
    assert isinstance(c, Prediction)
    batcher.stop()


def test_too_few_predictions_are_a_fault_not_a_mix_up() -> None:
    class Forgetful(FakePredictor):
        def predict(self, documents: object, *, classify: bool = True, schema: str | None = None) -> list[Prediction]:
            return []

    batcher = started(Forgetful())
    with pytest.raises(ValueError, match="zip"):
        asyncio.run(batcher.predict(document("a")))
    batcher.stop()


def test_nothing_is_taken_before_loading_and_after_stopping() -> None:
    loading = threading.Event()
    predictor = FakePredictor()

    def load() -> FakePredictor:
        loading.wait(10)
        return predictor

    batcher = Batcher(load)
    batcher.start()
    with pytest.raises(NotReadyError, match="loading"):
        asyncio.run(batcher.predict(document("a")))
    loading.set()
    wait_until(lambda: batcher.info is not None)
    batcher.stop()
    with pytest.raises(NotReadyError, match="stopping"):
        asyncio.run(batcher.predict(document("a")))


def test_a_model_that_cannot_be_loaded_stays_a_failure() -> None:
    def load() -> FakePredictor:
        raise OSError("no weights")

    batcher = Batcher(load)
    batcher.start()
    wait_until(lambda: batcher.failure is not None)
    with pytest.raises(NotReadyError, match="could not be loaded"):
        batcher.model()
    batcher.stop()


def test_stopping_does_not_wait_for_a_model_being_loaded() -> None:
    loading = threading.Event()

    def load() -> FakePredictor:
        loading.wait(10)
        return FakePredictor()

    batcher = Batcher(load)
    batcher.start()
    started = time.perf_counter()
    batcher.stop()
    assert time.perf_counter() - started < 5
    loading.set()
