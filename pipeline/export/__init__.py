"""What a document that was read may be written as, one file each; the file's name is the format's name.

A format file holds

    MEDIA_TYPE, EXTENSION: str
        of what it writes; the extension with its dot.
    write(document: Document, original: Source | None, target: BinaryIO) -> None
        write the document, pages without words and pages that failed among them. `original` is the file it was read
        from, for formats that need more than what was read; only those do without it badly, and say so.
        Raises what `Source.ask` raises where the original has to be opened again.

`_lines` tells lines and paragraphs by the words' boxes, `_xml` writes XML.
"""
