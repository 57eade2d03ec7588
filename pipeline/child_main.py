"""The child process in which foreign bytes are opened: `python -m pipeline.child_main`, started by `pipeline.child`.

One JSON request a line on standard input, answered by JSON lines on standard output, the last one with "end".

    {"task": "read", "path", "kind", "password", "first"}  →  {"pages"}, then one draft a page, then {"end": true}
    {"task": "draw", "path", "kind", "password", "number", "width", "height", "dpi", "target"}  →  {"end": true}
    either, when it fails  →  {"error": code of pipeline.errors, "message", "end": true}

Every request carries "cpu_seconds" and "memory_bytes", the limits it runs under. The child ends with its parent.
"""

import json
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pypdfium2.raw as pdfium
from PIL import Image

from pipeline.decide import Draft
from pipeline.draw import FORMATS, bounded_dpi, draw_frame, draw_pdf_page
from pipeline.errors import CorruptDocument, DocumentError, OutOfMemory, PasswordRequired
from pipeline.textlayer import read_page

_DEFAULT_DPI = 200.0
# Programs that do not know the resolution write 1 or 72.
_LEAST_DPI, _MOST_DPI = 75.0, 2400.0
_TURNED = (5, 6, 7, 8)
_ORIENTATION = 0x0112


def main() -> None:
    """Answer requests until standard input ends."""
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    for line in sys.stdin:
        request = json.loads(line)
        _limit(request["cpu_seconds"], request["memory_bytes"])
        for reply in answer(request):
            sys.stdout.write(json.dumps(reply, separators=(",", ":")) + "\n")
            sys.stdout.flush()


def answer(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The replies to one request; whatever goes wrong is the last of them."""
    try:
        if request["task"] == "draw":
            _draw(request)
        elif request["kind"] == "pdf":
            yield from _read_pdf(request["path"], request["password"], request["first"])
        else:
            yield from _read_image(request["path"], request["first"])
        yield {"end": True}
    except DocumentError as error:
        yield {"error": error.code, "message": str(error), "end": True}
    except MemoryError:
        yield {"error": OutOfMemory.code, "message": "Reading the document needed too much memory.", "end": True}
    except Exception:
        yield {"error": CorruptDocument.code, "message": "The document is damaged and cannot be read.", "end": True}


def _end_with_parent(parent: int) -> None:
    """Stop this process as soon as its parent is gone, even in the middle of a request."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def _limit(cpu_seconds: float, memory_bytes: int) -> None:
    """Set the soft limits of this process: CPU seconds counted from now, and address space in bytes."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime + cpu_seconds) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (end, hard))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, hard))


def _read_pdf(path: str, password: str | None, first: int) -> Iterator[dict[str, Any]]:
    """The number of pages, then the text layer of each from `first` (counted from 1)."""
    document = pdfium.FPDF_LoadDocument(path.encode(), password.encode() if password else None)
    if not document:
        if pdfium.FPDF_GetLastError() in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            wrong = "the password given is wrong" if password else "it needs a password"
            raise PasswordRequired(f"The document is encrypted and {wrong}.")
        raise CorruptDocument("The file begins as a PDF but cannot be opened as one.")
    try:
        pages = pdfium.FPDF_GetPageCount(document)
        yield {"pages": pages}
        for number in range(first, pages + 1):
            try:
                yield _reply(read_page(document, number))
            except ValueError:
                yield {"number": number, "failure": CorruptDocument.code}
    finally:
        pdfium.FPDF_CloseDocument(document)


def _reply(draft: Draft) -> dict[str, Any]:
    """The draft as the keyword arguments that make it, each word as [text, x0, y0, x1, y1]."""
    reply = {field.name: getattr(draft, field.name) for field in fields(draft)}
    return {**reply, "words": [(word.text, *word.box) for word in draft.words]}


def _read_image(path: str, first: int) -> Iterator[dict[str, Any]]:
    """The number of frames, then the size of each in points; pixels are not decoded."""
    with Image.open(path, formats=FORMATS) as image:
        frames = getattr(image, "n_frames", 1)
        yield {"pages": frames}
        for index in range(first - 1, frames):
            image.seek(index)
            across, down = _dpi(image)
            width, height = image.width * 72.0 / across, image.height * 72.0 / down
            if image.getexif().get(_ORIENTATION) in _TURNED:
                width, height = height, width
            yield {"number": index + 1, "width": width, "height": height}


def _dpi(image: Image.Image) -> tuple[float, float]:
    """Dots an inch across and down; a plain default where the file says nothing or nothing sensible."""
    try:
        across, down = (float(value) for value in image.info["dpi"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return _DEFAULT_DPI, _DEFAULT_DPI
    if not (_LEAST_DPI <= across <= _MOST_DPI and _LEAST_DPI <= down <= _MOST_DPI):
        return _DEFAULT_DPI, _DEFAULT_DPI
    return across, down


def _draw(request: dict[str, Any]) -> None:
    """Write a page or a frame in grey to the request's target, as PGM."""
    path, number = Path(request["path"]), request["number"]
    if request["kind"] == "pdf":
        dpi = bounded_dpi(request["dpi"], request["width"], request["height"])
        image = draw_pdf_page(path, number, dpi, request["password"])
    else:
        image = draw_frame(path, number)
    image.save(request["target"], format="PPM")


if __name__ == "__main__":
    main()
