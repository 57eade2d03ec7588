from pathlib import Path

import pytest

from pipeline.cache import cached_ingest
from pipeline.errors import EmptyFile
from pipeline.ingest import IngestSettings
from tests.pipeline.writing import saved, text_pdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "documents"


def test_a_document_is_read_once_whatever_its_name(tmp_path: Path, folder: Path) -> None:
    path = saved(tmp_path, text_pdf([["words", "“quoted” ﬁne"]]))
    first = cached_ingest(path, IngestSettings(), folder)
    (entry,) = folder.iterdir()
    written = entry.stat().st_mtime_ns
    renamed = path.rename(tmp_path / "renamed.pdf")
    second = cached_ingest(renamed, IngestSettings(), folder)
    assert (second.name, second.sha256, second.pages) == ("renamed.pdf", first.sha256, first.pages)
    assert entry.stat().st_mtime_ns == written


def test_other_settings_and_other_content_are_other_entries(tmp_path: Path, folder: Path) -> None:
    path = saved(tmp_path, text_pdf([["words"]]))
    cached_ingest(path, IngestSettings(), folder)
    cached_ingest(path, IngestSettings(ocr="never"), folder)
    saved(tmp_path, text_pdf([["other"]]))
    assert cached_ingest(path, IngestSettings(), folder).pages[0].words[0].text == "other"
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\x1f\x8b\x08\x00", None])
def test_a_damaged_entry_is_read_anew(tmp_path: Path, folder: Path, damage: bytes | None) -> None:
    path = saved(tmp_path, text_pdf([["words"]]))
    document = cached_ingest(path, IngestSettings(), folder)
    (entry,) = folder.iterdir()
    entry.write_bytes(entry.read_bytes()[:-20] if damage is None else damage)
    assert cached_ingest(path, IngestSettings(), folder) == document
    assert cached_ingest(path, IngestSettings(), folder) == document


def test_failures_leave_nothing_behind(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(EmptyFile):
        cached_ingest(saved(tmp_path, b""), IngestSettings(), folder)
    assert not folder.exists()
