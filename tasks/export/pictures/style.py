"""Colours and sizes of every picture.

The colours are those of Okabe & Ito (2008, "Color Universal Design"), told apart with any colour vision;
whatever a colour says, a shape, a dash or a word says as well.
"""

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
RED = "#D55E00"
PURPLE = "#CC79A7"
WHITE = "#FFFFFF"
INK = "#222222"
GREY = "#767676"
PALE = "#DDDDDD"
PAPER = "#F5F5F5"

TITLE = 11.0
BODY = 8.0
SMALL = 7.0
"""Sizes of text, in points."""

LINE = 1.3
"""Distance of two lines of text, in sizes of the text."""


def mixed(colour: str, share: float, other: str = WHITE) -> str:
    """Return `share` of a colour and the rest of another: a quarter of black is a light grey."""
    pairs = [(int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02X}" for a, b in pairs)


def on(colour: str) -> str:
    """Return black or white, whichever is read more easily on a colour (relative luminance, WCAG 2.1)."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return BLACK if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.18 else WHITE
