"""Documents once read are kept in a folder, by their content and the settings they were read with."""

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from dataclasses import asdict, replace
from pathlib import Path

from pipeline.ingest import IngestSettings, file_hash, ingest
from pipeline.serialise import VERSION, document_from_json, document_to_json
from pipeline.types import Document

# Raised whenever `ingest` comes to read the same file otherwise.
_GENERATION = 2


def cached_ingest(path: Path, settings: IngestSettings, folder: Path) -> Document:
    """The document at `path`, from the cache `folder` where it was read before with the same settings.

    A damaged entry is read anew. Raises what `ingest` raises; failures are not kept.
    """
    entry = folder / f"{_key(path, settings)}.json.gz"
    document = _load(entry)
    if document is None:
        document = ingest(path, path.name, settings)
        _store(entry, document)
    return replace(document, name=path.name)


def _key(path: Path, settings: IngestSettings) -> str:
    parts = [VERSION, _GENERATION, file_hash(path), asdict(settings)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _load(entry: Path) -> Document | None:
    """The entry's document; None where there is none or it is damaged."""
    try:
        return document_from_json(gzip.decompress(entry.read_bytes()).decode())
    except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error):
        return None


def _store(entry: Path, document: Document) -> None:
    """Write the entry whole or not at all."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    file, name = tempfile.mkstemp(dir=entry.parent, prefix=entry.stem, suffix=".part")
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(gzip.compress(document_to_json(document).encode(), compresslevel=6))
        Path(name).replace(entry)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
