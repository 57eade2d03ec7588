from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from models.registry import names, pick


def test_the_files_of_a_folder_are_its_names() -> None:
    assert {"distance", "full", "sliding"} <= set(names("models.attention.kinds"))
    assert names("models.heads") == sorted(names("models.heads"))
    assert "_numbers" not in names("pipeline.normalise")


def test_a_name_gives_its_module() -> None:
    assert pick("models.attention.kinds", "full").__name__ == "models.attention.kinds.full"


def test_a_keyword_of_python_may_be_a_name() -> None:
    assert "import" in names("app.cli")
    assert pick("app.cli", "import").__name__ == "app.cli.import_"


@pytest.mark.parametrize("name", ["spiral", "", "full.py", "__init__", "..heads.label"])
def test_what_is_not_there_is_told_with_what_is(name: str) -> None:
    with pytest.raises(ValueError, match="distance, distance_sw, full"):
        pick("models.attention.kinds", name)


def test_threads_that_ask_for_a_module_at_once_get_it_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_kinds").mkdir()
    (tmp_path / "slow_kinds" / "__init__.py").touch()
    (tmp_path / "slow_kinds" / "slow.py").write_text("import time\ntime.sleep(0.2)\nanswer = 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    with ThreadPoolExecutor(4) as threads:
        modules = list(threads.map(lambda _: pick("slow_kinds", "slow"), range(4)))
    assert [module.answer for module in modules] == [42] * 4
