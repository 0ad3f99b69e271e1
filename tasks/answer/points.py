"""Map and reduce: rated points from each group of pieces, the best made an answer (Edge et al. 2024)."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.tasks.answer.context import Fitted
from corpusgraph.tasks.answer.pieces import Piece
from corpusgraph.tasks.answer.support import supporting
from corpusgraph.tasks.answer.written import SOURCES, LeftOut, SourceNumbers
from corpusgraph.tasks.index.tokens import count_tokens
from corpusgraph.tasks.query.prompting import Said, ask_all, fenced, prompt, question

MAP_TASK = (
    "You read one part of a collection to answer a question about the whole of it. List the points of this "
    "part that help to answer, each one sentence with a `score` from 0 (does not help) to 100 (answers it). "
    f"{SOURCES} A part that does not help has no points."
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _points(value: Any) -> Any:
    """Read a score as models write it: 80, "80", "80/100"; below 0 is 0, above 100 is 100."""
    if isinstance(value, str):
        found = _NUMBER.search(value)
        value = float(found[0]) if found else 0.0
    if isinstance(value, int | float):
        return min(max(float(value), 0.0), 100.0) if math.isfinite(value) else 0.0
    return value


class RatedPoint(Said):
    """Something a part of the collection says to the question."""

    text: str
    score: Annotated[float, BeforeValidator(_points)] = Field(default=0.0, description="from 0 to 100")
    sources: SourceNumbers = ()


class RatedPoints(Said):
    """The points of one part."""

    points: tuple[RatedPoint, ...]


@dataclass(frozen=True)
class Point:
    """A point with a score above 0 and the pieces that say it."""

    text: str
    score: float
    pieces: tuple[Piece, ...]

    @property
    def line(self) -> str:
        """How the point is read when the answer is written."""
        return f"{' '.join(self.text.split())} (importance {self.score:.0f})"


@dataclass(frozen=True)
class Mapped:
    """The points of all groups, best first; the errors of calls that failed; what no source says."""

    points: tuple[Point, ...]
    errors: tuple[str, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)


def map_points(llm: LanguageModel, query: str, groups: Sequence[Fitted]) -> Mapped:
    """Let the model rate what each group says to the question."""
    prompts = [prompt(MAP_TASK, fenced("Passages", g.text), question(query)) for g in groups]
    replies = ask_all(llm, prompts, RatedPoints, _citing(groups, query))
    found: list[Point] = []
    errors: list[str] = []
    lost: dict[str, list[str]] = {"uncited": [], "unsupported": [], "unchecked": []}
    for group, reply in zip(groups, replies, strict=True):
        if reply.value is None:
            errors.append(reply.error or "no reply")
            continue
        for point in _telling(reply.value):
            pieces, verdict = _pieces(point, group, query)
            if verdict != "supported":
                lost[verdict].append(point.text)
            if pieces:
                found.append(Point(point.text, point.score, tuple(pieces)))
    ordered = sorted(found, key=lambda point: -point.score)  # stable: of equals the first group's
    once = {point.text.casefold(): point for point in reversed(ordered)}
    left_out = LeftOut(**{what: tuple(texts) for what, texts in lost.items()})
    return Mapped(tuple(p for p in ordered if once[p.text.casefold()] is p), tuple(errors), left_out)


def _telling(said: RatedPoints) -> list[RatedPoint]:
    return [point for point in said.points if point.score > 0 and point.text.strip()]


def _pieces(point: RatedPoint, group: Fitted, query: str) -> tuple[list[Piece], str]:
    """Return the pieces of the group that the point rests on: it hands them on to the answer's citations."""
    by_numbers = {piece.number: piece for piece in group.pieces if piece.sources}
    named = [by_numbers[n] for n in dict.fromkeys(point.sources) if n in by_numbers]
    pieces, verdict = supporting(point.text, named, query)
    return pieces, verdict if named else "uncited"


def _citing(groups: Sequence[Fitted], query: str) -> Accept[RatedPoints]:
    """Accept points of which one at least rests on a passage of its group, or that there is none."""

    def wrong(place: int, said: RatedPoints) -> str | None:
        points = _telling(said)
        if not points or any(_pieces(point, groups[place], query)[0] for point in points):
            return None
        numbers = ", ".join(str(piece.number) for piece in groups[place].pieces[:50])
        return f"No point names in `sources` a passage that says so; their numbers are {numbers}."

    return wrong


def within(points: Sequence[Point], max_tokens: int) -> tuple[list[Point], list[Point]]:
    """Return the best points whose numbered lines fit into the tokens, and the rest."""
    left = max_tokens
    for place, point in enumerate(points):
        left -= count_tokens(f"{place + 1}. {point.line}")
        if left < 0:
            return list(points[:place]), list(points[place:])
    return list(points), []
