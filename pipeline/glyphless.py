"""A font that draws nothing, for text that is only to be found and copied. Runs inside the reader's child process only.

Every character, with the accents that belong to it, has a code of its own as it first comes up, and the font says
which text that code stands for. So any script will do, and every code is as wide as the others.
"""

import unicodedata
from io import BytesIO

import pikepdf
from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib.tables._g_l_y_f import Glyph
from pikepdf import Array, Dictionary, Name, String

WIDTH = 0.5  # of a code, as a share of the font's size
_UNITS = 1000
_MOST_CODES = 0xFFFF
_RIGHT_TO_LEFT, _LEFT_TO_RIGHT, _NUMBERS = ("R", "AL"), ("L",), ("EN", "AN")
_MAP_BLOCK = 100  # of a map's lines; the format allows no more
_MAP = """/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
{}
endcmap
CMapName currentdict /CMap defineresource pop
end
end
"""


class Glyphless:
    """The font of one PDF. Ascent is its size and descent nothing, so that a line of it is as high as its size."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self._pdf = pdf
        self._codes: dict[str, int] = {}
        self.font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.Glyphless))

    def encode(self, text: str) -> bytes:
        """The codes of a text from left to right, two bytes each."""
        codes = (self._codes.setdefault(part, len(self._codes) + 1) for part in visual(clusters(text)))
        return b"".join((code if code <= _MOST_CODES else 0).to_bytes(2, "big") for code in codes)

    def finish(self) -> None:
        """Complete the font, once all text is encoded."""
        codes = min(len(self._codes), _MOST_CODES) + 1
        descriptor = Dictionary(
            Type=Name.FontDescriptor,
            FontName=Name.Glyphless,
            Flags=5,  # of one width, with characters of its own
            FontBBox=Array([0, 0, int(_UNITS * WIDTH), _UNITS]),
            ItalicAngle=0,
            Ascent=_UNITS,
            Descent=-1,  # readers take 0 for a mistake
            CapHeight=_UNITS,
            StemV=80,
            FontFile2=self._pdf.make_stream(_font_file()),
        )
        descendant = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType2,
            BaseFont=Name.Glyphless,
            CIDSystemInfo=Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0),
            DW=int(_UNITS * WIDTH),
            CIDToGIDMap=self._pdf.make_stream(bytes(2 * codes)),
            FontDescriptor=self._pdf.make_indirect(descriptor),
        )
        self.font.Encoding = Name("/Identity-H")
        self.font.ToUnicode = self._pdf.make_stream(self._map().encode("ascii"))
        self.font.DescendantFonts = Array([self._pdf.make_indirect(descendant)])

    def _map(self) -> str:
        """What each code stands for, as a ToUnicode map."""
        pairs = [(code, part) for part, code in self._codes.items() if code <= _MOST_CODES]
        blocks = []
        for start in range(0, len(pairs), _MAP_BLOCK):
            block = pairs[start : start + _MAP_BLOCK]
            lines = (f"<{code:04X}> <{part.encode('utf-16-be', 'replace').hex()}>" for code, part in block)
            blocks.append("\n".join((f"{len(block)} beginbfchar", *lines, "endbfchar")))
        return _MAP.format("\n".join(blocks))


def clusters(text: str) -> list[str]:
    """The characters of a text, each with the marks that are set over, under or into it."""
    parts: list[str] = []
    for character in text:
        if parts and unicodedata.category(character) in ("Mn", "Me"):
            parts[-1] += character
        else:
            parts.append(character)
    return parts


def visual(parts: list[str]) -> list[str]:
    """Characters as they stand from left to right, which is how PDFs write words of scripts that run to the left.

    Numbers run to the right in them. A word of both directions is left as it is.
    """
    kinds = [unicodedata.bidirectional(part[0]) for part in parts]
    if not any(kind in _RIGHT_TO_LEFT for kind in kinds) or any(kind in _LEFT_TO_RIGHT for kind in kinds):
        return parts
    found: list[str] = []
    number = 0  # how many of the first are a number
    for part, kind in zip(parts, kinds, strict=True):
        number = number + 1 if kind in _NUMBERS else 0
        found.insert(max(number - 1, 0), part)
    return found


def _font_file() -> bytes:
    """A TrueType font whose only glyph is empty."""
    builder = FontBuilder(_UNITS, isTTF=True)
    builder.setupGlyphOrder([".notdef"])
    builder.setupCharacterMap({})
    builder.setupGlyf({".notdef": Glyph()})
    builder.setupHorizontalMetrics({".notdef": (int(_UNITS * WIDTH), 0)})
    builder.setupHorizontalHeader(ascent=_UNITS, descent=0)
    builder.setupNameTable({"familyName": "Glyphless", "styleName": "Regular", "psName": "Glyphless"})
    builder.setupOS2()
    builder.setupPost()
    target = BytesIO()
    builder.save(target)
    return target.getvalue()
