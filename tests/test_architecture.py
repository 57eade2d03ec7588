"""The rules of the house, checked on the source itself, and each rule checked to be able to fail.

A rule takes the root of a tree and gives back what breaks it, one line each, empty where all is well.
"""

import ast
from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {"app": {"app", "pipeline", "models"}, "pipeline": {"pipeline", "models"}, "models": {"models"}}
OTHER_FOLDERS = ("tests", "samples", "benchmarks")
FILE_LINES, FUNCTION_LINES = 300, 50

Rule = Callable[[Path], list[str]]


def layers(root: Path) -> list[str]:
    """A folder imports a layer above it, or a folder that is no layer."""
    local = {*MAY_IMPORT, *OTHER_FOLDERS}
    return [
        f"{where(path, root)} imports {name}"
        for path in sources(root)
        for name in sorted(imports(path))
        if (top := name.split(".")[0]) in local and top not in MAY_IMPORT[path.relative_to(root).parts[0]]
    ]


def cycles(root: Path) -> list[str]:
    """Modules import each other in a ring."""
    modules = {module(path, root): path for path in sources(root)}
    graph = {name: imports(path) & modules.keys() - {name} for name, path in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [" → ".join(error.args[1])]
    return []


def relative_imports(root: Path) -> list[str]:
    """An import begins with a dot."""
    return [
        f"{where(path, root)}:{node.lineno}"
        for path in sources(root, *OTHER_FOLDERS)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level
    ]


def long_files(root: Path) -> list[str]:
    """A file has 300 lines or more."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources(root, *OTHER_FOLDERS)}
    return [f"{where(path, root)}: {length} lines" for path, length in lengths.items() if length >= FILE_LINES]


def long_functions(root: Path) -> list[str]:
    """A function has 50 lines or more, its decorators not counted."""
    return [
        f"{where(path, root)}:{node.lineno} {node.name}: {length} lines"
        for path in sources(root, *OTHER_FOLDERS)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) >= FUNCTION_LINES
    ]


def init_files_without_contract(root: Path) -> list[str]:
    """An `__init__.py` holds something and does not begin by saying what: it should be empty, or hold a contract."""
    inits = [path for path in sources(root) if path.name == "__init__.py"]
    return [where(path, root) for path in inits if tree(path).body and ast.get_docstring(tree(path)) is None]


def stray_tests(root: Path) -> list[str]:
    """A file of `tests/{app,pipeline,models}` names neither a module nor a folder of the source.

    `test_contract.py` is of the folder it lies in: it walks the files of a registry.
    """
    wrong = []
    for folder in MAY_IMPORT:
        for path in sorted((root / "tests" / folder).rglob("test_*.py")):
            mirrored = root / path.relative_to(root / "tests").with_name(path.stem.removeprefix("test_"))
            mirrored = mirrored.parent if mirrored.name == "contract" else mirrored
            if not mirrored.is_dir() and not mirrored.with_suffix(".py").is_file():
                wrong.append(f"{where(path, root)}: no {where(mirrored, root)}")
    return wrong


def sources(root: Path, *others: str) -> Iterator[Path]:
    """The Python files of the layers, and of the other folders named."""
    return (path for folder in (*MAY_IMPORT, *others) for path in sorted((root / folder).rglob("*.py")))


def where(path: Path, root: Path) -> str:
    """The path as a person would write it."""
    return path.relative_to(root).as_posix()


def module(path: Path, root: Path) -> str:
    """The name a file is imported by."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def tree(path: Path) -> ast.Module:
    """The file, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports(path: Path) -> set[str]:
    """Every name a file may import, also inside functions; `from a import b` may mean the module a or a.b."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


RULES: list[Rule] = [
    layers,
    cycles,
    relative_imports,
    long_files,
    long_functions,
    init_files_without_contract,
    stray_tests,
]

GOOD = {
    "app/__init__.py": "",
    "app/main.py": "import pipeline.read\nfrom models.net import size\n",
    "pipeline/__init__.py": '"""What every step of the pipeline offers."""\n\nLIMIT = 1\n',
    "pipeline/read.py": "def read() -> int:\n    from models import net\n\n    return net.size\n",
    "models/net.py": "import json\n\nsize = 1\n",
    "tests/pipeline/test_read.py": "from pipeline.read import read\n",
    "tests/models/test_net.py": "",
    "tests/pipeline/test_contract.py": "",
    "tests/test_samples.py": "",
}

BAD: list[tuple[Rule, dict[str, str], str]] = [
    (
        layers,
        {"models/net.py": "def late() -> None:\n    import pipeline.read\n"},
        "models/net.py imports pipeline.read",
    ),
    (layers, {"pipeline/read.py": "from app import main\n"}, "pipeline/read.py imports app"),
    (layers, {"models/net.py": "from tests.models import fakes\n"}, "models/net.py imports tests.models"),
    (cycles, {"models/net.py": "from models import block\n", "models/block.py": "import models.net\n"}, "models.block"),
    (relative_imports, {"models/net.py": "from . import block\n"}, "models/net.py:1"),
    (relative_imports, {"tests/models/test_net.py": "from ..fakes import fake\n"}, "tests/models/test_net.py:1"),
    (long_files, {"app/main.py": "\n" * FILE_LINES}, "app/main.py: 300 lines"),
    (long_functions, {"app/main.py": "def f() -> None:\n" + "    f()\n" * 49}, "app/main.py:1 f: 50 lines"),
    (
        long_functions,
        {"app/main.py": "class A:\n    async def g(self) -> None:\n" + "        g()\n" * 49},
        "app/main.py:2 g: 50 lines",
    ),
    (init_files_without_contract, {"app/__init__.py": "from pipeline.read import read\n"}, "app/__init__.py"),
    (stray_tests, {"tests/models/test_gone.py": ""}, "tests/models/test_gone.py: no models/gone"),
    (
        stray_tests,
        {"tests/pipeline/deep/test_read.py": ""},
        "tests/pipeline/deep/test_read.py: no pipeline/deep/read",
    ),
]


def plant(root: Path, files: dict[str, str]) -> Path:
    """Writes the files below the root; returns the root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps_the_rule(rule: Rule) -> None:
    assert list(sources(ROOT)), "no source was found"
    assert rule(ROOT) == []


@pytest.mark.parametrize("rule", RULES)
def test_a_good_tree_passes(rule: Rule, tmp_path: Path) -> None:
    assert rule(plant(tmp_path, GOOD)) == []


@pytest.mark.parametrize(("rule", "files", "said"), BAD)
def test_a_bad_tree_fails(rule: Rule, files: dict[str, str], said: str, tmp_path: Path) -> None:
    assert any(said in line for line in rule(plant(tmp_path, GOOD | files)))


def test_every_rule_has_a_bad_tree() -> None:
    assert {rule.__name__ for rule in RULES} == {rule.__name__ for rule, _, _ in BAD}


def test_files_and_functions_just_short_enough_pass(tmp_path: Path) -> None:
    function = "def f() -> None:\n" + "    f()\n" * (FUNCTION_LINES - 2)
    plant(tmp_path, {"app/main.py": function + "\n" * (FILE_LINES - FUNCTION_LINES)})
    assert long_functions(tmp_path) == long_files(tmp_path) == []
