"""What was noted of an entity, and the text in which it is looked for."""

import json
from typing import Any

from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.names import texts_of

HAND_MADE = frozenset({"memory", "import"})
"""`Entity.attributes["origin"]` of an entity that was made by hand, here or in a memory that was imported."""
ROWS = "observation_rows"
"""Attribute with the observations as an imported file has them, where they are more than words."""
BETWEEN = "\0"
"""Stands between the texts of an entity, and between entities."""


def noted_of(entity: Entity) -> tuple[str, ...]:
    """Return what was noted of an entity by hand, in order."""
    return tuple(texts_of(entity.attributes or {}, "observations"))


def beside(entity: Entity) -> tuple[str, ...]:
    """Return what was noted of an entity and is not in its description, in order."""
    told = entity.description or ""
    return tuple(text for text in noted_of(entity) if text not in told)


def text_of_row(row: Any) -> str:
    """Return what an observation of a file says: some servers keep objects with a content and a time."""
    if isinstance(row, str):
        return row
    if isinstance(row, dict):
        for key in ("content", "text", "observation"):
            if isinstance(row.get(key), str):
                return str(row[key])
    return json.dumps(row, ensure_ascii=False)


def is_hand_made(entity: Entity) -> bool:
    """Tell an entity that was made by hand, of which only what was noted is told, from one of the corpus."""
    return (entity.attributes or {}).get("origin") in HAND_MADE


def observations_of(entity: Entity) -> tuple[str, ...]:
    """Return what was noted of an entity; of one of the corpus, after the sentence that describes it."""
    noted = noted_of(entity)
    told = entity.description
    if not told or is_hand_made(entity) or any(one in told for one in noted):
        return noted
    return (told, *noted)


def held_by(entity: Entity) -> str:
    """Return name, type and observations without regard to case."""
    return BETWEEN.join((entity.name, entity.type or "", *observations_of(entity))).casefold()
