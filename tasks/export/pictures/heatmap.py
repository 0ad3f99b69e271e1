"""Pearson correlations of numbers as a lower triangle of coloured cells, each with its value."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpusgraph.tasks.export.pictures.page import Look, Page
from corpusgraph.tasks.export.pictures.style import BLUE, BODY, GREY, PALE, RED, SMALL, mixed, on

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELL = 27.0
NAMES = 150.0
"""Room for the names of the rows, in points."""
_NONE = Look(fill=PALE)
_ROWS = 131_072
"""Rows taken at once: memory stays small."""


def correlations(
    columns: Sequence["NDArray[np.float64]"],
) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
    """Return Pearson's r (k, k) and the rows behind each (k, k), of columns (n,) with NaN for missing.

    Each pair is of the rows that have both values. NaN where a variable does not vary there. Columns are
    centred and scaled first, so that sums of squares neither overflow nor cancel.
    """
    import numpy as np

    k = len(columns)
    scaled = [_scaled(column) for column in columns]
    count, total, squares, products = (np.zeros((k, k)) for _ in range(4))
    for begin in range(0, len(columns[0]) if columns else 0, _ROWS):
        part = np.stack([column[begin : begin + _ROWS] for column in scaled])
        known = (~np.isnan(part)).astype(np.float64)
        part = np.nan_to_num(part)
        count += known @ known.T
        total += part @ known.T
        squares += (part * part) @ known.T
        products += part @ part.T
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares - total * total / count
        spread[spread <= 1e-12 * squares] = np.nan
        r = (products - total * total.T / count) / np.sqrt(spread * spread.T)
    return np.clip(r, -1.0, 1.0), count.astype(np.int64)


def _scaled(column: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return a column about its mean, the farthest value 1; all 0 where it does not vary."""
    import numpy as np

    known = column[~np.isnan(column)]
    if not len(known):
        return column
    largest = max(float(np.abs(known).max()), 1e-300)
    small = column / largest
    about = small - float((known / largest).mean())
    far = float(np.nanmax(np.abs(about)))
    if far <= np.finfo(float).eps * len(known):  # the rounding of a mean, no variation
        return about * 0.0
    return about / far


def heatmap(
    page: Page,
    names: Sequence[str],
    r: "NDArray[np.float64]",
    n: "NDArray[np.int64]",
    left: float,
    top: float,
) -> float:
    """Draw the lower triangle; rows and columns have numbers, rows their names. Return where it ends."""
    page.text(left, top + 5, "Correlations (Pearson)", bold=True)
    y = top + 16
    for i in range(len(names)):
        middle = y + (i + 0.5) * CELL
        page.text(
            left + NAMES - 6,
            middle,
            f"{i + 1}  {names[i]}",
            size=SMALL,
            room=NAMES - 8,
            anchor="end",
            gid=f"row-{i + 1}",
        )
        for j in range(i):
            _cell(page, float(r[i, j]), left + NAMES + j * CELL, y + i * CELL, f"cell-{i + 1}-{j + 1}")
            value = f"{r[i, j]:.2f}" if not math.isnan(r[i, j]) else "not defined"
            page.hint(f"cell-{i + 1}-{j + 1}", f"{names[i]}, {names[j]}: {value}, n = {n[i, j]:,}")
        page.text(
            left + NAMES + (i + 0.5) * CELL, middle, str(i + 1), size=SMALL, colour=GREY, anchor="middle"
        )
    return y + len(names) * CELL + 4


def _cell(page: Page, r: float, x: float, y: float, gid: str) -> None:
    if math.isnan(r):
        page.rectangle(x, y, CELL - 1, CELL - 1, _NONE, gid)
        page.text(x + CELL / 2, y + CELL / 2, "–", anchor="middle", gid=f"{gid}-text")
        return
    fill = mixed(BLUE if r >= 0 else RED, 0.95 * abs(r))
    page.rectangle(x, y, CELL - 1, CELL - 1, Look(fill=fill, edge=PALE, width=0.5), gid)
    text = shown(r)
    page.text(
        x + CELL / 2, y + CELL / 2, text, size=BODY - 0.5, colour=on(fill), anchor="middle", gid=f"{gid}-text"
    )


def shown(r: float) -> str:
    """Write a correlation with two decimals; a minus is a minus, and there is no minus nought."""
    text = f"{r:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def room(k: int) -> tuple[float, float]:
    """Return the width and height of a heat map of k variables."""
    return NAMES + k * CELL, 20 + k * CELL
