"""A page of shapes and text, in points from the top left corner, that is then drawn as PNG and SVG.

Shapes are paths with explicit colours, so that nothing depends on matplotlib's settings, and no setting is
changed: pages can be drawn in several threads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from corpusgraph.tasks.export.pictures.letters import clean, elided
from corpusgraph.tasks.export.pictures.style import BODY, INK, LINE

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
MOVE, TO, CURVE, CLOSE = 1, 2, 4, 79
"""Codes of `matplotlib.path.Path`: move, line, cubic Bézier (three points), close."""
_ROUND = 0.5522847498
"""Handle of a cubic Bézier that comes closest to a quarter of a circle of radius 1."""


@dataclass(frozen=True)
class Look:
    """How a shape looks: colours as #RRGGBB or None, width in points, dashes as lengths in points."""

    fill: str | None = None
    edge: str | None = None
    width: float = 0.8
    dash: tuple[float, ...] = ()
    alpha: float = 1.0


@dataclass(frozen=True)
class Shape:
    """A path with its look; `gid` becomes the id of the SVG group."""

    points: tuple[Point, ...]
    codes: tuple[int, ...]
    look: Look
    gid: str = ""


@dataclass(frozen=True)
class Words:
    """One line of text; `at` is on its baseline."""

    at: Point
    text: str
    size: float
    colour: str
    anchor: Anchor
    bold: bool
    angle: float
    gid: str


@dataclass
class Page:
    """What is to be drawn. `hints` are titles of groups, by gid: a browser shows them under the pointer."""

    width: float
    height: float = 0.0
    shapes: list[Shape] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)
    hints: dict[str, str] = field(default_factory=dict)

    def path(self, points: Sequence[Point], codes: Sequence[int], look: Look, gid: str = "") -> None:
        """Draw any path."""
        self.shapes.append(Shape(tuple(points), tuple(codes), look, gid))

    def polygon(self, points: Sequence[Point], look: Look, gid: str = "") -> None:
        """Draw a closed polygon."""
        codes = (MOVE, *(TO for _ in points[1:]), CLOSE)
        self.path((*points, points[0]), codes, look, gid)

    def rectangle(self, x: float, y: float, w: float, h: float, look: Look, gid: str = "") -> None:
        """Draw a rectangle by its top left corner and its size."""
        self.polygon([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], look, gid)

    def line(self, points: Sequence[Point], look: Look, gid: str = "") -> None:
        """Draw straight lines from point to point."""
        self.path(points, (MOVE, *(TO for _ in points[1:])), look, gid)

    def curve(self, points: Sequence[Point], look: Look, gid: str = "") -> None:
        """Draw cubic Béziers: a start, then two handles and an end for each piece."""
        self.path(points, (MOVE, *(CURVE for _ in points[1:])), look, gid)

    def rounded(
        self, x: float, y: float, w: float, h: float, look: Look, gid: str = "", *, radius: float = 5.0
    ) -> None:
        """Draw a rectangle with round corners; with a radius of half its sides, an ellipse."""
        rx, ry = min(radius, w / 2), min(radius, h / 2)
        kx, ky = rx * (1 - _ROUND), ry * (1 - _ROUND)
        right, low = x + w, y + h
        points = [(x + rx, y), (right - rx, y), (right - kx, y), (right, y + ky), (right, y + ry)]
        points += [(right, low - ry), (right, low - ky), (right - kx, low), (right - rx, low)]
        points += [(x + rx, low), (x + kx, low), (x, low - ky), (x, low - ry)]
        points += [(x, y + ry), (x, y + ky), (x + kx, y), (x + rx, y), (x + rx, y)]
        corner = (CURVE, CURVE, CURVE)
        self.path(points, (MOVE, TO, *corner, TO, *corner, TO, *corner, TO, *corner, CLOSE), look, gid)

    def ellipse(self, x: float, y: float, w: float, h: float, look: Look, gid: str = "") -> None:
        """Draw an ellipse in a box."""
        self.rounded(x, y, w, h, look, gid, radius=math.inf)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = BODY,
        colour: str = INK,
        anchor: Anchor = "start",
        bold: bool = False,
        angle: float = 0.0,
        room: float = math.inf,
        gid: str = "",
    ) -> None:
        """Write a line of text, elided to its room; `y` is the middle of its small letters' height.

        `angle` turns it about the point, in degrees, counter-clockwise.
        """
        line = clean(text)
        if room < math.inf:
            line = elided(line, size, room, bold=bold)
        down = 0.36 * size
        turn = math.radians(angle)
        at = (x + down * math.sin(turn), y + down * math.cos(turn))
        if line:
            self.words.append(Words(at, line, size, colour, anchor, bold, angle, gid))

    def lines(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        *,
        size: float = BODY,
        colour: str = INK,
        anchor: Anchor = "start",
        bold: bool = False,
        gid: str = "",
    ) -> float:
        """Write lines below each other from the top `y`; return where they end."""
        for at, line in enumerate(lines):
            middle = y + (at + 0.5) * size * LINE
            self.text(x, middle, line, size=size, colour=colour, anchor=anchor, bold=bold, gid=gid)
        return y + len(lines) * size * LINE

    def settle(self, margin: float, top: float) -> float:
        """Move all that is drawn below `top`, to the middle of a page wide enough; return where it ends."""
        points = [point for shape in self.shapes for point in shape.points]
        points += [words.at for words in self.words]
        if not points:
            return top
        left, right = min(x for x, _ in points), max(x for x, _ in points)
        self.width = max(self.width, right - left + 2 * margin)
        dx, dy = (self.width - left - right) / 2, top + 6 - min(y for _, y in points)
        self.shapes = [
            replace(shape, points=tuple((x + dx, y + dy) for x, y in shape.points)) for shape in self.shapes
        ]
        self.words = [replace(one, at=(one.at[0] + dx, one.at[1] + dy)) for one in self.words]
        return max(y for _, y in points) + dy + 6

    def hint(self, gid: str, text: str) -> None:
        """Say what a group is, for people who point at it or hear the picture read."""
        self.hints[gid] = clean(text)
