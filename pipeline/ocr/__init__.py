"""OCR engines, one file each; the file's name is the engine's name.

An engine file holds

    recognise(image: PIL.Image.Image, languages: str, seconds: float) -> list[Word]
        the words in reading order, boxes in pixels of the image from its top-left corner, confidence 0–1.
        The image is grey (mode "L") and upright; `image.info["dpi"]` says its dots an inch, where they are known.
        OcrUnavailable as `check` has it; TimedOut where it takes longer than `seconds`, if the engine can be stopped;
        any other error of `pipeline.errors` where the page cannot be read. Called from several threads at once.
    check(languages: str) -> None
        OcrUnavailable where the engine is not installed, or one of the languages is not: it lists those that are.
        `languages` as Tesseract writes them ("eng", "eng+deu"). Quick once all is well, so that it may be asked often;
        what is installed later is found.
    version() -> str
        the engine's name and version; OcrUnavailable where it is not installed.
"""
