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

from corpusgraph.flows.files.disk import replace_file
from corpusgraph.flows.interop.parcel import (
    GivenEntity,
    GivenMemory,
    GivenRelation,
    MemoryFormat,
    add_stub,
    clean,
    is_too_deep,
)
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.tasks.graph.names import ROWS, text_of_row

_ENTITY = {
    "name": ("name", "entityName"),
    "type": ("entityType", "entity_type"),
    "observations": ("observations",),
}
_RELATION = {
    "from": ("from", "source", "from_entity"),
    "to": ("to", "target", "to_entity"),
    "relationType": ("relationType", "relation_type"),
}
"""The names that a member has, the usual one first."""

Item = tuple[str, Any]
"""Where it stands, in words, and what it says."""


def read_jsonl(path: Path, *, strict: bool = False) -> GivenMemory:
    """Read a memory file; a line that cannot be read is noted by its number.

    Parameters
    ----------
    path : Path
        In UTF-8.
    strict : bool, default False
        Such a line is an error.

    Returns
    -------
    GivenMemory
        With notes of what was mended or left out.

    Raises
    ------
    InvalidInputError
        `not_a_memory` where nothing can be read, with `strict` `broken_line`.

    """
    memory = GivenMemory("jsonl", path.name)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{shown(path)} is not UTF-8: {error}.", hint="Save it as UTF-8.", code="not_a_memory"
        ) from None
    relations: list[tuple[str, JsonDict]] = []
    for where, item in items(text, memory):
        if fault := _take(memory, relations, where, item):
            memory.notes.add("broken_line", f"{where}: {fault}")
    read = memory.entities or relations
    broken = memory.notes.found.get("broken_line", [])
    if broken and (strict or not read):
        hint = "Mend them, or import without --strict: the rest is kept." if read else "Mend the file."
        told = f"{broken[0]}" + (f", and {len(broken) - 1} more" if len(broken) > 1 else "")
        code = "broken_line" if read else "not_a_memory"
        raise InvalidInputError(f"{shown(path)}: {told}.", hint=hint, code=code)
    _merge(memory)
    _relate(memory, relations)
    memory.facts["ending"] = "\n" if text.endswith("\n") else ""
    return memory


def items(text: str, memory: GivenMemory) -> Iterator[Item]:
    """Yield the items of a file: of one JSON value that is whole, else line by line.

    Parameters
    ----------
    text : str
        Of the file.
    memory : GivenMemory
        Lines that cannot be read are noted in it.

    Yields
    ------
    Item
        Where it stands, and the item.

    """
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
            found.append((f"{kind} {number}", _of_kind(item, kind)))
    return found


def _of_kind(item: Any, kind: str) -> Any:
    """Say of which kind an item is; `type` is the entity's own where the object has it for that."""
    if not isinstance(item, dict) or item.get("type") == kind:
        return item
    rest = {key: value for key, value in item.items() if key != "type"}
    own = {f"{kind}Type": item["type"]} if isinstance(item.get("type"), str) else {}
    return {"type": kind, **own, **rest}


def _split(item: JsonDict, names: Mapping[str, tuple[str, ...]]) -> tuple[JsonDict, JsonDict]:
    """Return the members that are known, each by the first of its names that is there, and the others."""
    used = {ours: _first(item, theirs) for ours, theirs in names.items()}
    known = {ours: None if name is None else item[name] for ours, name in used.items()}
    return known, {key: value for key, value in item.items() if key not in {"type", *used.values()}}


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if item.get(name) is not None), None)


def _take(memory: GivenMemory, relations: list[tuple[str, JsonDict]], where: str, item: Any) -> str | None:
    """Take one item; return what is wrong with it, or None."""
    if not isinstance(item, dict):
        return f"not an object but {type(item).__name__}"
    if is_too_deep(item):
        return "nested too deep"
    kind = item.get("type")
    if not kind and _first(item, _RELATION["from"]) and _first(item, _RELATION["to"]):
        kind = "relation"
    elif not kind and _first(item, _ENTITY["name"]):
        kind = "entity"
    if kind == "entity":
        return _entity(memory, where, item)
    if kind != "relation":
        return f"of unknown type {kind!r}"
    known, _ = _split(item, _RELATION)
    missing = [name for name, value in known.items() if not isinstance(value, str)]
    if missing or not (known["from"].strip() and known["to"].strip()):
        return f"a relation without {' and '.join(missing or ['a name'])}"
    relations.append((where, item))
    return None


def _entity(memory: GivenMemory, where: str, item: JsonDict) -> str | None:
    known, rest = _split(item, _ENTITY)
    name, kind, rows = known["name"], known["type"], known["observations"]
    if not isinstance(name, str) or not name.strip():
        return "an entity without a name"
    if rows is not None and not isinstance(rows, list):
        return "observations that are no list"
    if kind is not None and not isinstance(kind, str):
        return "an entityType that is no text"
    given = GivenEntity(clean(name), None if kind is None else clean(kind), attributes=cleaned(rest))
    if nfc(given.name) != given.name:
        given.attributes["written"] = given.name
    plain = [text_of_row(value) for value in rows or ()]
    given.observations = [clean(text) for text in plain]
    if any(not isinstance(value, str) for value in rows or ()) or len(set(plain)) < len(plain):
        given.attributes[ROWS] = cleaned(rows)
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
        if known is not entity:
            memory.notes.add("duplicate_entity", entity.name)
            known.type = known.type or entity.type
            known.attributes = {**entity.attributes, **known.attributes}
        known.observations = list(dict.fromkeys([*known.observations, *entity.observations]))
    memory.entities = list(first.values())


def _relate(memory: GivenMemory, relations: list[tuple[str, JsonDict]]) -> None:
    places = {nfc(entity.name): place for place, entity in enumerate(memory.entities)}

    def place(name: str, where: str) -> int:
        if (key := nfc(name)) not in places:
            places[key] = add_stub(memory, GivenEntity(name, told=f"{where}: {name}"))
        return places[key]

    seen = set()
    for where, item in relations:
        known, rest = _split(item, _RELATION)
        source, target = (place(clean(known[end]), where) for end in ("from", "to"))
        type_ = clean(known["relationType"])
        if (source, target, type_) in seen:
            memory.notes.add("duplicate_relation", where)
            continue
        seen.add((source, target, type_))
        given = GivenRelation(source, target, type_, attributes=cleaned(rest), where=where)
        sure = next((item[name] for name in ("confidence", "weight") if item.get(name) is not None), None)
        if isinstance(sure, int | float) and not isinstance(sure, bool) and 0 <= sure <= 1:
            given.confidence = float(sure)
        memory.relations.append(given)


def cleaned(value: Any) -> Any:
    """Return JSON with every text clean.

    Parameters
    ----------
    value : Any
        As `json.loads` returns it.

    Returns
    -------
    Any
        A copy.

    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): cleaned(one) for key, one in value.items()}
    return [cleaned(one) for one in value] if isinstance(value, list) else value


def jsonl_bytes(memory: GivenMemory) -> bytes:
    """Return the file. An entity that was made for a relation's sake, and knows nothing, has no line.

    Parameters
    ----------
    memory : GivenMemory
        Entities come first, then relations.

    Returns
    -------
    bytes
        In UTF-8, a compact object a line; it ends as the file did that was read.

    """
    lines: list[JsonDict] = []
    for entity in memory.entities:
        if entity.observations or not entity.is_stub:
            # without a type the server fails on the whole file
            known: JsonDict = {"type": "entity", "name": entity.name, "entityType": entity.type or ""}
            lines.append(_with_rest({**known, "observations": _observations(entity)}, entity.attributes))
    for relation in memory.relations:
        ends = memory.entities[relation.source].name, memory.entities[relation.target].name
        known = {"type": "relation", "from": ends[0], "to": ends[1], "relationType": relation.type}
        lines.append(_with_rest(known, relation.attributes))
    text = "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
    return (text + (str(memory.facts.get("ending") or "") if lines else "")).encode()


def _observations(entity: GivenEntity) -> list[Any]:
    """Return the observations; one that was an object in the file, or stood there twice, is so again."""
    # what has an id is a row of a database
    had = [row for row in entity.rows if not (isinstance(row, dict) and "id" in row)]
    of_text = {text_of_row(row): row for row in reversed(had)}
    if list(dict.fromkeys(map(text_of_row, had))) == entity.observations:
        return had
    return [of_text.get(text, text) for text in entity.observations]


def _with_rest(known: JsonDict, attributes: Mapping[str, Any]) -> JsonDict:
    return known | {key: value for key, value in attributes.items() if key not in known and key != ROWS}


def write_jsonl(memory: GivenMemory, to: Path) -> dict[str, int]:
    """Write the file at `to`, in one step; return how many lines of each kind it has.

    Parameters
    ----------
    memory : GivenMemory
        Entities and relations.
    to : Path
        Is replaced where it is there.

    Returns
    -------
    dict of str to int
        Kind -> lines.

    Raises
    ------
    OutputError
        Where the file cannot be written.

    """
    replace_file(to, jsonl_bytes(memory))
    entities = [entity for entity in memory.entities if entity.observations or not entity.is_stub]
    return {"entities": len(entities), "relations": len(memory.relations)}


FORMAT = MemoryFormat((".jsonl", ".json"), Path.is_file, read_jsonl, write_jsonl)
