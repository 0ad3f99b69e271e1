"""Read the file of the reference MCP memory server, and what is like it.

The server (modelcontextprotocol/servers, src/memory) keeps one JSON object a line: `{"type":"entity","name",
"entityType","observations":[…]}` and `{"type":"relation","from","to","relationType"}`. Read too: one object
`{"entities":[…],"relations":[…]}`, as its tool `read_graph` gives it, an array of such items, names in
snake_case, and lines without `type` that can be nothing else. Fields that are not known are kept.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from corpusgraph.flows.interop.parcel import (
    GivenEntity,
    GivenMemory,
    GivenRelation,
    Stubs,
    clean,
    is_too_deep,
)
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.tasks.graph.names import ROWS, text_of_row

FORMAT = "jsonl"

_NAME, _TYPE, _NOTES = ("name", "entityName"), ("entityType", "entity_type"), ("observations",)
_FROM, _TO = ("from", "source", "from_entity"), ("to", "target", "to_entity")
_KIND = ("relationType", "relation_type")
_CONFIDENCE = ("confidence", "weight")

Item = tuple[str, Any]
"""Where it stands, in words, and what it says."""


def read_jsonl(path: Path, *, strict: bool = False) -> GivenMemory:
    """Read a memory file. A line that cannot be read is noted by its number; if `strict`, it is an error."""
    memory = GivenMemory(FORMAT, path.name)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{shown(path)} is not UTF-8: {error}.", hint="Save it as UTF-8.", code="not_a_memory"
        ) from None
    relations: list[tuple[str, JsonDict]] = []
    read = 0
    for where, item in items(text, memory):
        fault = _take(memory, relations, where, item)
        if fault:
            memory.notes.add("broken_line", f"{where}: {fault}")
        else:
            read += 1
    _refuse(memory, path, read, strict=strict)
    _merge(memory)
    _relate(memory, relations)
    memory.facts["ending"] = "\n" if text.endswith("\n") else ""
    return memory


def items(text: str, memory: GivenMemory) -> Iterator[Item]:
    """Yield the items of a file: of one JSON value that is whole, else line by line."""
    whole = _whole(text)
    if whole is not None:
        yield from whole
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else "too deep or not a number"
            memory.notes.add("broken_line", f"line {number}: {said}")
            continue
        yield f"line {number}", item


def _whole(text: str) -> list[Item] | None:
    """Return the items of a file that is one object with both lists, or one array; None of others."""
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return [(f"item {number}", item) for number, item in enumerate(value, 1)]
    lists = [value[key] for key in ("entities", "relations") if value.get(key) is not None]
    if not lists or not all(isinstance(one, list) for one in lists):
        return None
    found: list[Item] = []
    for kind, key in (("entity", "entities"), ("relation", "relations")):
        for number, item in enumerate(value.get(key) or (), 1):
            typed = {"type": kind, **item} if isinstance(item, dict) and item.get("type") != kind else item
            found.append((f"{kind} {number}", _marked(typed, item, kind)))
    return found


def _marked(typed: Any, item: Any, kind: str) -> Any:
    """Keep `type` as the entity's where the object has it for that."""
    if isinstance(item, dict) and isinstance(item.get("type"), str) and item["type"] != kind:
        named = "entityType" if kind == "entity" else "relationType"
        rest = {key: value for key, value in item.items() if key != "type"}
        return {"type": kind, named: item["type"], **rest}
    return typed


def _take(memory: GivenMemory, relations: list[tuple[str, JsonDict]], where: str, item: Any) -> str | None:
    """Take one item; return what is wrong with it, or None."""
    if not isinstance(item, dict):
        return f"not an object but {type(item).__name__}"
    if is_too_deep(item):
        return "nested too deep"
    kind = item.get("type") or _guessed(item)
    if kind == "entity":
        return _entity(memory, where, item)
    if kind == "relation":
        missing = [names[0] for names in (_FROM, _TO, _KIND) if not isinstance(_of(item, names), str)]
        if missing or not (_of(item, _FROM).strip() and _of(item, _TO).strip()):
            return f"a relation without {' and '.join(missing or ['a name'])}"
        relations.append((where, item))
        return None
    return f"of unknown type {kind!r}"


def _guessed(item: Mapping[str, Any]) -> str | None:
    if _of(item, _FROM) is not None and _of(item, _TO) is not None:
        return "relation"
    return "entity" if _of(item, _NAME) is not None else None


def _entity(memory: GivenMemory, where: str, item: JsonDict) -> str | None:
    name, kind = _of(item, _NAME), _of(item, _TYPE)
    if not isinstance(name, str) or not name.strip():
        return "an entity without a name"
    said = _of(item, _NOTES)
    if said is not None and not isinstance(said, list):
        return "observations that are no list"
    if kind is not None and not isinstance(kind, str):
        return "an entityType that is no text"
    known = {"type", *_used(item, _NAME, _TYPE, _NOTES)}
    given = GivenEntity(clean(name), None if kind is None else clean(kind))
    given.attributes = cleaned({key: value for key, value in item.items() if key not in known})
    if nfc(given.name) != given.name:
        given.attributes["written"] = given.name
    plain = [text_of_row(value) for value in said or ()]
    given.observations = [clean(text) for text in plain]
    if any(not isinstance(value, str) for value in said or ()) or len(set(plain)) < len(plain):
        given.attributes[ROWS] = cleaned(said)
    if given.observations != plain or given.name != name:
        memory.notes.add("value_repaired", f"{where}: half a character")
    if given.type is None:
        memory.notes.add("without_type", f"{where}: {given.name}")
    memory.entities.append(given)
    return None


def _merge(memory: GivenMemory) -> None:
    """Take entities of one name for one, as the server does: a name is its key."""
    first: dict[str, GivenEntity] = {}
    for entity in memory.entities:
        known = first.setdefault(nfc(entity.name), entity)
        if known is entity:
            entity.observations = list(dict.fromkeys(entity.observations))
            continue
        memory.notes.add("duplicate_entity", entity.name)
        known.type = known.type or entity.type
        known.observations = list(dict.fromkeys([*known.observations, *entity.observations]))
        known.attributes = {**entity.attributes, **known.attributes}
    memory.entities = list(first.values())


def _relate(memory: GivenMemory, relations: list[tuple[str, JsonDict]]) -> None:
    stubs, seen = Stubs(memory), set()
    for where, item in relations:
        ends = [stubs.place(clean(_of(item, names)), where) for names in (_FROM, _TO)]
        given = GivenRelation(ends[0], ends[1], clean(_of(item, _KIND)), where=where)
        triple = (given.source, given.target, given.type)
        if triple in seen:
            memory.notes.add("duplicate_relation", where)
            continue
        seen.add(triple)
        sure = _of(item, _CONFIDENCE)
        if isinstance(sure, int | float) and not isinstance(sure, bool) and 0 <= sure <= 1:
            given.confidence = float(sure)
        known = {"type", *_used(item, _FROM, _TO, _KIND)}
        given.attributes = cleaned({key: value for key, value in item.items() if key not in known})
        memory.relations.append(given)


def _refuse(memory: GivenMemory, path: Path, read: int, *, strict: bool) -> None:
    broken = memory.notes.found.get("broken_line", [])
    if broken and (strict or not read):
        hint = "Mend the file." if not read else "Mend them, or import without --strict: the rest is kept."
        told = f"{broken[0]}" + (f", and {len(broken) - 1} more" if len(broken) > 1 else "")
        code = "not_a_memory" if not read else "broken_line"
        raise InvalidInputError(f"{shown(path)}: {told}.", hint=hint, code=code)


def cleaned(value: Any) -> Any:
    """Return JSON with every text clean."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): cleaned(one) for key, one in value.items()}
    return [cleaned(one) for one in value] if isinstance(value, list) else value


def _of(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _used(item: Mapping[str, Any], *groups: tuple[str, ...]) -> set[str]:
    """Return the members that were read: of each group the first that is there."""
    return {
        name for group in groups for name in group if item.get(name) is not None and _first(item, group, name)
    }


def _first(item: Mapping[str, Any], group: tuple[str, ...], name: str) -> bool:
    return next(one for one in group if item.get(one) is not None) == name


def jsonl_bytes(memory: GivenMemory) -> bytes:
    """Return the file. An entity that was made for a relation's sake, and knows nothing, has no line."""
    lines = [
        _line(_entity_line(entity)) for entity in memory.entities if entity.observations or not entity.is_stub
    ]
    lines += [_line(_relation(relation, memory)) for relation in memory.relations]
    ending = str(memory.facts.get("ending") or "") if lines else ""
    return ("\n".join(lines) + ending).encode()


def _entity_line(entity: GivenEntity) -> JsonDict:
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
