"""The parts of docs that are made from code: `python -m corpusgraph.flows.docs` writes them anew.

A page is written by hand but for its blocks, from `<!-- made: WHAT OF -->` to `<!-- end -->`: what makes WHAT
is called with OF. A tool's call in docs/tools stands in the page; what it answers is made by calling it.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args, get_origin

import yaml
from pydantic import BaseModel

from corpusgraph.flows import api
from corpusgraph.flows.docs.conditions import conditions
from corpusgraph.flows.docs.listing import check_lines, plan_lines
from corpusgraph.flows.methods import all_methods, load_method, source_text
from corpusgraph.schemas import study
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.method import Loop, Node, Union
from corpusgraph.schemas.results import ToolInput, ToolResult
from corpusgraph.schemas.study import Study, UnitOfAnalysis
from corpusgraph.tasks.dataset.measures.registry import ALL, MEASURES
from corpusgraph.tasks.dataset.measures.units import SCOPES
from corpusgraph.tasks.method import shapes
from corpusgraph.tasks.method.check import check_method, matrix
from corpusgraph.tasks.method.plan import plan_method
from corpusgraph.tasks.registry import FAMILIES, Tool, find, load

PAGES = ("tools.md", *(f"tools/{family}.md" for family in FAMILIES), "studies.md", "presets.md")
"""The pages that have blocks, below docs."""
_BLOCK = re.compile(r"<!-- made: (\w+)((?: [^\n]+?)?) -->\n.*?<!-- end -->", re.DOTALL)
_CALL = re.compile(r"^```json (\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def page(name: str, docs: Path) -> str:
    """Return the text of a page below `docs` with its blocks made anew.

    Parameters
    ----------
    name : str
        Below docs.
    docs : Path
        Folder that has the page already.

    Returns
    -------
    str
        Everything outside of the blocks stays.

    """
    file = docs / name
    text = file.read_text(encoding="utf-8")
    family = file.stem if file.parent != docs else ""
    for tool in _of_family(family):
        if f"<!-- made: tool {tool.name} -->" not in text:
            text += _SKELETON.format(name=tool.name)
    calls = {tool: json.loads(call) for tool, call in _CALL.findall(text)}

    def made(block: re.Match[str]) -> str:
        what, of = block[1], block[2].strip()
        lines = _answer(of, calls[of]) if what == "answer" else _MAKERS[what](of)
        return "\n".join([f"<!-- made: {what}{block[2]} -->", *lines, "<!-- end -->"])

    return _BLOCK.sub(made, text)


_SKELETON = """
## {name}

<!-- made: tool {name} -->
<!-- end -->

```json {name}
{{}}
```

<!-- made: answer {name} -->
<!-- end -->
"""


def _grid(headings: str, rows: Iterable[Iterable[object]], right: str = "") -> Iterator[str]:
    """Yield a table of Markdown; numbers stand at the `right`."""
    names = headings.split(", ")
    for cells in (names, *rows):
        yield f"| {' | '.join(map(str, cells))} |"
        if cells is names:
            yield f"|{'|'.join('--:' if name == right else '---' for name in names)}|"


def _tools(family: str) -> Iterator[str]:
    return _grid("#, tool, does, reads, writes", map(_tool_cells, _of_family(family)), right="#")


def _of_family(family: str) -> list[Tool]:
    return [tool for tool in load().values() if tool.family == family]


def _tool_cells(tool: Tool) -> Iterable[object]:
    reads = _codes(set(tool.reads.values())) or _codes({"graph"} & set(tool.ports))
    link = f"[{tool.name}](tools/{tool.family}.md#{tool.name})"
    return tool.number or "", link, tool.doc, reads, f"`{tool.writes}`"


def _tool(name: str) -> Iterator[str]:
    """Yield what a tool does, its arguments, what it reads and writes, and what it may tell."""
    tool = find(name)
    yield tool.long_doc
    source = f"Source: {tool.cite}." if tool.cite else ""
    aliases = f"Also called {', '.join(f'`{alias}`' for alias in tool.aliases)}." if tool.aliases else ""
    if source or aliases:
        yield from ("", f"{source} {aliases}".strip())
    if tool.effect != "reads":
        again = "" if tool.idempotent else "; a second call may change more"
        yield from ("", f"It {_EFFECTS[tool.effect]}{again}. Each call is one change, which can be undone.")
    schema = tool.input_schema()
    own = {name: field for name, field in schema["properties"].items() if not hidden(tool, name)}
    required = schema.get("required", ())
    yield ""
    yield from _table(own, lambda name: _default(own[name].get("default"), name in required), str)
    yield ""
    told = conditions(tool)
    facts = (
        ("Needs", _codes(tool.needs)),
        ("Uses", _codes(tool.optional)),
        ("Adds", _codes(tool.adds)),
        ("Returns", f"`{output_name(tool.output)}`"),
        ("Feeds", _codes(_fed()[tool.name])),
        ("Errors", _codes(told.errors)),
        ("Warnings", _codes(told.warnings)),
    )
    yield from (f"- {label}{'' if label == 'Returns' else ':'} {what}" for label, what in facts if what)


_EFFECTS = {
    "adds": "adds to the index",
    "changes": "changes what is in the index",
    "removes": "takes something out of the index",
}


def hidden(tool: Tool, name: str) -> bool:
    """Tell an argument that every tool has; `context` is one, where a tool has none of its own.

    Parameters
    ----------
    tool : Tool
        Of the registry.
    name : str
        Of an argument.

    Returns
    -------
    bool
        Whether it is described for all tools together.

    """
    fields = tool.input.model_fields
    return name in ToolInput.model_fields or (name == "context" and "context" not in fields)


def output_name(kind: Any) -> str:
    """Return a type as a reader writes it: `list[Scored[Entity]]`.

    Parameters
    ----------
    kind : Any
        Annotation.

    Returns
    -------
    str
        Names of classes alone.

    """
    generic = getattr(kind, "__pydantic_generic_metadata__", {"origin": None, "args": ()})
    origin, parts = get_origin(kind) or generic["origin"], get_args(kind) or generic["args"]
    if origin is None:
        return str(getattr(kind, "__name__", kind))
    return f"{origin.__name__}[{', '.join(map(output_name, parts))}]"


@cache
def _fed() -> dict[str, list[str]]:
    """Return tool -> the tools it feeds: they read what it writes, or something of which a part is that."""
    tools = list(load().values())
    pairs = matrix(tools)
    return {a.name: [b.name for b in tools if pairs[a.name, b.name].ok] for a in tools}


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


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
FIXED: JsonDict = {"request_id": "example", "timestamp": "2026-01-01T00:00:00Z"}
FIRST_CHANGE: tuple[str, JsonDict] = (
    "add_observations",
    {"observations": [{"entityName": "William Farr", "contents": ["kept bees"]}], **FIXED},
)
"""What was added to the sample by hand, for the tools that tell of changes and undo them."""


@contextmanager
def samples() -> Iterator[None]:
    """Index the sample texts in a folder of their own, for all pages that are made meanwhile.

    Yields
    ------
    None
        While the body runs.

    """
    with tempfile.TemporaryDirectory() as home:
        corpus, outputs = Path(home) / "corpus", Path(home) / "outputs"
        corpus.mkdir()
        for name, text in TEXTS.items():
            (corpus / name).write_text(text, encoding="utf-8")
        api.index(Study.model_validate({"study": INDEX, "corpus": {"path": str(corpus)}}), outputs=outputs)
        api.call(*FIRST_CHANGE, index=INDEX, outputs=outputs)
        _opened.append(outputs)
        try:
            yield
        finally:
            _opened.pop()


_opened: list[Path] = []
"""The sample's outputs, while pages are made."""


def _answer(name: str, arguments: JsonDict) -> Iterator[str]:
    """Yield what a call answers: one that changes something is made on a copy."""
    with tempfile.TemporaryDirectory() as home:
        outputs = _opened[-1]
        if find(name).effect != "reads":
            outputs = Path(shutil.copytree(outputs, Path(home) / "outputs"))
        result = api.call(name, {**arguments, **FIXED}, index=INDEX, outputs=outputs)
    yield from ("```yaml", *answer_text(result).splitlines(), "```")


ITEMS = (2, 1)
"""Items that are shown of a list, and of a list inside a list."""
LETTERS = 160
"""Characters of a text that are shown."""
DIGITS = 6
"""Digits of a number: the last ones differ between versions of Python, which add up otherwise."""
DEPTH = 4
"""Levels that are shown."""


def answer_text(result: ToolResult) -> str:
    """Return data, error and warnings of a result as YAML, long lists and texts cut.

    Parameters
    ----------
    result : ToolResult
        Of a call.

    Returns
    -------
    str
        With an ellipsis where something was cut.

    """
    told = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    shown = {name: told[name] for name in ("data", "error", "warnings") if told.get(name)}
    cut = _cut(shown, DEPTH, ITEMS[0])
    return str(yaml.safe_dump(cut, allow_unicode=True, default_flow_style=None, sort_keys=False, width=110))


def _cut(value: Any, depth: int, items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LETTERS else f"{value[:LETTERS].rstrip()} …"
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict | list) and not depth:
        return "…"
    if isinstance(value, dict):
        filled = {name: inner for name, inner in value.items() if inner not in (None, "", [], {})}
        return {name: _cut(inner, depth - 1, items) for name, inner in filled.items()}
    if isinstance(value, list):
        more = [f"… {len(value) - items} more"] if len(value) > items + 1 else []
        return [_cut(item, depth - 1, ITEMS[1]) for item in (value[:items] if more else value)] + more
    return value


Refer = Callable[[str], str]
"""Name of a model -> how a table refers to it."""


def _table(properties: JsonDict, default: Refer, refer: Refer, key: str = "argument") -> Iterator[str]:
    """Yield a table of fields: JSON schemas by name."""
    if not properties:
        yield f"It takes no {key} of its own."
        return
    rows = (
        (f"`{name}`", kind_of(field, refer), default(name), _meaning(field))
        for name, field in properties.items()
    )
    yield from _grid(f"{key}, type, default, meaning", rows)


def _meaning(field: JsonDict) -> str:
    return " ".join(field.get("description", "").split()).replace("|", "\\|")


def _default(value: Any, required: bool) -> str:
    if required:
        return "required"
    if isinstance(value, BaseModel):
        return "its defaults"
    if value is None or value in ("", (), [], {}):
        return "none"
    return f"`{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}`"


_NAMES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
_LIMITS = {
    "minimum": "from {}",
    "exclusiveMinimum": "above {}",
    "maximum": "to {}",
    "exclusiveMaximum": "below {}",
}


def kind_of(schema: JsonDict, refer: Refer) -> str:
    """Return a short name of a JSON schema's type, with its limits.

    Parameters
    ----------
    schema : JsonDict
        Of an argument.
    refer : Refer
        Name of a definition -> words for it.

    Returns
    -------
    str
        For a cell of a Markdown table.

    """
    kind = schema.get("type")
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        kinds = [kind_of(option, refer) for option in schema["anyOf"] if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in schema or "oneOf" in schema:
        return refer(str(schema.get("$ref", "")).rpartition("/")[2])
    if kind not in {"array", "object"}:
        limits = [text.format(f"{schema[key]:g}") for key, text in _LIMITS.items() if key in schema]
        return " ".join([_NAMES.get(str(kind), "any"), *limits])
    return "pair of names" if "prefixItems" in schema else _kind_of_many(kind, schema, refer)


def _kind_of_many(kind: object, schema: JsonDict, refer: Refer) -> str:
    of = schema.get("items" if kind == "array" else "additionalProperties")
    inner = kind_of(of if isinstance(of, dict) else {}, refer)
    if inner.startswith("see "):
        return f"{'list' if kind == 'array' else 'mapping by name'}, {inner}"
    if kind == "object":
        return f"mapping of names to {'values or lists of values' if ' or ' in inner else inner}"
    first, _, rest = inner.partition(" ")
    plural = f"{first}s" if first in {"text", "pair", "list"} else first
    return f"list of {plural} {rest}".rstrip()


_SECTIONS: tuple[tuple[str, str, type[BaseModel]], ...] = (
    ("The file", "", study.Study),
    ("corpus", "corpus", study.Corpus),
    ("index", "index", study.IndexOptions),
    ("index.chunking", "index.chunking", study.Chunking),
    ("index.resolution", "index.resolution", study.Resolution),
    ("index.communities", "index.communities", study.CommunityOptions),
    ("index.llm", "index.llm", study.LanguageOptions),
    ("index.llm.ontology", "index.llm.ontology", study.Ontology),
    ("ontology.entities", "each type of entities", study.EntityKind),
    ("ontology.entities.attributes", "each attribute", study.AttributeKind),
    ("ontology.relationships", "each type of relationships", study.RelationshipKind),
    ("questions", "each item of questions", study.Question),
    ("datasets", "each item of datasets", study.DatasetBase),
    ("Tables: descriptive, regression, sem", "the three kinds of table", study.TableDataset),
    ("kind: regression", "a regression, besides those of a table", study.RegressionDataset),
    ("kind: sem", "a structural equation model, besides those of a table", study.SemDataset),
    ("kind: causal", "a causal graph", study.CausalDataset),
    ("kind: argument", "an argument network", study.ArgumentDataset),
    ("kind: process", "a process trace", study.ProcessDataset),
    ("variables", "each item of variables", study.Variable),
)
"""Sections of docs/studies.md: title, whose keys they are, and the model."""


def _keys(title: str) -> Iterator[str]:
    where, model = next((where, model) for name, where, model in _SECTIONS if name == title)
    line = (model.__doc__ or "").partition("\n")[0]
    yield from (f"{line} Keys of {where}:" if where else line, "")
    schema = model.model_json_schema()
    own = {name: schema["properties"][name] for name in model.__annotations__ if name != "kind"}

    def default(name: str) -> str:
        field = model.model_fields[name]
        value = None if field.is_required() else field.get_default(call_default_factory=True)
        return _default(value, field.is_required())

    yield from _table(own, default, _section_of, "key")


def _section_of(name: str) -> str:
    """Name the section that describes a model."""
    title = next((title for title, _, model in _SECTIONS if model.__name__ == name), "datasets")
    return f"see [{title}](#{re.sub(r'[^a-z0-9 ]', '', title.lower()).replace(' ', '-')})"


UNITS: dict[UnitOfAnalysis, str] = {
    "entity": "a person, organisation, place, concept, date or quantity",
    "document": "a document",
    "chunk": "a chunk of a document",
    "event": "a dated event",
    "community": "a community of any level",
    "pair": "two entities that a sentence names together or a relationship joins",
    "entity_period": "an entity in a year, month or day: every entity in every period there is",
}
"""What a row is."""


def _units(_: str) -> Iterator[str]:
    rows = ((f"`{unit}`", UNITS[unit], SCOPES[unit]) for unit in get_args(UnitOfAnalysis))
    return _grid("unit, a row is, what it counts in", rows)


def _measures(_: str) -> Iterator[str]:
    rows = []
    for name, measure in MEASURES.items():
        of = f"required: {measure.of}" if measure.needs_of else measure.of or ""
        fits = "all" if len(measure.units) == len(ALL) else ", ".join(f"`{unit}`" for unit in measure.units)
        rows.append((f"`{name}`", measure.summary.replace("|", "\\|"), of, fits))
    return _grid("measure, what it is, `of`, units it fits", rows)


def _methods(_: str) -> Iterator[str]:
    yield "| method | graph | chain | paper | calls of a language model, at most |"
    yield "|---|---|---|---|--:|"
    for method in all_methods():
        also = f" (also {', '.join(f'`{alias}`' for alias in method.aliases)})" if method.aliases else ""
        calls = "cannot run" if method.method.startswith("seed_") else str(plan_method(method).llm_calls)
        query = [f"query_extract_{what}" for what in method.query]
        steps = " → ".join([*query, *(_step(node) for node in method.steps)]) or "nothing"
        yield f"| `{method.method}`{also} | {method.graph.kind} | {steps} | {method.cite} | {calls} |"


def _step(node: Node) -> str:
    if isinstance(node, Union):
        return "union"
    if isinstance(node, Loop):
        over = "for each" if node.each else f"{node.rounds} times"
        return f"{over} ({' → '.join(_step(inner) for inner in node.steps)})"
    return node.tool


def _about(_: str) -> Iterator[str]:
    yield from (f"- **{method.method}** ({method.title}). {method.about}" for method in all_methods())


def _options(_: str) -> Iterator[str]:
    """Yield a table of what each kind of graph can be told."""
    groups: tuple[tuple[str, type[shapes.Options]], ...] = (
        ("`kg`, `tkg`, `rkg`", shapes.KnowledgeOptions),
        ("`passage`", shapes.PassageOptions),
        ("`tree`", shapes.TreeOptions),
    )
    rows = (
        (kind, f"`{name}`", f"`{info.default}`", info.description or "")
        for kind, model in groups
        for name, info in model.model_fields.items()
    )
    return _grid("kind, option, default, meaning", rows)


def _session(command: str, name: str) -> Iterator[str]:
    """Yield what `corpusgraph method` prints of a method."""
    method = load_method(name)
    yield from ("```console", f"$ corpusgraph method {command} {name}")
    if command == "show":
        lines: Iterable[str] = source_text(name).splitlines()
    elif command == "plan":
        lines = plan_lines(plan_method(method))
    else:
        lines = check_lines(method, check_method(method))
    yield from (line.rstrip() for line in lines)
    yield "```"


def _texts(_: str) -> Iterator[str]:
    yield from (f"- {name}: {text}" for name, text in TEXTS.items())


_MAKERS: dict[str, Callable[[str], Iterable[str]]] = {
    "tools": _tools,
    "tool": _tool,
    "texts": _texts,
    "keys": _keys,
    "units": _units,
    "measures": _measures,
    "methods": _methods,
    "about": _about,
    "options": _options,
    **{command: partial(_session, command) for command in ("show", "check", "plan")},
}
