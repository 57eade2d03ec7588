"""Measure a model on data sets: accuracy of the class, F1 of the values."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from models.registry import pick
from pipeline.ingest import IngestSettings
from pipeline.predict import Predictor
from pipeline.training.formats import Example
from pipeline.training.metrics import accuracy, value_f1
from pipeline.training.prepare import examples_of, read_examples
from pipeline.types import Prediction

Schemas = Mapping[str, Mapping[str, Any]]
Task = Literal["classify", "extract"]
_AT_ONCE = 8


def run_evaluation(
    model: Path,
    data: Sequence[tuple[Path, str]],
    cache: Path,
    task: Task | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """{"task", "split", "documents", "metrics"} over all documents of the (folder, split) pairs.

    Classification gives `accuracy` and `per_class`, over the documents whose class the model knows; extraction `f1`,
    `precision`, `recall` and `per_key`, over the documents with values of a schema it has, each read by that schema and
    not by the class it was given. task: only this one. A document that cannot be read counts as answered wrongly.
    progress: told (documents done, documents in all). Raises ValueError for unusable data, or where the data holds
    nothing to measure by; OSError or ValueError for an unusable model.
    """
    predictor = Predictor(model, workers=1)
    examples = examples_of(data)
    schemas = predictor.schemas if task != "classify" else {}
    classified = [e for e in examples if e.label in predictor.info.classes] if task != "extract" else []
    extracted = [e for e in examples if e.schema in schemas and _asked(e, schemas)]
    found = _predictions(predictor, {e.path: e for e in (*classified, *extracted)}, schemas, cache, progress)
    metrics: dict[str, Any] = {}
    if classified:
        metrics |= _classification(classified, found)
    if extracted:
        given = [values_of(found[e.path]) if e.path in found else [] for e in extracted]
        metrics |= value_f1([_asked(e, schemas) for e in extracted], given)
    if not metrics:
        raise ValueError("The data holds nothing to measure this model by.")
    tasks = [name for name, measured in (("classify", classified), ("extract", extracted)) if measured]
    return {
        "task": "+".join(tasks),
        "split": "+".join(dict.fromkeys(split for _, split in data)),
        "documents": len({e.path for e in (*classified, *extracted)}),
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
    for start in range(0, len(examples), _AT_ONCE):
        read = read_examples(examples[start : start + _AT_ONCE], cache, IngestSettings())
        for schema in {example.schema for example, _ in read}:
            part = [(example, document) for example, document in read if example.schema == schema]
            known = schema if schema in schemas else None
            predictions = predictor.predict([document for _, document in part], schema=known)
            found |= {example.path: prediction for (example, _), prediction in zip(part, predictions, strict=True)}
        progress(min(start + _AT_ONCE, len(examples)), len(examples))
    return found


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


def _classification(examples: Sequence[Example], found: dict[Path, Prediction]) -> dict[str, Any]:
    """Accuracy over all, and for each class."""
    pairs = [(str(e.label), found[e.path].label if e.path in found else None) for e in examples]
    per_class = {
        label: accuracy(*zip(*(pair for pair in pairs if pair[0] == label), strict=True))
        for label in sorted({gold for gold, _ in pairs})
    }
    return {"accuracy": accuracy(*zip(*pairs, strict=True)), "per_class": per_class}


def values_of(prediction: Prediction) -> list[tuple[str, str]]:
    """The (entity type, normalised value) pairs of a prediction; an entity without a value gives none."""
    return [(entity.label, entity.value.text) for entity in prediction.entities if entity.value]
