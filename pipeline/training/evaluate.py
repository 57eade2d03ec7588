"""Measure a model on data sets: accuracy and F1 of the classes, F1 of the values, ROUGE of the summaries."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from models.registry import pick
from pipeline.ingest import IngestSettings
from pipeline.predict import Predictor
from pipeline.training.formats import Example
from pipeline.training.metrics import class_scores, multi_label_scores, value_f1
from pipeline.training.prepare import examples_of, read_examples
from pipeline.training.rouge import lead, rouge
from pipeline.types import Prediction

Schemas = Mapping[str, Mapping[str, Any]]
Task = Literal["classify", "extract", "summarize"]
_AT_ONCE = 8  # files
_TEXTS_AT_ONCE = 128  # rows of tables: a call to the model costs as much as many short ones


def run_evaluation(
    model: Path,
    data: Sequence[tuple[Path, str]],
    cache: Path,
    task: Task | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    limit: int | None = None,
) -> dict[str, Any]:
    """{"task", "split", "documents", "seconds", "metrics"} over all documents of the (folder, split) pairs.

    Classification gives `accuracy`, `micro_f1`, `macro_f1` and `per_class`, see `pipeline.training.metrics`, over the
    documents with a class where the model knows any of theirs, for a multi-label model those with a list of classes (a
    document of a class that the model does not know counts as answered wrongly); extraction `f1`, `precision`, `recall`
    and `per_key`, over the documents with values of a schema it has, each read by that schema and not by the class it
    was given; summaries `rouge1`, `rouge2` and `rougeL`, and under `lead_3` those of the documents' first
    sentences. A document that cannot be read counts as answered wrongly. seconds: the model's own.

    task: only this one.  progress: told (documents done, documents in all).  limit: see `examples_of`. Raises
    ValueError for unusable data, or where the data holds nothing to measure by; OSError or ValueError for an unusable
    model.
    """
    predictor = Predictor(model, workers=1)
    examples = examples_of(data, limit)
    schemas = predictor.schemas if task in (None, "extract") else {}
    classified = _classified(predictor, examples) if task in (None, "classify") else []
    extracted = [e for e in examples if e.schema in schemas and _asked(e, schemas)]
    writes = "summarize" in predictor.info.tasks and task in (None, "summarize")
    summarised = [e for e in examples if writes and e.summary is not None]
    found = _predictions(predictor, {e.path: e for e in (*classified, *extracted)}, schemas, cache, progress)
    metrics: dict[str, Any] = {}
    if classified:
        metrics |= _classification(predictor, classified, found)
    if extracted:
        given = [values_of(found[e.path]) if e.path in found else [] for e in extracted]
        metrics |= value_f1([_asked(e, schemas) for e in extracted], given)
    scores, spent = summary_scores(predictor, summarised, cache, progress)
    metrics |= scores
    if not metrics:
        raise ValueError("The data holds nothing to measure this model by.")
    measured = {"classify": classified, "extract": extracted, "summarize": summarised}
    return {
        "task": "+".join(name for name, part in measured.items() if part),
        "split": "+".join(dict.fromkeys(split for _, split in data)),
        "documents": len({e.path for part in measured.values() for e in part}),
        "seconds": spent + sum(prediction.seconds for prediction in found.values()),
        "metrics": metrics,
    }


def _predictions(
    predictor: Predictor,
    asked: dict[Path, Example],
    schemas: Schemas,
    cache: Path,
    progress: Callable[[int, int], None],
) -> dict[Path, Prediction]:
    """What the model says of each document that can be read, a few at a time so that few are held."""
    found: dict[Path, Prediction] = {}
    examples = list(asked.values())
    size = _TEXTS_AT_ONCE if all(example.text is not None for example in examples) else _AT_ONCE
    for start in range(0, len(examples), size):
        read = list(read_examples(examples[start : start + size], cache, IngestSettings()))
        for schema in {example.schema for example, _ in read}:
            part = [(example, document) for example, document in read if example.schema == schema]
            known = schema if schema in schemas else None
            predictions = predictor.predict([document for _, document in part], schema=known)
            found |= {example.path: prediction for (example, _), prediction in zip(part, predictions, strict=True)}
        progress(min(start + size, len(examples)), len(examples))
    return found


def summary_scores(
    predictor: Predictor,
    examples: Sequence[Example],
    cache: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[dict[str, Any], float]:
    """(ROUGE of the model's summaries and of the documents' first sentences, the model's seconds); nothing for none."""
    if not examples:
        return {}, 0.0
    given, first = dict.fromkeys((e.path for e in examples), ""), dict.fromkeys((e.path for e in examples), "")
    seconds = 0.0
    for start in range(0, len(examples), _AT_ONCE):
        read = list(read_examples(examples[start : start + _AT_ONCE], cache, IngestSettings()))
        summaries = predictor.summarise([document for _, document in read])
        for (example, document), summary in zip(read, summaries, strict=True):
            given[example.path], seconds = summary.text, seconds + summary.seconds
            first[example.path] = lead(" ".join(word.text for page in document.pages for word in page.words))
        progress(min(start + _AT_ONCE, len(examples)), len(examples))
    gold = [str(example.summary) for example in examples]
    return {**rouge(gold, list(given.values())), "lead_3": rouge(gold, list(first.values()))}, seconds


def _asked(example: Example, schemas: Schemas) -> list[tuple[str, str]]:
    """The values that the example's schema, as the model has it, can find; in normalised form where there is one."""
    fields = schemas.get(example.schema or "", {})
    asked = []
    for name, value in example.values:
        if name in fields:
            normal = (
                None if example.normalised else pick("pipeline.normalise", fields[name]["normaliser"]).normalise(value)
            )
            asked.append((name, normal.text if normal else value))
    return asked


def _classified(predictor: Predictor, examples: Sequence[Example]) -> list[Example]:
    """Those to measure the model's classes by."""
    if predictor.multi_label:
        return [example for example in examples if example.labels is not None]
    found = [example for example in examples if example.label is not None]
    return found if any(example.label in predictor.info.classes for example in found) else []


def _classification(
    predictor: Predictor, examples: Sequence[Example], found: dict[Path, Prediction]
) -> Mapping[str, Any]:
    answers = [found.get(example.path) for example in examples]
    if not predictor.multi_label:
        return class_scores([str(e.label) for e in examples], [answer.label if answer else None for answer in answers])
    gold = [example.labels or () for example in examples]
    given = [answer.labels if answer else None for answer in answers]
    return multi_label_scores(gold, given, predictor.info.classes)


def values_of(prediction: Prediction) -> list[tuple[str, str]]:
    """The (entity type, normalised value) pairs of a prediction; an entity without a value gives none."""
    return [(entity.label, entity.value.text) for entity in prediction.entities if entity.value]
