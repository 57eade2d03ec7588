"""Which way up a page is, as Tesseract's orientation detection says; by pipes, as `ocr/tesseract.py` says why."""

import os
import re
import subprocess
from io import BytesIO

from PIL import Image

_COMMAND = ("tesseract", "stdin", "stdout", "--psm", "0", "-l", "osd")
_ROTATE = re.compile(r"^Rotate: (\d+)$", re.MULTILINE)


def turn_upright(image: Image.Image, seconds: float) -> int | None:
    """Degrees clockwise (0, 90, 180 or 270) that turn the page upright; None where Tesseract cannot say in time.

    It needs some fifty letters; and it, and its model `osd`, may not be installed.
    """
    page = BytesIO()
    image.save(page, format="PPM")
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(
            _COMMAND, input=page.getvalue(), capture_output=True, check=True, timeout=seconds, env=environment
        )
    except (FileNotFoundError, subprocess.SubprocessError):
        return None
    found = _ROTATE.search(done.stdout.decode())
    return int(found[1]) if found else None
