"""Pixels as a PNG of at most 256 colours: a fifth of the bytes, and flat colours are what they were."""

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEP = 17
"""Colours are told apart in 16 levels a channel, 0, 17 … 255."""
_CELLS = 16**3
_MOST = 256
_WHITE = 0xFFFFFFFF


def png(
    pixels: "NDArray[np.uint8]", colours: Iterable[str], *, dpi: int, title: str, description: str
) -> bytes:
    """Return opaque pixels (height, width, 4) as PNG; the `colours` (#RRGGBB) are kept exactly."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    index, palette = _indexed(pixels, sorted(set(colours)))
    picture = Image.fromarray(index)
    picture.putpalette(palette.tobytes())
    facts = PngInfo()
    facts.add_itxt("Title", title)
    facts.add_itxt("Description", description)
    stream = io.BytesIO()
    picture.save(stream, format="png", dpi=(dpi, dpi), pnginfo=facts)
    return stream.getvalue()


def _indexed(
    pixels: "NDArray[np.uint8]", colours: list[str]
) -> "tuple[NDArray[np.uint8], NDArray[np.uint8]]":
    """Return the number of each pixel's colour, and the colours (n, 3)."""
    import numpy as np

    level = (np.arange(256) + _STEP // 2) // _STEP
    packed = np.ascontiguousarray(pixels).view(np.uint32)[..., 0].ravel()
    drawn = np.flatnonzero(packed != _WHITE)  # most of a page is white
    some = pixels.reshape(-1, 4)[drawn]
    cell = level[some[:, 0]] * 256 + level[some[:, 1]] * 16 + level[some[:, 2]]
    counts = np.bincount(cell, minlength=_CELLS)
    counts[-1] += packed.size - drawn.size
    kept = np.sort(np.argsort(-counts, kind="stable")[: min(_MOST, int(np.count_nonzero(counts)))])
    shades = np.stack([kept // 256, kept // 16 % 16, kept % 16], axis=1) * _STEP
    palette = shades.astype(np.uint8)
    for colour in colours:
        exact = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        own = level[exact[0]] * 256 + level[exact[1]] * 16 + level[exact[2]]
        palette[kept == own] = exact
    cells = np.arange(_CELLS)
    every = np.stack([cells // 256, cells // 16 % 16, cells % 16], axis=1)
    used = np.flatnonzero(counts)
    number = np.zeros(_CELLS, dtype=np.uint8)
    far = np.abs(every[used][:, None, :] - (shades // _STEP)[None, :, :]).sum(axis=2)
    number[used] = far.argmin(axis=1)
    index = np.full(packed.size, number[-1], dtype=np.uint8)
    index[drawn] = number[cell]
    return index.reshape(pixels.shape[:2]), palette
