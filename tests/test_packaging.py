"""What installs and runs Longleaf agrees with itself: pins, the container image, the services."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))[
    "services"
]


def pins() -> dict[str, str]:
    """The version of each package in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("==") for line in lines if line and not line.startswith("#"))
    return {name: pinned for name, _, pinned in pairs}


def required() -> set[str]:
    """The packages that pyproject.toml names, the extras' included."""
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    return {re.split(r"[<>=!~\[; ]", requirement)[0].lower() for group in groups for requirement in group}


def test_every_requirement_is_pinned() -> None:
    assert required() <= pins().keys()


@pytest.mark.parametrize("name", sorted(required()))
def test_the_pinned_version_is_the_one_tested(name: str) -> None:
    assert version(name).split("+")[0] == pins()[name]


def test_the_image_copies_all_that_it_needs_and_no_more_is_sent_to_the_build() -> None:
    copied = {
        name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE) for name in line.split()
    }
    sent = {
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    packages = {"app", "pipeline", "models"}
    assert copied == sent == packages | {"pyproject.toml", "constraints.txt", "README.md", "LICENSE"}


def test_the_image_has_the_debian_packages_that_the_project_looks_for() -> None:
    script = (ROOT / "tools" / "debian-packages").read_text(encoding="utf-8")
    wanted = set(re.findall(r"\|\| echo ([a-z0-9-]+)$", script, re.MULTILINE)) - {
        "python3-venv",
        "libreoffice-writer-nogui",
    }
    assert len(wanted) == 4
    assert not {package for package in wanted if package not in DOCKERFILE}


def test_the_image_does_not_run_as_root() -> None:
    assert re.findall(r"^USER (.+)$", DOCKERFILE, re.MULTILINE) == ["1000:1000"]


@pytest.mark.parametrize("name", ["api", "api-gpu", "batch"])
def test_each_service_is_shut_in(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory", "pids"}
    assert "secrets" not in service
    assert not any("privileged" in key for key in service)


def test_services_and_their_profiles() -> None:
    assert {name: service.get("profiles") for name, service in SERVICES.items()} == {
        "api": None,
        "api-gpu": ["gpu"],
        "batch": ["batch"],
    }
    devices = SERVICES["api-gpu"]["deploy"]["resources"]["reservations"]["devices"]
    assert devices == [{"driver": "nvidia", "count": 1, "capabilities": ["gpu"]}]


def test_the_batch_reads_one_folder_and_writes_another() -> None:
    assert SERVICES["batch"]["command"] == ["batch", "/in", "/out"]
    assert [mount.rsplit("}:")[-1] for mount in SERVICES["batch"]["volumes"][:2]] == ["/in:ro", "/out"]


@pytest.mark.parametrize("target", ["install", "demo", "serve", "test", "lint", "bench", "samples", "warm-start"])
def test_make_knows_the_target(target: str) -> None:
    subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


def look_for_packages(folder: Path, *commands: str) -> subprocess.CompletedProcess[str]:
    """Runs tools/debian-packages where only these commands are found, apt-get never among them."""
    for command in ("bash", "env", "find", "grep", *commands):
        found = sys.executable if command == "python3" else shutil.which(command)
        assert found
        (folder / command).symlink_to(found)
    script = ["bash", str(ROOT / "tools" / "debian-packages")]
    return subprocess.run(script, env={"PATH": str(folder)}, capture_output=True, text=True, check=False)


def test_missing_packages_are_named_where_they_may_not_be_installed(tmp_path: Path) -> None:
    done = look_for_packages(tmp_path)
    assert done.returncode == 1
    assert "tesseract-ocr tesseract-ocr-eng poppler-utils" in done.stderr
    assert "python3-venv" in done.stderr


def test_nothing_is_said_where_nothing_is_missing(tmp_path: Path) -> None:
    done = look_for_packages(tmp_path, "tesseract", "pdftoppm", "pdfinfo", "python3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
