"""The child process in which foreign bytes are opened: `python -m pipeline.child_main`, started by `pipeline.child`.

One JSON request a line on standard input, answered by JSON lines on standard output, the last one with "end".

    read     {"kind", "password", "first", "units"}  →  {"pages"}, then one draft a page
    draw     {"kind", "password", "number", "width", "height", "dpi", "unit", "target"}  →
             {"share"} of the resolution that it could be drawn with
    inspect  {"password"}             →  {"units": points by page, "damaged", "lost": numbers of pages}
    repair   {"password", "target"}   →  {"path"}
    unpack   {"folder"}               →  {"parts": [name, path] of each attachment that is read, "others": names}
    convert  {"folder", "max_bytes"}  →  {"path"}
    export   {"kind", "password", "pages", "target"}  →  {"number"} of each page as it is done; pages: a JSON file

Every request carries "task" and "path", and the limits it runs under: "cpu_seconds", "memory_bytes", "file_bytes" (of
each file written), "max_pixels". The last reply is {"end": true} or, when it fails, {"error": code of pipeline.errors,
"message", "end": true}, with "trace" where nobody foresaw it. The child ends with its parent, and all that it started
with it.
"""

import errno
import json
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2.raw as pdfium
from PIL import Image

from pipeline.decide import Draft
from pipeline.draw import FORMATS, bounded_dpi, draw_frame, draw_pdf_page, orientation
from pipeline.errors import CorruptDocument, DocumentError, OutOfMemory, OutOfScratch, PasswordRequired
from pipeline.overlay import searchable
from pipeline.repair import inspect, repair
from pipeline.textlayer import read_page
from pipeline.unpack import attachments, to_pdf

_DEFAULT_DPI = 200.0
# Programs that do not know the resolution write 1 or 72.
_LEAST_DPI, _MOST_DPI = 75.0, 2400.0
_TURNED = (5, 6, 7, 8)


def main() -> None:
    """Answer requests until standard input ends."""
    Image.MAX_IMAGE_PIXELS = None  # `draw_frame` looks at the size itself
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    for line in sys.stdin:
        request = json.loads(line)
        _limit(request["cpu_seconds"], request["memory_bytes"], request["file_bytes"])
        for reply in answer(request):
            sys.stdout.write(json.dumps(reply, separators=(",", ":")) + "\n")
            sys.stdout.flush()


def answer(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The replies to one request; whatever goes wrong is the last of them."""
    try:
        yield from _TASKS[request["task"]](request)
        yield {"end": True}
    except (DocumentError, MemoryError, OSError, pikepdf.PdfError, pikepdf.PasswordError) as error:
        told = _as_document_error(error)
        yield {"error": told.code, "message": str(told), "end": True}
    except Exception as error:
        told = _as_document_error(error)
        yield {"error": told.code, "message": str(told), "trace": traceback.format_exc(), "end": True}


def _as_document_error(error: Exception) -> DocumentError:
    """What a person should be told of an error."""
    match error:
        case DocumentError():
            return error
        case MemoryError():
            return OutOfMemory("Reading the document needed too much memory.")
        case pikepdf.PasswordError():
            return PasswordRequired("The document is encrypted and needs a password, or another one.")
        case OSError(errno=errno.EFBIG | errno.ENOSPC | errno.EDQUOT):
            return OutOfScratch("Reading the document had to write more to disk than the limit.")
        case _:
            return CorruptDocument("The document is damaged and cannot be read.")


def _end_with_parent(parent: int) -> None:
    """Stop this process and all it started as soon as its parent is gone, even in the middle of a request."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os.killpg(0, signal.SIGKILL)


def _limit(cpu_seconds: float, memory_bytes: int, file_bytes: int) -> None:
    """Set the soft limits of this process: CPU seconds counted from now, address space and sizes of files in bytes."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime + cpu_seconds) + 1
    for limit, value in (
        (resource.RLIMIT_CPU, end),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, file_bytes),
    ):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (value, hard))


def _read(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The number of pages, then a draft of each from the first asked for."""
    if request["kind"] == "pdf":
        units = {int(number): unit for number, unit in request.get("units", {}).items()}
        yield from _read_pdf(request["path"], request["password"], request["first"], units)
    else:
        yield from _read_image(request["path"], request["first"])


def _read_pdf(path: str, password: str | None, first: int, units: dict[int, float]) -> Iterator[dict[str, Any]]:
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
                yield _reply(read_page(document, number, units.get(number, 1.0)))
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
        # A telephone's photograph may hold a second, smaller one for its own use.
        frames = 1 if image.format == "MPO" else getattr(image, "n_frames", 1)
        yield {"pages": frames}
        for index in range(first - 1, frames):
            image.seek(index)
            across, down = _dpi(image)
            width, height = image.width * 72.0 / across, image.height * 72.0 / down
            if orientation(image) in _TURNED:
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


def _draw(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Write a page or a frame in grey to the request's target, as PGM."""
    path, number, most = Path(request["path"]), request["number"], request["max_pixels"]
    if request["kind"] == "pdf":
        dpi = bounded_dpi(request["dpi"], request["width"], request["height"], most)
        image, share = draw_pdf_page(path, number, dpi * request["unit"], request["password"]), dpi / request["dpi"]
    else:
        image, share = draw_frame(path, number, most, request["memory_bytes"] // 2)
    image.save(request["target"], format="PPM")
    yield {"share": share}


def _inspect(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    found = inspect(Path(request["path"]), request["password"])
    yield {"units": found.units, "damaged": found.damaged, "lost": found.lost}


def _repair(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    repair(Path(request["path"]), Path(request["target"]), request["password"])
    yield {"path": request["target"]}


def _unpack(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    found, others = attachments(Path(request["path"]), Path(request["folder"]))
    yield {"parts": [(name, str(path)) for name, path in found], "others": others}


def _convert(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"path": str(to_pdf(Path(request["path"]), Path(request["folder"]), request["max_bytes"]))}


def _export(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    pages = json.loads(Path(request["pages"]).read_text("utf-8"))
    path, target = Path(request["path"]), Path(request["target"])
    for number in searchable(path, request["kind"], pages, target, request["password"]):
        yield {"number": number}


_TASKS = {
    "read": _read,
    "draw": _draw,
    "inspect": _inspect,
    "repair": _repair,
    "unpack": _unpack,
    "convert": _convert,
    "export": _export,
}


if __name__ == "__main__":
    main()
