"""OCR engines, one file each; the file's name is the engine's name.

An engine file holds

    recognise(image: PIL.Image.Image, languages: str) -> list[Word]
        the words in reading order, boxes in pixels of the image from its top-left corner, confidence 0–1;
        `languages` as Tesseract writes them ("eng", "eng+deu").
        OcrUnavailable where the engine or a language is not installed; TimedOut where a page takes longer than
        the engine's own limit; any other error of `pipeline.errors` where the page cannot be read.
    version() -> str
        the engine's name and version; OcrUnavailable where it is not installed.
"""
