import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipeline.scratch import scratch_folder, sweep

HOLDER = """
    import sys, time
    from pathlib import Path
    from pipeline.scratch import scratch_folder
    with scratch_folder(Path({root!r})) as folder:
        (folder / "page").write_bytes(b"x")
        print(folder, flush=True)
        time.sleep(60)
"""


def holder(root: Path) -> tuple[subprocess.Popen[str], Path]:
    """Another process that has a folder with a file in it."""
    program = textwrap.dedent(HOLDER.format(root=str(root)))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_a_folder_is_private_and_gone_in_the_end(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as folder:
        assert folder.stat().st_mode & 0o077 == 0
        (folder / "below").mkdir()
        (folder / "below" / "file").write_bytes(b"x")
    assert list(tmp_path.iterdir()) == []


def test_an_error_takes_the_folder_with_it(tmp_path: Path) -> None:
    def fail() -> None:
        with scratch_folder(tmp_path):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept_and_what_a_living_one_has_is_not(tmp_path: Path) -> None:
    dead, left = holder(tmp_path)
    living, used = holder(tmp_path)
    dead.send_signal(signal.SIGKILL)
    dead.wait()
    assert left.is_dir()
    assert sweep(tmp_path) == 1
    assert not left.exists()
    assert (used / "page").exists()
    living.kill()
    living.wait()
    assert sweep(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_many_at_once_have_folders_of_their_own(tmp_path: Path) -> None:
    def use(number: int) -> bool:
        with scratch_folder(tmp_path) as folder:
            sweep(tmp_path)
            (folder / "file").write_text(str(number))
            return [path.name for path in folder.iterdir()] == ["file"]

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(use, range(64)))
    assert list(tmp_path.iterdir()) == []
