"""A till receipt as a scanner sees it: thermal print, a little faded and askew."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from samples.source.fonts import find

WIDTH, MARGIN, COLUMNS = 620, 34, 40
ITEMS = (
    ("OAT ROLLS 6 PACK", 1, 3.49),
    ("WHOLE MILK 1 GAL", 2, 3.89),
    ("CHEDDAR MILD 8 OZ", 1, 4.25),
    ("BANANAS 2.14 LB", 1, 1.48),
    ("TOMATO SOUP 10.7OZ", 3, 1.29),
    ("DISH SOAP LEMON", 1, 2.99),
    ("PAPER TOWELS 4 CT", 1, 6.79),
    ("AA BATTERIES 8 CT", 1, 9.99),
)
TAXABLE = ("DISH SOAP LEMON", "PAPER TOWELS 4 CT", "AA BATTERIES 8 CT")
TAX, CASH = 0.06, 50.00


def two_sides(left: str, right: str) -> str:
    """A line with a text at each edge."""
    return left + right.rjust(COLUMNS - len(left))


def lines() -> list[tuple[str, int]]:
    """The lines of the receipt, top to bottom, each with its size relative to the print (1 or 2)."""
    subtotal = sum(count * price for _, count, price in ITEMS)
    tax = round(TAX * sum(count * price for name, count, price in ITEMS if name in TAXABLE), 2)
    total = subtotal + tax
    rule = "-" * COLUMNS
    head = [("MARLOW STREET MARKET", 2), *((line.center(COLUMNS), 1) for line in SHOP), (rule, 1)]
    body = []
    for name, count, price in ITEMS:
        mark = "T" if name in TAXABLE else " "
        body.append((two_sides(f"{count} {name}", f"{count * price:.2f} {mark}"), 1))
        if count > 1:
            body.append((f"    @ {price:.2f} EACH", 1))
    sums = [
        (rule, 1),
        (two_sides("SUBTOTAL", f"{subtotal:.2f}  "), 1),
        (two_sides("SALES TAX 6.00%", f"{tax:.2f}  "), 1),
        (f"TOTAL {f'${total:.2f}':>13}", 2),
        (two_sides("CASH", f"{CASH:.2f}  "), 1),
        (two_sides("CHANGE", f"{CASH - total:.2f}  "), 1),
        (rule, 1),
        (f"ITEMS SOLD: {sum(count for _, count, _ in ITEMS)}", 1),
    ]
    return head + body + sums + [(line.center(COLUMNS), 1) for line in FOOT]


SHOP = (
    "212 MARLOW STREET",
    "PELL HARBOR",
    "TEL (555) 014-2278",
    "",
    "STORE 014   REG 03   CASHIER: IMOGEN",
    "DATE: 10/22/2022   TIME: 17:36:05",
    "RECEIPT NO. 03-118845",
)
FOOT = ("", "THANK YOU FOR SHOPPING WITH US", "RETURNS WITHIN 30 DAYS WITH RECEIPT", "", "* 0 3 1 1 8 8 4 5 *")


def draw() -> Image.Image:
    """The receipt in grey, the same on every call."""
    font = {size: ImageFont.truetype(find("LiberationMono-Bold"), 23 * size - (size - 1) * 4) for size in (1, 2)}
    height = sum(31 * size for _, size in lines()) + 4 * MARGIN
    image = Image.new("L", (WIDTH, height), 250)
    pen = ImageDraw.Draw(image)
    y = 2 * MARGIN
    for text, size in lines():
        x = WIDTH / 2 if size == 2 else MARGIN
        pen.text((x, y), text, fill=45, font=font[size], anchor="ma" if size == 2 else "la")
        y += 31 * size
    return age(image)


def age(image: Image.Image) -> Image.Image:
    """Fades the print in bands, turns the paper a little and lets the edge show."""
    random = np.random.default_rng(11)
    ink = 255.0 - np.asarray(image, dtype=np.float64)
    rows = np.arange(image.height)[:, None]
    ink *= 0.86 + 0.14 * np.sin(rows / 170.0) * np.sin(rows / 37.0 + 1.0)
    for _ in range(250):
        x, y = int(random.integers(image.width)), int(random.integers(image.height))
        ink[y : y + 2, x : x + 3] *= 0.3
    paper = Image.fromarray((255.0 - ink).clip(0, 255).astype(np.uint8))
    turned = paper.rotate(0.7, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=228)
    return turned.filter(ImageFilter.GaussianBlur(0.7))


def write(path: Path) -> None:
    """Writes the image as PNG."""
    draw().quantize(12, dither=Image.Dither.NONE).save(path, optimize=True)
