"""Lines of text as outlines of DejaVu Sans.

Letters of scripts written one after the other are set by their widths, as they were measured; Arabic, Indic
and others whose letters join are left to matplotlib's layout.
"""

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from corpusgraph.tasks.export.pictures.letters import advance, drawable, font, font_file, width
from corpusgraph.tasks.export.pictures.page import CLOSE, Words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Outline = tuple["NDArray[np.float64]", "NDArray[np.uint8]"]
"""Points (n, 2) and their path codes (n,)."""
_SIZE = 100.0
_PLAIN = ((0x20, 0x58F), (0x1E00, 0x2BFF))
"""Latin, Greek, Cyrillic, Armenian with all their accents; punctuation, arrows, mathematics."""


def outline(words: Words) -> Outline:
    """Return a line of text as a path in points on the page, the vertical axis downward."""
    import numpy as np

    text = drawable(words.text)
    points, codes = _set(text, bold=words.bold) if _is_plain(text) else _joined(text, bold=words.bold)
    if not len(points):
        return points, codes
    scale = words.size / _SIZE
    wide = width(text, words.size, bold=words.bold) if _is_plain(text) else scale * float(points[:, 0].max())
    flat = points * (scale, -scale)
    flat[:, 0] -= {"start": 0.0, "middle": wide / 2, "end": wide}[words.anchor]
    if words.angle:
        turn = np.deg2rad(-words.angle)
        flat = flat @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return flat + words.at, codes


def _is_plain(text: str) -> bool:
    return all(
        any(low <= ord(c) <= high for low, high in _PLAIN) and not unicodedata.combining(c) for c in text
    )


def _set(text: str, *, bold: bool) -> Outline:
    """Set letters one after the other."""
    import numpy as np

    at, points, codes = 0.0, [np.empty((0, 2))], [np.empty(0, np.uint8)]
    for character in text:
        shape, kinds = _glyph(character, bold)
        if len(shape):
            points.append(np.add(shape, (at, 0.0)))
            codes.append(kinds)
        at += _SIZE * advance(character, bold)
    return np.concatenate(points), np.concatenate(codes)


@lru_cache(maxsize=4_096)
def _glyph(character: str, bold: bool) -> Outline:
    from matplotlib.ft2font import LoadFlags

    face: Any = font(bold=bold)
    face.set_size(_SIZE, 72)
    face.load_char(ord(character), flags=LoadFlags.NO_HINTING)
    return _closed(*face.get_path())


def _joined(text: str, *, bold: bool) -> Outline:
    """Let matplotlib lay out a script whose letters join or run from right to left."""
    import numpy as np
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    maker = TextToPath()
    points, codes = maker.get_text_path(FontProperties(fname=font_file(bold=bold)), text)
    scaled = np.asarray(points, dtype=np.float64).reshape(-1, 2) * (_SIZE / maker.FONT_SCALE)
    return _closed(scaled, codes)


def _closed(points: Any, codes: Any) -> Outline:
    """Return a path whose closing points repeat the one before: the renderer reads no place there."""
    import numpy as np

    shape, kinds = np.array(points, dtype=np.float64).reshape(-1, 2), np.array(codes, dtype=np.uint8)
    ends = np.flatnonzero(kinds == CLOSE)
    shape[ends] = shape[ends - 1]
    return shape, kinds
