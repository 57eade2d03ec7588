import json

from pipeline.answer import reading
from pipeline.export import json as writer
from tests.pipeline.export.reading import DOCUMENT, written


def test_json_is_what_the_service_answers() -> None:
    assert json.loads(written(writer, DOCUMENT)) == reading(DOCUMENT, words=True)
