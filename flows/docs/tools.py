"""One tool on docs/tools.md: what it does, arguments, answer, conditions, an example, the source."""

import ast
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

from corpusgraph.flows import api
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    AmbiguousEntityError,
    CorpusgraphError,
    EmbedderMismatchError,
    IndexNotFoundError,
    InvalidInputError,
    MissingResourceError,
    UnknownEntityError,
    UnknownItemError,
)
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolInput, ToolResult
from corpusgraph.schemas.study import Study
from corpusgraph.tasks.method.check import matrix
from corpusgraph.tasks.registry import Tool, load

HOUSE = "corpusgraph."
OF_PORTS: dict[tuple[str, str], tuple[type[CorpusgraphError], ...]] = {
    ("graph", "entity"): (UnknownEntityError, AmbiguousEntityError),
    ("graph", "relationship"): (UnknownItemError,),
    ("graph", "chunk"): (UnknownItemError,),
    ("memory", "find"): (UnknownEntityError, AmbiguousEntityError),
    ("memory", "relationship"): (UnknownItemError,),
}
"""What the ports' methods raise; who implements a port is not seen from a tool."""
OF_AN_INDEX = frozenset({"graph", "corpus", "vectors", "memory"})
NOTHING = "nothing_found"
"""What is told of an empty list, whichever tool returns it."""
REGISTRY = "corpusgraph.tasks.registry"
MAKERS = frozenset({"fix", "_note", "warning"})
"""Functions that make a warning of a code, their first argument."""


class Conditions(NamedTuple):
    """Codes in order."""

    errors: tuple[str, ...]
    warnings: tuple[str, ...]


class Source(NamedTuple):
    """A module: what its names stand for, by syntax (all nodes of it) or by import."""

    name: str
    here: dict[str, list[ast.AST]]
    imported: dict[str, tuple[str, str]]


Place = tuple[str, str]
"""Module and name."""


class Said(NamedTuple):
    """What a definition names of ours, and the codes it raises and tells by itself."""

    named: frozenset[Place]
    raised: frozenset[str]
    told: frozenset[str]
    passes_on: bool


def conditions(tool: Tool) -> Conditions:
    """Return the codes of the errors and warnings of a tool."""
    errors = {InvalidInputError.code}
    if set(tool.ports) & OF_AN_INDEX:
        errors |= {IndexNotFoundError.code, MissingResourceError.code}
    if "embedder" in tool.ports:
        errors.add(EmbedderMismatchError.code)
    warnings = {NOTHING} if getattr(tool.output, "__origin__", None) is list else set[str]()
    said = list(_reached((tool.function.__module__, tool.function.__name__)))
    raised = {code for one in said for code in one.raised}
    errors |= raised
    warnings |= {code for one in said for code in one.told}
    warnings |= raised if any(one.passes_on for one in said) else set()
    return Conditions(tuple(sorted(errors)), tuple(sorted(warnings)))


def _reached(start: Place) -> Iterator[Said]:
    waiting, seen = [start], {start}
    while waiting:
        said = _said(waiting.pop())
        if said:
            yield said
            waiting += [place for place in said.named if place not in seen]
            seen |= said.named


@cache
def _said(place: Place) -> Said | None:
    """Read a definition, once for all tools that reach it: most are reached by most tools."""
    module = _source(place[0])
    inside = module.here.get(place[1]) if module else None
    if module is None or inside is None:
        return None
    calls = [part for part in inside if isinstance(part, ast.Call)]
    names = {part.id for part in inside if isinstance(part, ast.Name)} - _bound(inside)
    named = {module.imported.get(name, (module.name, name)) for name in names}
    return Said(
        named=frozenset(at for at in named if at[0].startswith(HOUSE) and at[0] != REGISTRY),
        raised=frozenset(code for call in calls for code in _raised(module, call)),
        told=frozenset(code for call in calls for code in _told(call)),
        passes_on=any(_passes_on(call) for call in calls),
    )


def _bound(inside: list[ast.AST]) -> set[str]:
    """Return the names that a function gives values of its own: they hide those of its module."""
    if not isinstance(inside[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return set()
    stored = {part.id for part in inside if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return stored | {part.arg for part in inside if isinstance(part, ast.arg)}


@cache
def _source(name: str) -> Source | None:
    if not name.startswith((f"{HOUSE}tasks", f"{HOUSE}schemas")):
        return None
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    here: dict[str, list[ast.AST]] = {}
    imported: dict[str, Place] = {}
    for statement in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
        inside = list(ast.walk(statement))
        here |= dict.fromkeys(_defined(statement), inside)
        for node in inside:
            if isinstance(node, ast.ImportFrom) and node.module:
                imported |= {a.asname or a.name: (node.module, a.name) for a in node.names}
    return Source(name, here, imported)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


def _raised(module: Source, call: ast.Call) -> Iterator[str]:
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        yield from (error.code for error in OF_PORTS.get((function.value.id, function.attr), ()))
    if isinstance(function, ast.Name) and (error := _error(module, function.id)):
        given = [code for word in call.keywords if word.arg == "code" for code in _text(word.value)]
        yield from given or [error.code]


def _error(module: Source, name: str) -> type[CorpusgraphError] | None:
    where, what = module.imported.get(name, (module.name, name))
    if not name.endswith("Error") or not where.startswith(HOUSE):
        return None
    found: Any = getattr(sys.modules.get(where) or import_module(where), what, None)
    return found if isinstance(found, type) and issubclass(found, CorpusgraphError) else None


def _told(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", "")
    if name == "ToolWarning":
        yield from (code for word in call.keywords if word.arg == "code" for code in _text(word.value))
    elif name in MAKERS and call.args:
        yield from _text(call.args[0])


def _passes_on(call: ast.Call) -> bool:
    """Tell a warning that has the code of an error that was met on the way."""
    return getattr(call.func, "id", "") in MAKERS and any(
        isinstance(argument, ast.Attribute) and argument.attr == "code" for argument in call.args[:1]
    )


def _text(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_text(node.body), *_text(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


_FEEDS = (
    "A tool feeds another when it writes what the other reads, or something of which a part is that. Each "
    "pair below is run by the tests, and each pair that is not below is refused by `corpusgraph method "
    "check` with its reason."
)
_SETTLED = (
    "An earlier design listed by hand which of its tools T49 to T67 go together. Where its list and the types"
    " of what the tools read and write disagree, the types decide:"
)
LISTED = {
    "T49": "T51 T52 T53 T54 T55 T63 T64 T65 T66 T67",
    "T50": "T51 T56 T57 T58 T59",
    "T51": "T53 T54 T63 T64 T65",
    "T52": "T53 T54 T63 T64 T65 T66 T67",
    "T53": "T57 T58 T66 T67",
    "T54": "T57 T65",
    "T55": "T50 T53 T59",
    "T56": "T57 T58",
    "T59": "T50 T53",
    "T60": "T57 T58",
    "T61": "T57 T58",
    "T62": "T57 T58",
    "T63": "T57 T65",
    "T64": "T57 T66",
    "T65": "T57",
    "T66": "T67",
    "T67": "T66",
}
"""Tool -> the tools that the earlier design says it goes with."""


def output_name(kind: Any) -> str:
    """Return a type as a reader writes it: `list[Scored[Entity]]`."""
    origin = get_origin(kind)
    if origin is not None:
        return f"{origin.__name__}[{', '.join(output_name(part) for part in get_args(kind))}]"
    made = getattr(kind, "__pydantic_generic_metadata__", {"origin": None})
    if made["origin"]:
        return f"{made['origin'].__name__}[{', '.join(output_name(part) for part in made['args'])}]"
    return str(getattr(kind, "__name__", kind))


def feeds_of(tools: Iterable[Tool]) -> dict[str, list[str]]:
    """Return tool -> the tools it feeds."""
    listed = list(tools)
    pairs = matrix(listed)
    return {a.name: [b.name for b in listed if pairs[a.name, b.name].ok] for a in listed}


def refused(tools: Iterable[Tool]) -> list[tuple[str, str, str]]:
    """Return (tool, tool, reason) of the pairs that the earlier design lists and the types refuse."""
    listed = list(tools)
    pairs = matrix(listed)
    named = {alias: tool.name for tool in listed for alias in tool.aliases}
    wanted = [(named[a], named[b]) for a, many in LISTED.items() for b in many.split()]
    return [(a, b, pairs[a, b].reason) for a, b in wanted if not pairs[a, b].ok]


def matrix_lines(tools: Iterable[Tool]) -> list[str]:
    """Return the section's lines."""
    listed = list(tools)
    fed = feeds_of(listed)
    lines = ["## Which tool feeds which", "", _FEEDS, ""]
    lines += ["| tool | needs | can use | adds | output | feeds |", "|---|---|---|---|---|---|"]
    for tool in listed:
        output = output_name(tool.output).replace("|", "\\|")
        cells = [*(_codes(sorted(part)) for part in (tool.needs, tool.optional, tool.adds)), f"`{output}`"]
        lines.append(f"| {tool.name} | {' | '.join(cells)} | {', '.join(fed[tool.name])} |")
    lines += ["", _SETTLED, "", "| from | to | why not |", "|---|---|---|"]
    return lines + [f"| {a} | {b} | {reason} |" for a, b, reason in refused(listed)]


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


INDEX = "sample"
TEXTS = {
    "snow.txt": (
        "John Snow lived in London. Snow studied cholera. On 8 September 1854 the Board of Guardians removed "
        "the handle of the pump in Broad Street. Snow argued that contaminated water caused cholera. Cholera "
        "led to many deaths."
    ),
    "board.txt": (
        "The General Board of Health met in London. The Board claimed that foul air caused cholera, because "
        "the smell was strong. However, Snow denied that foul air caused cholera."
    ),
    "farr.txt": (
        "William Farr worked for the General Register Office. In 1866 Farr wrote that contaminated water "
        "caused the epidemic in East London. Overcrowding depends on poverty."
    ),
}
"""File name -> text of the corpus that the calls read."""

QUESTION = "What caused cholera in London?"
_CLAIMS: JsonDict = {
    "claims": [
        {"id": "water", "text": "Contaminated water causes cholera."},
        {"id": "air", "text": "Foul air causes cholera."},
        {"id": "map", "text": "The deaths lie around one pump."},
    ],
    "relations": [
        {"source": "air", "target": "water", "type": "attack"},
        {"source": "map", "target": "air", "type": "attack"},
    ],
    "framework": "dung",
}
_PATIENTS: list[JsonDict] = [
    {"deaths": deaths, "water": water}
    for deaths, water in ((315, 9), (37, 2), (59, 4), (71, 8), (5, 1), (80, 7))
]
_TABLE: JsonDict = {
    "columns": [{"name": "who", "dtype": "text"}, {"name": "where", "dtype": "text"}],
    "rows": [["John Snow", "London"], ["William Farr", "London"]],
}
_EVENTS: list[JsonDict] = [
    {"id": "1", "case": "soho", "activity": "outbreak", "timestamp": "1854-08-31"},
    {"id": "2", "case": "soho", "activity": "handle removed", "timestamp": "1854-09-08"},
]


def examples(graph: GraphView) -> dict[str, JsonDict]:
    """Return the arguments of a call of each tool; `graph` is that of the sample index."""
    edge = graph.relationships[0]
    path = {"node_ids": [edge.source_id, edge.target_id], "edge_ids": [edge.id]}
    answers = _of_answers(path, [chunk.id for chunk in graph.chunks])
    return {**_of_operators(edge.id), **answers, **_OF_DATA, **_OF_SEARCH, **_OF_CHANGES}


def _of_operators(edge: str) -> dict[str, JsonDict]:
    return {
        "entity_vdb_search": {"query": "cholera", "top_k": 2},
        "entity_relnode_extract": {"relationships": [edge]},
        "entity_ppr_rank": {"seed_entities": ["John Snow"], "top_k": 2},
        "entity_agent_find": {"query": QUESTION, "context": "Contaminated water came to London."},
        "entity_onehop_neighbors": {"entities": ["cholera"]},
        "entity_similarity_link": {"entities": ["Jon Snow"], "similarity_metric": "embedding"},
        "entity_tfidf_rank": {"query": "contaminated water", "top_k": 2},
        "relationship_vdb_search": {"query": "water causes cholera", "top_k": 1},
        "relationship_onehop_extract": {"entities": ["cholera"], "relationship_types": ["causes"]},
        "relationship_score_aggregate": {
            "entity_scores": {"cholera": 0.5, "John Snow": 0.25},
            "score_method": "sum",
            "top_k": 1,
        },
        "relationship_agent_find": {"query": QUESTION, "entities": ["cholera"]},
        "chunk_score_aggregate": {"relationship_scores": {edge: 1.0}},
        "chunk_from_relationships": {"relationships": [edge]},
        "chunk_entity_occurrence": {"entities": ["cholera", "London"]},
        "chunk_vdb_search": {"query": "Who lived in London?", "top_k": 1},
        "chunk_walk_rank": {"query": "Where did John Snow live?", "top_k": 1},
        "subgraph_khop_paths": {"start_entities": ["John Snow"], "end_entities": ["cholera"], "k": 2},
        "subgraph_steiner_tree": {"terminal_entities": ["John Snow", "cholera"]},
        "community_by_entities": {"entities": ["cholera"]},
        "community_by_layer": {"max_layer": 0},
        "community_vdb_search": {"query": "water", "top_k": 1},
        "community_agent_select": {"query": QUESTION},
    }


def _of_answers(path: JsonDict, chunks: list[str]) -> dict[str, JsonDict]:
    return {
        "subgraph_agent_filter": {"paths": [path], "query": QUESTION, "max_paths": 1},
        "entity_query_link": {"query": "What did John Snow say about cholera?"},
        "query_extract_entities": {"query": "Where did John Snow study the water pump?"},
        "query_extract_keywords": {"query": "How did the water pump affect John Snow?"},
        "query_reason": {"query": QUESTION, "chunks": chunks[:1]},
        "query_sufficiency": {"query": QUESTION, "chunks": chunks[:1]},
        "query_drift_primer": {"query": QUESTION, "communities": ["1"]},
        "summarize_chunks": {"chunks": chunks[:2], "max_sentences": 2},
        "similarity_search": {"query": "Who lived in London?", "kind": "chunk", "top_k": 1},
        "extract_relationships": {"texts": ["Poverty caused overcrowding."]},
        "generate_answer": {"query": QUESTION, "chunks": chunks},
        "local_search": {"entities": ["John Snow"], "radius": 1},
        "global_search": {"top_entities": 2},
        "induced_subgraph": {"entities": ["John Snow"], "hops": 1},
        "shortest_paths": {"source_entities": ["John Snow"], "target_entities": ["cholera"]},
    }


_OF_DATA: dict[str, JsonDict] = {
    "transform_graph_to_table": {
        "subgraph": {
            "nodes": [{"id": "snow", "name": "John Snow"}, {"id": "cholera", "name": "cholera"}],
            "edges": [{"id": "1", "source_id": "snow", "target_id": "cholera", "type": "studied"}],
        },
        "node_attributes": ["name"],
        "edge_as_columns": True,
    },
    "transform_table_to_graph": {
        "table_data": _TABLE,
        "entity_columns": ["who", "where"],
        "relationship_rules": [
            {"source_col": "who", "target_col": "where", "type": "lived_in", "kind": "row"}
        ],
    },
    "transform_document_to_structures": {
        "documents": ["On 8 September 1854 John Snow met the Board in London. Bad water caused cholera."],
        "target_structures": ["timeline"],
    },
    "prepare_statistical_analysis": {
        "data": _PATIENTS,
        "analysis_type": "regression",
        "variable_mapping": {"outcome": "deaths", "predictors": ["water"]},
        "output_format": "r",
    },
    "prepare_causal_model": {
        "entities": [{"id": name, "name": name} for name in ("poverty", "water", "cholera")],
        "relationships": [
            {"id": "1", "source_id": "poverty", "target_id": "water", "type": "causes"},
            {"id": "2", "source_id": "poverty", "target_id": "cholera", "type": "causes"},
            {"id": "3", "source_id": "water", "target_id": "cholera", "type": "causes"},
        ],
        "model_type": "do_calculus",
        "exposure": "water",
        "outcome": "cholera",
    },
    "prepare_argument_network": _CLAIMS,
    "prepare_process_trace": {"events": _EVENTS, "entities": [], "temporal_resolution": "days"},
}

_OF_SEARCH: dict[str, JsonDict] = {
    "graph_enhanced_search": {"query": "contaminated water", "depth": 1, "limit": 1},
    "hybrid_search": {"query": "contaminated water", "kind": "entity", "top_k": 1},
    "rerank": {"query": QUESTION, "items": ["Snow lived in London.", "Water caused cholera."], "top_k": 1},
    "get_entity_neighbors": {"entity_id": "cholera", "relation_type": "causes", "direction": "inbound"},
    "get_graph_statistics": {},
    "build_local_graph": {"entity_ids": ["John Snow", "cholera"]},
    "get_related": {"entity_name": "cholera", "relation_type": "causes", "direction": "incoming"},
    "traverse": {
        "start_node": "John Snow",
        "path": [{"relation_type": "studied", "direction": "out", "target_type": "concept"}],
    },
    "summarize": {"entity_type": "person", "format": "brief"},
    "read_graph": {},
    "search_nodes": {"query": "Farr"},
    "open_nodes": {"names": ["William Farr"]},
    "graph_centrality": {"measures": ["pagerank"], "top_k": 2},
    "find_paths": {
        "source": "contaminated water",
        "target": "John Snow",
        "mode": "all_simple",
        "max_hops": 2,
    },
    "detect_communities": {"top_k": 1},
    "identify_topics": {"top_k": 1},
    "score_confidence": {"top_k": 1},
    "get_extraction_log": {},
    "list_changes": {},
}
"""Calls of the memory tools that read."""

_OF_CHANGES: dict[str, JsonDict] = {
    "add_entity_relationship": {
        "source_id": "John Snow",
        "target_id": "William Farr",
        "relation_type": "uses",
        "weight": 0.9,
        "context": {"what": "mortality tables"},
    },
    "remove_entity_relationship": {
        "source_id": "foul air",
        "target_id": "cholera",
        "relation_type": "causes",
    },
    "extract_entity_relationships": {"entity_id": "John Snow"},
    "extract_all_relationships": {"limit": 3},
    "create_entities": {
        "entities": [
            {"name": "Henry Whitehead", "entityType": "person", "observations": ["curate of St Luke's"]}
        ]
    },
    "create_relations": {
        "relations": [{"from": "William Farr", "to": "John Snow", "relationType": "corresponded_with"}]
    },
    "add_observations": {
        "observations": [{"entityName": "John Snow", "contents": ["gave chloroform to the Queen in 1853"]}]
    },
    "delete_entities": {"entityNames": ["overcrowding"]},
    "delete_observations": {"deletions": [{"entityName": "William Farr", "observations": ["kept bees"]}]},
    "delete_relations": {"relations": [{"from": "foul air", "to": "cholera", "relationType": "causes"}]},
    "rename_entity": {"entity": "John Snow", "name": "John Snow (physician)"},
    "merge_entities": {"sources": ["Board of Guardians"], "into": "General Board of Health"},
    "split_entity": {"entity": "John Snow", "name": "Snow (weather)", "type": "concept", "names": ["Snow"]},
    "undo_change": {},
    "adjust_weights": {"top_k": 1},
    "prune_relationships": {"min_confidence": 0.5, "top_k": 1},
}
"""Calls of the memory tools that write, each on a copy of the sample index with one change."""

ITEMS = (2, 1)
"""Items that are shown of a list, and of a list inside a list."""
LETTERS = 160
"""Characters of a text that are shown."""
DIGITS = 6
"""Digits of a number: the last ones differ between versions of Python, which add up otherwise."""
WIDTH = 100
DEPTH = 6
"""Levels that are shown."""
FIXED: JsonDict = {"request_id": "example", "timestamp": "2026-01-01T00:00:00Z"}
FIRST_CHANGE: tuple[str, JsonDict] = (
    "add_observations",
    {"observations": [{"entityName": "William Farr", "contents": ["kept bees"]}], **FIXED},
)
"""What was added to the sample by hand, for the tools that tell of changes and undo them."""


def example_calls() -> dict[str, tuple[JsonDict, ToolResult]]:
    """Return arguments and result of a call of each tool on the sample index."""
    with sample() as outputs:
        graph = api.open(INDEX, outputs).graph
        found = {}
        for name, arguments in examples(graph).items():
            with untouched(outputs, load()[name].effect == "reads") as place:
                found[name] = arguments, api.call(name, {**arguments, **FIXED}, index=INDEX, outputs=place)
    return found


@contextmanager
def sample() -> Iterator[Path]:
    """Index the sample texts in a folder of their own and hand out its outputs."""
    with tempfile.TemporaryDirectory() as home:
        corpus = Path(home) / "corpus"
        corpus.mkdir()
        for name, text in TEXTS.items():
            (corpus / name).write_text(text, encoding="utf-8")
        study = Study.model_validate({"study": INDEX, "corpus": {"path": str(corpus)}})
        outputs = Path(home) / "outputs"
        api.index(study, outputs=outputs)
        api.call(*FIRST_CHANGE, index=INDEX, outputs=outputs)
        yield outputs


@contextmanager
def untouched(outputs: Path, reads: bool) -> Iterator[Path]:
    """Hand out the outputs, or for a call that writes a copy of them."""
    if reads:
        yield outputs
        return
    with tempfile.TemporaryDirectory() as home:
        yield Path(shutil.copytree(outputs, Path(home) / "outputs"))


def answer_text(result: ToolResult) -> str:
    """Return data and warnings of a result as JSON of few lines."""
    told = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {name: told[name] for name in ("data", "error", "warnings") if told.get(name)}
    return shown(kept)


def shown(value: Any) -> str:
    """Write JSON on as few lines as are legible, long lists and texts cut and marked by an ellipsis."""
    return _lines(_cut(value, DEPTH, ITEMS[0]), 0)


def _cut(value: Any, depth: int, items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LETTERS else f"{value[:LETTERS].rstrip()} …"
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict | list) and not depth:
        return "…"
    if isinstance(value, dict):
        kept = {name: inner for name, inner in value.items() if inner not in (None, "", [], {})}
        return {name: _cut(inner, depth - 1, items) for name, inner in kept.items()}
    if isinstance(value, list):
        more = [f"… {len(value) - items} more"] if len(value) > items + 1 else []
        inside = [_cut(item, depth - 1, ITEMS[1]) for item in (value[:items] if more else value)]
        return inside + more
    return value


def _lines(value: Any, indent: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return flat
    inner, end = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        named = [(f"{json.dumps(name, ensure_ascii=False)}: ", part) for name, part in value.items()]
        parts = [f"{inner}{name}{_lines(part, indent + 2)}" for name, part in named]
        return "{\n" + ",\n".join(parts) + f"\n{end}}}"
    parts = [f"{inner}{_lines(item, indent + 2)}" for item in value]
    return "[\n" + ",\n".join(parts) + f"\n{end}]"


HIDDEN = frozenset(ToolInput.model_fields)
SHARED = 4
"""How many tools answer with a noun before it is described once for all, under Nouns."""

Example = tuple[JsonDict, ToolResult]


def section(tool: Tool, example: Example, nouns: frozenset[str]) -> list[str]:
    """Return the lines of a tool's section; `nouns` are described elsewhere."""
    return [
        f"## {tool.name}",
        "",
        *_what(tool),
        *_arguments(tool),
        *_answer(tool, nouns),
        *_conditions(tool),
        *_example(tool, example),
    ]


def noun_sections(tools: Iterable[Tool], nouns: frozenset[str]) -> list[str]:
    """Describe the nouns that several tools answer with."""
    known: dict[str, JsonDict] = {}
    for tool in tools:
        known |= tool.output_schema().get("$defs", {})
    lines = ["## Nouns", "", "What several tools answer with. `Scored` has `item`, `score` and `rank`.", ""]
    for name in sorted(nouns & known.keys()):
        lines += [f"### {name}", "", *_fields(known[name]), ""]
    return lines[:-1]


def shared_nouns(tools: Iterable[Tool]) -> frozenset[str]:
    """Return the models that several tools answer with; `Scored[…]` itself is described in a sentence."""
    times: dict[str, int] = {}
    for tool in tools:
        for name in tool.output_schema().get("$defs", {}):
            times[name] = times.get(name, 0) + 1
    return frozenset(n for n, count in times.items() if count >= SHARED and not n.startswith("Scored"))


def _what(tool: Tool) -> Iterator[str]:
    yield tool.long_doc
    if tool.cite:
        yield from ("", f"Source: {tool.cite}")
    if tool.aliases:
        yield from ("", f"Also called {', '.join(f'`{alias}`' for alias in tool.aliases)}.")
    if tool.effect != "reads":
        again = "" if tool.idempotent else "; a second call may change more"
        yield from (
            "",
            f"It {_EFFECTS[tool.effect]}{again}. Each call is one change, which can be undone.",
        )


_EFFECTS = {
    "adds": "adds to the index",
    "changes": "changes what is in the index",
    "removes": "takes something out of the index",
}


def hidden(tool: Tool, name: str) -> bool:
    """Tell an argument that every tool has; `context` is one, where a tool has none of its own."""
    return name in HIDDEN or (name == "context" and "context" not in tool.input.model_fields)


def _arguments(tool: Tool) -> Iterator[str]:
    schema = tool.input_schema()
    rows = {name: field for name, field in schema["properties"].items() if not hidden(tool, name)}
    if not rows:
        yield from ("", "It takes no arguments of its own.")
        return
    yield from ("", "| argument | type | default | meaning |", "|---|---|---|---|")
    required = set(schema.get("required", ()))
    for name, field in rows.items():
        default = "required" if name in required else f"`{_literal(field.get('default'))}`"
        meaning = _cell(field.get("description", ""))
        yield f"| `{name}` | {kind(field)}{_limits(field)} | {default} | {meaning} |"


def _answer(tool: Tool, nouns: frozenset[str]) -> Iterator[str]:
    yield from ("", f"Returns `{output_name(tool.output)}`.")
    schema = tool.output_schema()
    own = {n: d for n, d in schema.get("$defs", {}).items() if n not in nouns and not n.startswith("Scored")}
    if "properties" in schema:
        yield from ("", *_fields(schema))
    for name, noun in own.items():
        if "properties" in noun:
            yield from ("", f"`{name}`:", "", *_fields(noun))


def _fields(schema: JsonDict) -> list[str]:
    if "properties" not in schema:
        return [
            " \\| ".join(f"`{value}`" for value in schema.get("enum", ())) or _cell(str(schema.get("type")))
        ]
    lines = ["| field | type | meaning |", "|---|---|---|"]
    for name, field in schema["properties"].items():
        lines.append(f"| `{name}` | {kind(field)} | {_cell(field.get('description', ''))} |")
    return lines


def _conditions(tool: Tool) -> Iterator[str]:
    found = conditions(tool)
    yield from ("", f"Errors: {_codes(found.errors)}.")
    if found.warnings:
        yield from ("", f"Warnings: {_codes(found.warnings)}.")


def _example(tool: Tool, example: Example) -> Iterator[str]:
    arguments, result = example
    yield from (
        "",
        f"`{tool.name}` called with",
        "",
        "```json",
        shown(arguments) if arguments else "{}",
        "```",
    )
    yield from ("", "answers", "", "```json", answer_text(result), "```")


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def kind(schema: JsonDict) -> str:
    """Return a short name of a JSON schema type."""
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(option) for option in schema["anyOf"]))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    return str(schema.get("const", schema.get("type", "any")))


_LIMITS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def _limits(schema: JsonDict) -> str:
    """Return the limits of a number: ", ≥ 1, ≤ 3"."""
    options = [schema, *schema.get("anyOf", ())]
    found = [
        f"{sign} {option[word]:g}" for option in options for word, sign in _LIMITS.items() if word in option
    ]
    return f", {', '.join(found)}" if found else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
