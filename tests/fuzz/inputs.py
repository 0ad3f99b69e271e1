"""Inputs that no careful caller would send, made from a tool's example and its own input schema.

They are made by a plain `random.Random`, which hypothesis seeds: thousands a second.
"""

import math
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cache
from random import Random
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.registry import TOOLS, Tool
from tests.contract.examples import EXAMPLES
from tests.contract.graphs import as_json, rich
from tests.fuzz.schemas import HUGE, KNOWN, MEGABYTE, NUMBERS, TEXTS, Schemas

__all__ = ["HUGE", "KNOWN", "MEGABYTE", "TEXTS", "Inputs", "inputs_of", "places", "replaced"]

NOUNS = as_json(rich())
IDS = {port: [item["id"] for item in items] for port, items in NOUNS.items()}
IDS["entities"] += ["John Snow", "cholera", "JOHN SNOW", "0"]
_AB: list[JsonDict] = [{"id": "a", "name": "a"}, {"id": "b", "name": "b", "states": ["0", "1"]}]
_A_TO_B = [{"id": "1", "source_id": "a", "target_id": "b", "type": "causes"}]
_TABLES = [{"p": {"0": 0.5, "1": 0.5}}, {"p": {"0": 0.2, "1": 0.8}}]
_DATED = {"case": "soho", "timestamp": "1854-08-31", "end": "1854-09-08", "actors": ["p"]}
MORE: dict[str, list[JsonDict]] = {
    "prepare_causal_model": [
        {
            "entities": [{**_AB[0], "cpt": [{"0": 0.5, "1": 0.5}]}, {**_AB[1], "cpt": _TABLES}],
            "relationships": _A_TO_B,
            "model_type": "bayesian",
        },
        {
            "entities": _AB,
            "relationships": _A_TO_B,
            "model_type": "bayesian",
            "data": [{"a": 0, "b": 1}, {"a": 1, "b": 0}],
        },
    ],
    "prepare_argument_network": [
        {
            "claims": [
                {"id": "a", "text": "water", "weight": 0.5},
                {"id": "b", "text": "air", "weight": 0.2},
            ],
            "relations": [{"source": "b", "target": "a", "type": "support", "weight": 0.5}],
            "framework": "bipolar",
        },
    ],
    "prepare_process_trace": [
        {
            "events": [{**_DATED, "id": "1", "activity": "outbreak"}, {**_DATED, "id": "2", "activity": "x"}],
            "entities": [{"id": "p", "name": "Snow"}],
            "temporal_resolution": "years",
        },
    ],
    "transform_table_to_graph": [
        {"table_data": [{"who": "Snow", "where": "Soho"}], "entity_columns": ["who", "where"]},
        {"table_data": {"nodes": [{"id": "a", "name": "a"}], "edges": []}},
    ],
    "entity_similarity_link": [{"entities": ["ent_b", "Snow"], "similarity_metric": "structural"}],
}
"""Examples of other paths through a tool."""
_OWN = frozenset(ToolInput.model_fields) | {"context"}
_NAMES = {"entit": "entities", "terminal": "entities", "node": "entities", "relationship": "relationships"}
_NAMES |= {"edge": "relationships", "chunk": "chunks", "communit": "communities"}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where the parts of a value are."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*at, key))


def replaced(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    """Return a value with the part at a place replaced."""
    if not at:
        return new
    changed = copy(value)
    changed[at[0]] = replaced(value[at[0]], at[1:], new)
    return changed


def part_at(value: Any, at: tuple[Any, ...]) -> Any:
    for key in at:
        value = value[key]
    return value


class Inputs:
    """Makes arguments of one tool, about half of them such as it accepts."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.examples = [EXAMPLES[tool.name], *MORE.get(tool.name, ())]
        self.example = self.examples[0]
        schema = tool.input_schema()
        self.required = {n for n in schema.get("required", ()) if n not in _OWN}
        self.fields = {name: part for name, part in schema["properties"].items() if name not in _OWN}
        self.schemas = Schemas(schema.get("$defs", {}), self._words)
        self.said: dict[str, list[str]] = {}
        """Key -> the texts under it in the example."""
        for at in places(self.example):
            if isinstance(text := part_at(self.example, at), str):
                self.said.setdefault(next((k for k in reversed(at) if isinstance(k, str)), ""), []).append(
                    text
                )

    def make(self, rng: Random) -> JsonDict:
        """Make arguments: the example, some fields set to what they take, and at times a part bent."""
        made: JsonDict = dict(rng.choice(self.examples))
        for name in rng.sample(sorted(self.fields), min(len(self.fields), rng.choice((0, 1, 1, 2, 3)))):
            made[name] = self._field(name, rng)
        if made and rng.random() < 0.05:
            made.pop(rng.choice(sorted(made)))
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            at = rng.choice([*list(places(made))[1:], ()])
            if at:
                made = replaced(made, at, self._bent(part_at(made, at), str(at[-1]), rng))
        return made

    def _field(self, name: str, rng: Random) -> Any:
        port = self.tool.reads.get(name)
        if port in NOUNS and rng.random() < 0.6:
            return self._handed(port, rng)
        return self.schemas.value(self.fields[name], name, rng)

    def _handed(self, port: str, rng: Random) -> Any:
        """Return what a chain hands over: ids, nouns, scored nouns, or scores of ids."""
        some = rng.choices(range(len(NOUNS[port])), k=rng.randint(0, 4))
        form = rng.choice(("ids", "ids", "nouns", "scored", "scores"))
        if form == "ids":
            return [rng.choice(IDS[port]) for _ in some]
        if form == "scores":
            return {rng.choice(IDS[port]): rng.choice((0, 0.5, 1, 2.5)) for _ in some}
        items = [NOUNS[port][i] for i in some]
        if form == "nouns":
            return items
        return [{"item": item, "score": rng.random(), "rank": n} for n, item in enumerate(items, start=1)]

    def _words(self, name: str, rng: Random) -> str:
        """Return a text for a field: what its kind holds, or anything."""
        port = self.tool.reads.get(name) or next((p for n, p in _NAMES.items() if n in name), None)
        pools: list[Sequence[str]] = [TEXTS, KNOWN]
        if name in self.said:
            pools += [self.said[name]] * 8
        if port in IDS:
            pools += [IDS[port]] * 8
        return rng.choice(rng.choice(pools))

    def _bent(self, old: Any, name: str, rng: Random) -> Any:
        """Return another value: half the time one that is near the old one."""
        if rng.random() < 0.5:
            return self.schemas.anything(rng)
        if isinstance(old, str):
            return self._words(name, rng)
        if isinstance(old, list) and old:
            return rng.choice(([], old[:1], old[1:], old + old[:1], old[::-1], old * 30))
        if isinstance(old, dict) and old:
            gone = rng.choice(sorted(old, key=str))
            return {key: part for key, part in old.items() if key != gone}
        if isinstance(old, int | float) and abs(old) < math.inf:
            return rng.choice((old + 1, -old, old // 2, 0, 1, 2, rng.choice(NUMBERS)))
        return rng.choice((None, True, False, 1))


@cache
def inputs_of(tool: str) -> Inputs:
    """Return what makes inputs of a tool; its schema is read once."""
    return Inputs(TOOLS[tool])
