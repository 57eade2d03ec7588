"""Measure a model on data sets: accuracy of the class, F1 of the values."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pipeline.ingest import IngestSettings
from pipeline.predict import Predictor
from pipeline.training.formats import Example
from pipeline.training.metrics import accuracy, value_f1
from pipeline.training.prepare import examples_of, read_examples
from pipeline.types import Prediction

_AT_ONCE = 8


def run_evaluation(
    model: Path,
    data: Sequence[tuple[Path, str]],
    cache: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """Rows {"task", "split", "documents", "metrics"}: "classify" over all documents whose class the model knows, then
    "extract" for each schema it has, over all documents with values of that schema.

    A document that cannot be read counts as answered wrongly, with no class and no values. progress: told (documents
    done, documents in all). Raises ValueError for unusable data, OSError or ValueError for an unusable model.
    """
    predictor = Predictor(model, workers=1)
    examples = examples_of(data)
    found: dict[Path, Prediction] = {}
    for start in range(0, len(examples), _AT_ONCE):
        read = read_examples(examples[start : start + _AT_ONCE], cache, IngestSettings())
        for schema in {example.schema for example, _ in read}:
            part = [(example, document) for example, document in read if example.schema == schema]
            known = schema if schema in predictor.info.schemas else None
            predictions = predictor.predict([document for _, document in part], schema=known)
            found |= {example.path: prediction for (example, _), prediction in zip(part, predictions, strict=True)}
        progress(min(start + _AT_ONCE, len(examples)), len(examples))
    split = "+".join(dict.fromkeys(split for _, split in data))
    rows = [_classification(examples, found, predictor.info.classes, split)]
    rows += [_extraction(examples, found, schema, split) for schema in predictor.info.schemas]
    return [row for row in rows if row["documents"]]


def _classification(
    examples: Sequence[Example], found: dict[Path, Prediction], classes: Sequence[str], split: str
) -> dict[str, Any]:
    """Accuracy over all, and for each class."""
    asked = [example for example in examples if example.label in classes]
    gold = [str(example.label) for example in asked]
    given = [found[e.path].label if e.path in found else None for e in asked]
    metrics: dict[str, Any] = {}
    if asked:
        metrics["accuracy"] = accuracy(gold, given)
        metrics["per_class"] = {
            label: accuracy(*zip(*[pair for pair in zip(gold, given, strict=True) if pair[0] == label], strict=True))
            for label in sorted(set(gold))
        }
    return {"task": "classify", "split": split, "documents": len(asked), "metrics": metrics}


def _extraction(examples: Sequence[Example], found: dict[Path, Prediction], schema: str, split: str) -> dict[str, Any]:
    """Value F1, micro over all keys, and for each key."""
    asked = [example for example in examples if example.schema == schema and example.values]
    given = [values_of(found[e.path]) if e.path in found else [] for e in asked]
    metrics = dict(value_f1([example.values for example in asked], given)) if asked else {}
    return {"task": "extract", "schema": schema, "split": split, "documents": len(asked), "metrics": metrics}


def values_of(prediction: Prediction) -> list[tuple[str, str]]:
    """The (entity type, normalised value) pairs of a prediction; an entity without a value gives none."""
    return [(entity.label, entity.value.text) for entity in prediction.entities if entity.value]
