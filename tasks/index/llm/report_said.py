"""What a model says in a report on a community, and what of it can be used."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from corpusgraph.schemas.graph import ReportFinding
from corpusgraph.tasks.index.aggregate import Passage
from corpusgraph.tasks.index.llm.said import Numbers, Text, Words
from corpusgraph.tasks.index.llm.wording import plain, speaks_of, stem_set
from corpusgraph.tasks.index.reports import finding_of
from corpusgraph.tasks.query.prompting import Said

TOP = 10.0
MAX_SOURCES = 6
"""Sentences kept of those that one finding names: a model that names them all has chosen none."""
_RATING = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(?:(%)|(?:/|out of|of|von|sur|de)\s*(\d+))?")


def rating_of(value: Any) -> Any:
    """Read a rating: 7, "7.5", "7,5", "7/10", "70 %"; what is not from 0 to 10 is refused, never clipped."""
    if isinstance(value, str):
        found = _RATING.search(value)
        if not found:
            return value
        whole = 100.0 if found[2] else float(found[3] or TOP)
        value = float(found[1].replace(",", ".")) * TOP / whole if whole else TOP + 1
    if not isinstance(value, int | float):
        return value
    if isinstance(value, bool) or not isfinite(value) or not 0 <= value <= TOP:
        message = "a rating is a number from 0 to 10"
        raise ValueError(message)
    return float(value)


class SaidFinding(Said):
    """Something of weight, and the numbers of the passages that say so."""

    summary: Words
    explanation: Text = ""
    sources: Numbers = ()


class SaidReport(Said):
    """A report on a group of entities."""

    title: Words
    summary: Words
    rating: Annotated[
        float, BeforeValidator(rating_of), Field(description="importance of the group, from 0 to 10")
    ]
    rating_explanation: Text = ""
    findings: tuple[SaidFinding, ...]


@dataclass(frozen=True)
class Usable:
    """What of a report's findings can be cited, a row for each source, and how many were left out."""

    findings: tuple[ReportFinding, ...]
    left_out: int


def usable(
    said: SaidReport, passages: Sequence[Passage], names: frozenset[str], language: str | None
) -> Usable:
    """Return the findings that name a passage shown and speak of what it says; said twice, once."""
    kept: dict[tuple[str, str], list[ReportFinding]] = {}
    left_out = 0
    for finding in said.findings:
        words = plain(finding.summary), plain(finding.explanation)
        numbers = dict.fromkeys(n for n in finding.sources if 1 <= n <= len(passages))
        sources = [passages[n - 1] for n in numbers]
        shown = [source.text for source in sources]
        if not sources or not speaks_of(" ".join(words), shown, names, language):
            left_out += 1
        elif words not in kept:
            kept[words] = [cited(source, *words) for source in _telling(" ".join(words), sources)]
    return Usable(tuple(row for rows in kept.values() for row in rows), left_out)


def _telling(text: str, sources: list[Passage]) -> list[Passage]:
    """Return the sentences that share a word with a finding, or, where none does, all."""
    said = stem_set(text)
    sharing = [source for source in sources if not said.isdisjoint(stem_set(source.text))]
    return (sharing or sources)[:MAX_SOURCES]


def cited(passage: Passage, summary: str, explanation: str) -> ReportFinding:
    """Return a finding of a model with one of the sentences it rests on."""
    return finding_of(passage, summary=summary, explanation=explanation)


def wrong(said: SaidReport, found: Usable, n_passages: int) -> str | None:
    """Say what makes a report useless, or None: a title and a summary without words, nothing cited."""
    if not (plain(said.title) and plain(said.summary)):
        return "The report lacks a title or a summary."
    if not found.findings:
        return (
            "No finding cites what it rests on: each must say what passages say, in their language unless "
            f"another is asked for. Cite the numbers of the passages, 1 to {n_passages}, in `sources`."
        )
    return None
