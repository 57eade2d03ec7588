from pathlib import Path

import pytest
from PIL import Image

from pipeline.child_main import answer
from tests.pipeline.writing import image_file, saved, text_pdf


def read(path: Path, kind: str, first: int = 1) -> list[dict[str, object]]:
    return list(answer({"task": "read", "path": str(path), "kind": kind, "password": None, "first": first}))


def test_reading_can_begin_at_a_later_page(tmp_path: Path) -> None:
    replies = read(saved(tmp_path, text_pdf([["one"], ["two"], ["three"]])), "pdf", first=3)
    assert replies[0] == {"pages": 3}
    assert [reply.get("number") for reply in replies[1:]] == [3, None]
    assert replies[-1] == {"end": True}


def test_every_failure_is_one_reply_with_a_code(tmp_path: Path) -> None:
    (reply,) = read(tmp_path / "missing", "image")
    assert (reply["error"], reply["end"]) == ("corrupt_document", True)


@pytest.mark.parametrize("dots", [1, 72, 9999])
def test_a_resolution_that_cannot_be_meant_is_not_believed(tmp_path: Path, dots: int) -> None:
    path = saved(tmp_path, image_file(Image.new("L", (400, 200)), "PNG", dpi=(dots, dots)))
    size = read(path, "image")[1]
    assert (size["width"], size["height"]) == (144, 72)
