"""Write the file of the reference MCP memory server, as the server itself would: byte for byte.

Entities first, then relations, one JSON object a line without spaces, letters as they are. Members that were
in an imported file beside the server's own follow these.
"""

import json
from collections.abc import Mapping
from typing import Any

from corpusgraph.flows.interop.given import GivenEntity, GivenMemory, GivenRelation
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.graph.noted import ROWS, text_of_row


def jsonl_bytes(memory: GivenMemory) -> bytes:
    """Return the file. An entity that was made for a relation's sake, and knows nothing, has no line."""
    lines = [
        _line(_entity(entity)) for entity in memory.entities if entity.observations or not entity.is_stub
    ]
    lines += [_line(_relation(relation, memory)) for relation in memory.relations]
    ending = str(memory.facts.get("ending") or "") if lines else ""
    return ("\n".join(lines) + ending).encode()


def _entity(entity: GivenEntity) -> JsonDict:
    type_ = entity.type or ""  # without one the server fails on the whole file
    known: JsonDict = {"type": "entity", "name": entity.name, "entityType": type_}
    known["observations"] = _observations(entity)
    return {**known, **_rest(entity.attributes, known)}


def _observations(entity: GivenEntity) -> list[Any]:
    """Return the observations; one that was an object in the file, or stood there twice, is so again."""
    rows = entity.attributes.get(ROWS)
    had = rows if isinstance(rows, list) else []
    had = [row for row in had if not (isinstance(row, dict) and "id" in row)]  # that is a row of a database
    of_text = {text_of_row(row): row for row in reversed(had)}
    if list(dict.fromkeys(map(text_of_row, had))) == entity.observations:
        return had
    return [of_text.get(text, text) for text in entity.observations]


def _relation(relation: GivenRelation, memory: GivenMemory) -> JsonDict:
    known: JsonDict = {
        "type": "relation",
        "from": memory.entities[relation.source].name,
        "to": memory.entities[relation.target].name,
        "relationType": relation.type,
    }
    return {**known, **_rest(relation.attributes, known)}


def _rest(attributes: Mapping[str, Any], known: Mapping[str, Any]) -> JsonDict:
    return {key: value for key, value in attributes.items() if key not in known and key != ROWS}


def _line(item: JsonDict) -> str:
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))
