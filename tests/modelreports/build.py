"""Corpora as a model read them, and a model that summarises and reports what it is shown."""

import re
from collections.abc import Iterable
from itertools import combinations
from typing import Any

from pydantic import BaseModel

from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.study import CommunityOptions, LanguageOptions
from corpusgraph.tasks.build.aggregate import Derived
from corpusgraph.tasks.build.communities import find_communities, narrowed
from tests.derive.build import Link, Made, Name, derived, made

OPTIONS = LanguageOptions(min_report_size=2)
PEOPLE = [f"{first} {last}" for first in ("Ada", "Ben", "Cora") for last in ("Ash", "Birch", "Cedar", "Elm")]


def by_model(one: Made, entities: dict[str, str], links: Iterable[str] = ()) -> Made:
    """Say that a model found what stands in a document, and what it says of names and, in order, of links."""
    mentions = [
        m.model_copy(update={"extractor": "llm", "description": entities.get(m.surface)})
        for m in one.evidence.mentions
    ]
    said = iter(links)
    assertions = [
        a.model_copy(update={"extractor": "llm", "description": next(said, a.description)})
        for a in one.evidence.assertions
    ]
    evidence = one.evidence.model_copy(update={"mentions": tuple(mentions), "assertions": tuple(assertions)})
    return one._replace(evidence=evidence)


def pair_document(number: int, one: str, other: str, text: str = "") -> Made:
    """One sentence that relates two people, read by a model."""
    names: list[Name] = [(one, "person"), (other, "person")]
    links: list[Link] = [(one, "helps", other)]
    sentence = f"{one} helped {other} {text or f'on voyage {number}'}."
    document = made(f"d{number:03}", sentence, names, links)
    return by_model(
        document, {one: f"{one} is a sailor", other: f"{other} is a passenger"}, [f"aid {number}"]
    )


def families(n: int = 3) -> list[Made]:
    """Return documents on `n` groups of four people, each group all related."""
    groups = [PEOPLE[4 * group : 4 * group + 4] for group in range(n)]
    pairs = [pair for members in groups for pair in combinations(members, 2)]
    return [pair_document(number, *pair) for number, pair in enumerate(pairs)]


def grouped(corpus: list[Made]) -> tuple[Derived, list[Community]]:
    """Return the graph and its communities."""
    graph, _ = derived(corpus)
    return graph, find_communities(graph.entities, graph.relationships, CommunityOptions())


def clan() -> list[Made]:
    """Return documents on three families, and two that tie them together."""
    return [*families(), pair_document(90, "Ada Elm", "Ben Ash"), pair_document(91, "Ben Elm", "Cora Ash")]


def tree(corpus: list[Made]) -> tuple[Derived, list[Community]]:
    """Return the graph of a clan and two levels of communities: all, and each family."""
    graph, _ = derived(corpus)
    family: dict[str, list[str]] = {}
    for entity in graph.entities:
        family.setdefault(entity.name.split()[0], []).append(entity.id)
    everyone = tuple(entity.id for entity in graph.entities)
    found = [Community(id="com_all", level=0, entity_ids=everyone)]
    for name in sorted(family):
        members = tuple(family[name])
        found.append(Community(id=f"com_{name}", level=1, parent_id="com_all", entity_ids=members))
    return graph, narrowed(found, graph.entities, graph.relationships)


def section(prompt: Prompt, label: str) -> list[str]:
    """Return the lines of a fenced part of a prompt."""
    found = re.search(rf"(?:^|\n){label}:\n<<<\n(.*?)\n>>>", prompt.user, re.DOTALL)
    return found[1].split("\n") if found else []


def sentences(prompt: Prompt) -> list[str]:
    """Return the passages of a prompt without their numbers."""
    return [line.partition(". ")[2] for line in section(prompt, "Passages")]


def writing(prompt: Prompt, answer: type[BaseModel]) -> dict[str, Any]:
    """Describe by the first words of each description; report by a finding for each passage."""
    if "description" in answer.model_fields:
        lines = section(prompt, "Descriptions")
        return {"description": f"{section(prompt, 'Item')[0]}: " + " ".join(line[3:40] for line in lines[:3])}
    shown = sentences(prompt)
    said = [{"summary": s, "explanation": "", "sources": [n]} for n, s in enumerate(shown, start=1)]
    return {
        "title": f"On {shown[0]}",
        "summary": shown[0],
        "rating": 7.0,
        "rating_explanation": "",
        "findings": said,
    }
