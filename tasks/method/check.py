"""Type-check a method before anything runs: what names hold, ports, values; and wire what is unsaid."""

import re
from collections import ChainMap, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import MethodCheckError, did_you_mean
from corpusgraph.schemas.graph import Community, Entity, Graph, Path, Relationship
from corpusgraph.schemas.method import IssueCode, Loop, Method, MethodCheck, MethodIssue, Node, Step, Union
from corpusgraph.schemas.results import Table, ToolInput, spellings
from corpusgraph.tasks.graph.ranking import scored
from corpusgraph.tasks.registry import TOOLS, WRITTEN, Tool, find, find_tool, load

LISTS = {port: noun for noun, port in WRITTEN.items() if noun is not Graph}
"""Ports that hold a list of scored items -> the item."""

PARTS: dict[str, tuple[str, ...]] = {
    "paths": ("entities", "relationships"),
    "subgraph": ("entities", "relationships"),
}
"""Ports another port's items can be read from: `$tree.entities`. The checker does it by itself."""

TEXT, TEXTS, FLAG, VALUE = "text", "texts", "flag", "value"
"""Kinds that are no ports: a string, a list of them, true or false, and anything else."""


@dataclass(frozen=True)
class Kind:
    """What a name of a method holds: the port of a result, or a text, texts, a flag or another value.

    Attributes
    ----------
    port : str
        A port, or one of `TEXT`, `TEXTS`, `FLAG` and `VALUE`.
    output : Any
        The type behind it, where one is known.
    parts : mapping of str to Kind, optional
        The names below a query (`$query.entities`) or a loop (`$beam.triples`).

    """

    port: str
    output: Any = None
    parts: "Mapping[str, Kind] | None" = None

    def __str__(self) -> str:
        """Return the name a person reads."""
        return {TEXT: "a text", TEXTS: "a list of texts", FLAG: "true or false", VALUE: "a value"}.get(
            self.port, self.port
        )


def part_of(kind: Kind, name: str) -> Kind | None:
    """Return the kind of `$x.name`, or None where x has no such part.

    Parameters
    ----------
    kind : Kind
        The kind of x.
    name : str
        A part of it.

    Returns
    -------
    Kind or None
        Of what `$x.name` holds.

    """
    if kind.parts is not None:
        return kind.parts.get(name)
    if name in PARTS.get(kind.port, ()):
        return Kind(name)
    if name == "text" and (kind.port in LISTS or kind.port in {TEXT, TEXTS}):
        return Kind(TEXT)
    fields = _fields(kind.output)
    return kind_of(fields[name].annotation) if name in fields else None


def parts_of(kind: Kind) -> list[str]:
    """Return the names that can follow a reference to something of this kind.

    Parameters
    ----------
    kind : Kind
        What is referred to.

    Returns
    -------
    list of str
        In order.

    """
    if kind.parts is not None:
        return sorted(kind.parts)
    own = [*PARTS.get(kind.port, ()), *(["text"] if kind.port in LISTS else [])]
    return sorted({*own, *_fields(kind.output)})


def _fields(output: Any) -> Mapping[str, Any]:
    return output.model_fields if isinstance(output, type) and issubclass(output, BaseModel) else {}


def kind_of(annotation: Any) -> Kind:
    """Return the kind of a field by its type.

    Parameters
    ----------
    annotation : Any
        The type of a field.

    Returns
    -------
    Kind
        Of the port that a list or text of that type is written on; a value otherwise.

    """
    options = [a for a in get_args(annotation) if a is not type(None)]
    if get_origin(annotation) in {list, tuple}:
        if options[:1] == [str]:
            return Kind(TEXTS)
        item = options[0] if options else None
        port = next((port for port, noun in LISTS.items() if item in (noun, scored(noun))), VALUE)
        return Kind(port, annotation)
    if len(options) == 1 and type(None) in get_args(annotation):
        return kind_of(options[0])
    known = {str: TEXT, bool: FLAG, Graph: "subgraph", Table: "table"}
    bases = annotation.__mro__ if isinstance(annotation, type) else ()
    return Kind(next((known[base] for base in bases if base in known), VALUE), annotation)


OWN = frozenset(ToolInput.model_fields)
"""Fields of every tool that a method does not set."""


def bare(scored: Any) -> Any:
    """Return the noun in a scored item; of a link, the entity it leads to.

    Parameters
    ----------
    scored : Any
        A scored item, a link, or anything else.

    Returns
    -------
    Any
        The item itself where nothing is around it.

    """
    item = getattr(scored, "item", scored)
    return getattr(item, "entity", item)


def _sample(item: BaseModel) -> list[Any]:
    return [scored(type(item))(item=item, score=1.0, rank=1)]


SAMPLES: dict[str, Any] = {
    TEXT: "a text",
    TEXTS: ["a name", "a name too"],
    "entities": _sample(Entity(id="ent_1", name="a name", type="concept")),
    "relationships": _sample(Relationship(id="rel_1", source_id="ent_1", target_id="ent_0", type="causes")),
    "chunks": _sample(Chunk(id="chk_1", content="a text", source_doc="doc_0")),
    "communities": _sample(Community(id="com_1", entity_ids=("ent_1",), level=0)),
    "paths": _sample(Path(node_ids=("ent_1", "ent_0"), edge_ids=("rel_1",))),
}
"""What a result of a kind is like, to see whether a field takes such things."""


def names_of(tool: Tool) -> dict[str, str]:
    """Return every spelling of an argument -> its field; the fields that every tool has are left out.

    Parameters
    ----------
    tool : Tool
        A tool.

    Returns
    -------
    dict of str to str
        Aliases included.

    """
    return {name: field for name, field in spellings(tool.input).items() if field not in OWN}


@cache
def adapter(tool: str, field: str) -> TypeAdapter[Any]:
    """Return what validates one field of a tool.

    Parameters
    ----------
    tool : str
        Name of a tool.
    field : str
        Name of a field of its input.

    Returns
    -------
    pydantic.TypeAdapter
        With the limits and validators of the field.

    """
    return TypeAdapter(TOOLS[tool].input.model_fields[field].rebuild_annotation())


def takes(tool: str, field: str, value: Any) -> bool:
    """Tell whether a field takes a value.

    Parameters
    ----------
    tool : str
        Name of a tool.
    field : str
        Name of a field of its input.
    value : Any
        A value.

    Returns
    -------
    bool
        The other fields are not looked at.

    """
    try:
        adapter(tool, field).validate_python(value)
    except ValidationError:
        return False
    return True


def handed(tool: Tool, field: str, value: Any) -> Any:
    """Return a result as a field takes it: a text as a list of one, texts joined, no negative scores.

    Parameters
    ----------
    tool : Tool
        A tool.
    field : str
        Name of a field of its input.
    value : Any
        A text, texts, or scored items.

    Returns
    -------
    Any
        The value itself where the field takes it, or takes it in no form.

    """
    if takes(tool.name, field, value):
        return value
    if isinstance(value, str):
        other: Any = [value]
    elif all(isinstance(item, str) for item in value):
        other = ", ".join(value)
    else:
        return [item for item in value if getattr(item, "score", 0.0) >= 0]
    return other if takes(tool.name, field, other) else value


_NAME = r"\$[A-Za-z_]\w*(?:\.\w+)*"
_ANY = re.compile(rf"{_NAME}(?:\s+or\s+{_NAME})*\Z")
_CONDITION = re.compile(rf"(not\s+)?({_NAME})\Z")


Reference = tuple[str, ...]
"""A name and the parts of it asked for: `$query.keywords.low` is query, keywords, low."""


def is_reference(value: Any) -> bool:
    """Tell whether a value of a method refers to something; `$$` writes a dollar sign.

    Parameters
    ----------
    value : Any
        A value as a method writes it.

    Returns
    -------
    bool
        False for what is no text.

    """
    return isinstance(value, str) and value.startswith("$") and not value.startswith("$$")


def literal(value: Any) -> Any:
    """Return a value that refers to nothing as it is meant.

    Parameters
    ----------
    value : Any
        A value as a method writes it.

    Returns
    -------
    Any
        The same, but for a text that begins with `$$`, which loses one of the two.

    """
    return value[1:] if isinstance(value, str) and value.startswith("$$") else value


def parsed(text: str) -> tuple[Reference, ...]:
    """Return the references of `$a` or `$a or $b …`, the first of which that holds something counts.

    Parameters
    ----------
    text : str
        References as a method writes them.

    Returns
    -------
    tuple of (tuple of str)
        Empty for what is no reference.

    """
    words = text.split() if _ANY.match(text) else ()
    return tuple(tuple(word[1:].split(".")) for word in words if word != "or")


def condition(text: str) -> tuple[Reference, bool] | None:
    """Return what a condition, `$x` or `not $x`, refers to, and whether that has to hold something.

    Parameters
    ----------
    text : str
        A condition as a method writes it.

    Returns
    -------
    (tuple of str, bool), or None
        None for what is no condition; False for `not`.

    """
    found = _CONDITION.match(text.strip())
    return (tuple(found[2][1:].split(".")), not found[1]) if found else None


def references_in(value: Any) -> Iterator[str]:
    """Yield every reference inside a value, as it is written.

    Parameters
    ----------
    value : Any
        A value as a method writes it, lists and mappings too.

    Yields
    ------
    str
        In the order written, at any depth.

    """
    if is_reference(value):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from references_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from references_in(inner)


_STEP_NAME = re.compile(r"[A-Za-z_]\w*\Z")
RESERVED = ("q", "query", "item")
"""Names a step cannot have."""


@dataclass(frozen=True)
class Earlier:
    """An earlier result that a step can read.

    Attributes
    ----------
    reference : str
        How to refer to it.
    kind : Kind
    conditional : bool
        Whether it may have been left out by `when`.

    """

    reference: str
    kind: Kind
    conditional: bool = False


@dataclass
class Scope:
    """Names of one list of steps, and those around it.

    Attributes
    ----------
    names : ChainMap of str to Kind
        Names of this list before those around it.
    order : list of Earlier
        Results that can be read, the first first.

    """

    names: ChainMap[str, Kind]
    order: list[Earlier] = field(default_factory=list)

    def add(self, name: str, kind: Kind, *, conditional: bool = False) -> None:
        """Add a result.

        Parameters
        ----------
        name : str
            Name of the result.
        kind : Kind
            What it holds.
        conditional : bool
            Whether it may be left out.

        """
        self.names[name] = kind
        self.order.append(Earlier(f"${name}", kind, conditional))

    def ports(self) -> set[str]:
        """Return the ports of the results.

        Returns
        -------
        set of str
            Texts and values too.

        """
        return {earlier.kind.port for earlier in self.order}


def asks(node: Node) -> bool:
    """Tell whether a step may ask a language model; a loop does where a step of it does.

    Parameters
    ----------
    node : Step, Union or Loop
        A part of a method.

    Returns
    -------
    bool
        Whether a model is asked is decided when it runs.

    """
    if isinstance(node, Loop):
        return any(asks(inner) for inner in node.steps)
    tool = find_tool(node.tool) if isinstance(node, Step) else None
    return tool is not None and "llm" in tool.ports


def apart(loop: Loop) -> bool:
    """Tell whether a loop's rounds, each for an item, know nothing of each other.

    Parameters
    ----------
    loop : Loop
        A loop.

    Returns
    -------
    bool
        They may then be run side by side.

    """
    return loop.each is not None and not loop.next and loop.until is None


QUERY = "query"
"""Where a chain starts that has nothing yet: the question."""
SHOWN = 6
"""Tools that a hint names."""


class Bridge(NamedTuple):
    """A tool that makes one port of another.

    Attributes
    ----------
    reads, writes : str
        Ports.
    tool : str
        Its name.
    inputs : mapping of str to int
        What it is told beside what it reads.

    """

    reads: str
    writes: str
    tool: str
    inputs: Mapping[str, int] = MappingProxyType({})


BRIDGES = (
    Bridge("entities", "relationships", "relationship_score_aggregate"),
    Bridge("relationships", "entities", "entity_relnode_extract"),
    Bridge("relationships", "chunks", "chunk_score_aggregate"),
    Bridge("entities", "chunks", "chunk_entity_occurrence", {"min_entities": 1}),
    Bridge("entities", "communities", "community_by_entities"),
    Bridge("entities", "paths", "subgraph_khop_paths", {"k": 2}),
    Bridge("entities", "subgraph", "subgraph_steiner_tree"),
    Bridge(QUERY, "entities", "entity_vdb_search", {"threshold": 0}),
    Bridge(QUERY, "relationships", "relationship_vdb_search"),
    Bridge(QUERY, "chunks", "chunk_vdb_search"),
)


def chain(start: str, goal: str) -> tuple[Bridge, ...] | None:
    """Return the shortest chain of tools from one port to another; of equals the first in BRIDGES.

    Empty where what is written on `start` holds what is wanted (a subgraph has entities); None where no
    chain leads there.

    Parameters
    ----------
    start, goal : str
        Ports; `query` is the question.

    Returns
    -------
    tuple of Bridge, or None
        In the order in which they run.

    """
    found: dict[str, tuple[Bridge, ...]] = {start: ()}
    waiting = deque([start])
    tools = load()
    while waiting:
        port = waiting.popleft()
        if port == goal:
            return found[port]
        for part in reversed(PARTS.get(port, ())):
            if part not in found:
                found[part] = found[port]
                waiting.appendleft(part)
        for bridge in BRIDGES:
            if bridge.reads == port and bridge.writes not in found and bridge.tool in tools:
                found[bridge.writes] = (*found[port], bridge)
                waiting.append(bridge.writes)
    return None


def could_write(port: str, there: Collection[str]) -> str:
    """Return a hint: the tools that can write a port from what is there, else all that write it.

    Parameters
    ----------
    port : str
        The port that is wanted.
    there : collection of str
        Ports of earlier results.

    Returns
    -------
    str
        At most `SHOWN` names, those that write the port itself first.

    """
    sources = {port, *(other for other, parts in PARTS.items() if port in parts)}
    tools = [tool for tool in load().values() if tool.writes in sources]
    # the ports a tool cannot do without; another required input is one that no step writes
    needs = {
        tool.name: {tool.reads.get(n, n) for n, info in tool.input.model_fields.items() if info.is_required()}
        for tool in tools
    }
    ready = [tool for tool in tools if needs[tool.name] <= {*there, QUERY}]
    names = [tool.name for tool in sorted(ready or tools, key=lambda tool: tool.writes != port)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    which = "from here" if ready else "at all"
    return f"Tools that write {port} {which}: {', '.join(names[:SHOWN])}{more}."


def turning(start: str, goal: str) -> str | None:
    """Return a hint that names the tools between two ports, or None where none are.

    Parameters
    ----------
    start, goal : str
        Ports.

    Returns
    -------
    str or None
        Such as "a then b".

    """
    return " then ".join(bridge.tool for bridge in chain(start, goal) or ()) or None


Problem = tuple[IssueCode, str, str | None]
"""Code of an issue, message and hint."""


def value_problems(tool: Tool, inputs: Mapping[str, Any], kinds: Mapping[str, Kind]) -> Iterator[Problem]:
    """Yield what is wrong with the values of a step; `kinds` are the fields that refer to results.

    The tool's own model validates them, beside samples of what those fields will be given. Where a sample
    cannot be made, what the model says about fields together is left to the run.

    Parameters
    ----------
    tool : Tool
        The tool of the step.
    inputs : mapping of str to Any
        Values as the method writes them.
    kinds : mapping of str to Kind
        Fields that refer to results -> what these are.

    Yields
    ------
    tuple of (str, str, str or None)
        Code of an issue, message and hint.

    """
    given = {name: literal(value) for name, value in inputs.items() if name not in kinds}
    known = {n: handed(tool, n, SAMPLES[kind.port]) for n, kind in kinds.items() if kind.port in SAMPLES}
    try:
        tool.input.model_validate({**given, **known})
    except ValidationError as error:
        for problem in error.errors(include_url=False):
            field = names_of(tool).get(str(problem["loc"][0]), "") if problem["loc"] else ""
            if field in kinds or (not field and len(known) < len(kinds)):
                continue
            if problem["type"] == "missing":
                about = tool.input.model_fields[field].description
                yield "missing_input", f"{tool.name} needs {field}", about
                continue
            said = problem["msg"].removeprefix("Value error, ")
            where = f"{tool.name}.{field}" if field else tool.name
            written = f", not {inputs[field]!r}" if field in inputs else ""
            yield "bad_value", f"{where}: {said[0].lower()}{said[1:]}{written}", None


@dataclass
class Wiring:
    """Wires the inputs of one step; the steps that have to be put in front of it are in `before`.

    Attributes
    ----------
    checker : _Checker
        Issues and adapters are added to it, and names of inserted steps to those taken.
    step : Step
        As written.
    tool : Tool
        Its tool.
    scope : Scope
        The names that it can refer to; inserted steps are added.
    all_ports : bool
        Wire every optional input that a result is there for, as the answer does.

    """

    checker: "_Checker"
    step: Step
    tool: Tool
    scope: Scope
    all_ports: bool = False
    before: list[Step] = field(default_factory=list)
    kinds: dict[str, Kind] = field(default_factory=dict)
    inputs: JsonDict = field(default_factory=dict)

    def done(self) -> tuple[Step, list[Step]]:
        """Return the step as it would run, and the steps inserted before it.

        Returns
        -------
        tuple of Step and list of Step
            Those inserted are adapters; what is wrong is among the issues.

        """
        names = names_of(self.tool)
        for written, value in self.step.inputs.items():
            field = names.get(written)
            if field is None:
                self._unknown(written, names)
            elif field in self.inputs:
                self._issue("bad_value", f"{field} is given twice")
            else:
                self.inputs[field] = self._given(field, value)
        for field in self._missing():
            self._wire(field)
        for code, message, hint in value_problems(self.tool, self.inputs, self.kinds):
            self._issue(code, message, hint)
        return self.step.model_copy(update={"inputs": self.inputs}), self.before

    def _issue(self, code: IssueCode, message: str, hint: str | None = None) -> None:
        self.checker.issue(code, self.step, message, hint)

    def _unknown(self, written: str, names: dict[str, str]) -> None:
        hint = did_you_mean(written, list(names)) or f"It takes {', '.join(sorted(set(names.values())))}."
        if written in OWN:
            hint = "That is set for the whole method, not in a step."
        self._issue("unknown_parameter", f"{self.tool.name} has no input {written!r}", hint)

    def _given(self, field: str, value: Any) -> Any:
        """Check a value as written; return it with conversions made."""
        if is_reference(value):
            return self._reference(field, value)
        if isinstance(value, list) and any(is_reference(inner) for inner in value):
            return [self._reference(field, inner) if is_reference(inner) else inner for inner in value]
        for inner in references_in(value):
            self._kind(inner)
            self.kinds[field] = Kind(VALUE)
        return value

    def _kind(self, written: str) -> Kind | None:
        """Return the kind of `$a or $b …`; what is wrong with it is told."""
        kinds = self.checker.kinds(self.step, written, self.scope)
        if len({kind.port for kind in kinds} - {VALUE}) > 1:
            told = " and ".join(str(kind) for kind in kinds)
            self._issue("wrong_port", f"{written} are {told}: one list cannot be either")
        return kinds[0] if kinds else None

    def _reference(self, field: str, written: str) -> str:
        kind = self._kind(written)
        self.kinds.setdefault(field, Kind(VALUE))
        if kind is None or (kind.port == VALUE and kind.parts is None):
            return written
        if self._fits(field, kind):
            self.kinds[field] = kind
            return written
        reads = self.tool.reads.get(field)
        if reads in PARTS.get(kind.port, ()) and " " not in written:
            return self._converted(field, Earlier(written, kind), str(reads))
        if reads and self.checker.method.adapt and " " not in written and (found := chain(kind.port, reads)):
            return self._insert(field, found, Earlier(written, kind))
        self._misfit(field, written, kind, reads)
        return written

    def _fits(self, field: str, kind: Kind) -> bool:
        """Tell whether the field takes results of a kind; texts in whatever form (see `handed`)."""
        if kind.port in {TEXT, TEXTS}:
            return takes(self.tool.name, field, handed(self.tool, field, SAMPLES[kind.port]))
        return kind.parts is None and kind.port in {VALUE, self.tool.reads.get(field, FLAG)}

    def _misfit(self, field: str, written: str, kind: Kind, reads: str | None) -> None:
        message = f"{self.tool.name}.{field} reads {reads or 'a value of its own'}, {written} is {kind}"
        if kind.port == "loop":
            hint: str | None = f"It has {', '.join(f'{written}.{part}' for part in kind.parts or ())}."
        elif reads and (between := turning(kind.port, reads)):
            hint = f"{between} makes {reads} of {kind}."
        elif reads:
            hint = could_write(reads, self.scope.ports())
        else:
            parts = ", ".join(f"{written}.{part}" for part in parts_of(kind))
            told = f"It has {parts}." if parts else None
            told = f"{written}.text is its text." if kind.port in LISTS else told
            hint = None if " " in written else told
        self._issue("wrong_port", message, hint)

    def _converted(self, field: str, source: Earlier, part: str) -> str:
        self.kinds[field] = Kind(part)
        self.checker.adapters.append(
            f"{self.step.id}: {field} are the {part} of {source.reference} ({source.kind})"
        )
        return f"{source.reference}.{part}"

    def _missing(self) -> list[str]:
        """Return the fields to be wired: required ones that are not given; for the answer all that read.

        A tool that requires nothing of what it reads, and is given nothing, reads the first there is.
        """
        fields = self.tool.input.model_fields
        required = [name for name, info in fields.items() if info.is_required() and name not in self.inputs]
        optional = [n for n in self.tool.reads if n not in self.inputs and n not in required]
        reading = set(self.tool.reads) & {*required, *self.inputs}
        if self.all_ports:
            latest = {n: earlier[0].kind.port for n in optional if (earlier := self._latest(n))}
            return required + [n for n in optional if latest.get(n) == self.tool.reads[n]]
        if reading or not self.tool.reads or any(info.is_required() for info in fields.values()):
            return required
        if "query" in self.inputs:
            return []
        known = [name for name in optional if self._latest(name)][:1]
        if known or "query" in fields:
            return known or ["query"]
        return optional[:1] if any(value_problems(self.tool, self.inputs, self.kinds)) else []

    def _wire(self, field: str) -> None:
        reads = self.tool.reads.get(field)
        if reads is None:
            if field == "query":
                self.inputs[field] = "$q"
                self.kinds[field] = Kind("text")
            return
        if found := self._latest(field):
            if found[0].kind.port == reads:
                self.inputs[field] = " or ".join(earlier.reference for earlier in found)
                self.kinds[field] = found[0].kind
            else:
                self.inputs[field] = self._converted(field, found[0], reads)
            return
        source, bridges = self._bridge(reads)
        if bridges and self.checker.method.adapt:
            self.inputs[field] = self._insert(field, bridges, source)
        else:
            self.kinds[field] = Kind(VALUE)
            between = " then ".join(bridge.tool for bridge in bridges)
            hint = could_write(reads, self.scope.ports())
            hint += f" `adapt: true` puts in {between}." if between else ""
            message = f"{self.tool.name} needs {reads} ({field}), and no step before writes them"
            self._issue("missing_input", message, hint)

    def _latest(self, field: str) -> list[Earlier]:
        """Return the latest result that fits; where it may be left out, those before it too."""
        found: list[Earlier] = []
        reads = self.tool.reads[field]
        for earlier in reversed(self.scope.order):
            if earlier.kind.port == reads and self._fits(field, earlier.kind):
                found.append(earlier)
                if not earlier.conditional:
                    break
        if found:
            return found
        return [e for e in reversed(self.scope.order) if reads in PARTS.get(e.kind.port, ())][:1]

    def _bridge(self, port: str) -> tuple[Earlier | None, tuple[Bridge, ...]]:
        """Return the earlier result with the shortest chain to a port, the latest of equals; else $q."""
        ways = [(e, found) for e in reversed(self.scope.order) if (found := chain(e.kind.port, port))]
        return min(ways, key=lambda way: len(way[1]), default=(None, chain(QUERY, port) or ()))

    def _insert(self, field: str, bridges: tuple[Bridge, ...], source: Earlier | None) -> str:
        """Put tools before the step; return the reference to what the last of them writes."""
        reference = source.reference if source else "$q"
        port = source.kind.port if source else QUERY
        for bridge in bridges:
            tool = TOOLS[bridge.tool]
            name = self._free(bridge.tool)
            if bridge.reads in PARTS.get(port, ()):
                reference = f"{reference}.{bridge.reads}"
            fields = tool.input.model_fields
            able = [n for n, port in tool.reads.items() if port == bridge.reads] or ["query"]
            reading = min(able, key=lambda name: not fields[name].is_required())  # a required one first
            inputs = {reading: reference, **bridge.inputs}
            if "query" in fields and fields["query"].is_required():
                inputs["query"] = "$q"
            self.before.append(
                Step(id=name, tool=tool.name, inputs=inputs, adapter=True, line=self.step.line)
            )
            self.scope.add(name, Kind(tool.writes, tool.output))
            told = "the question" if reference == "$q" else reference
            self.checker.adapters.append(f"{self.step.id}: {tool.name} makes {tool.writes} of {told}")
            reference, port = f"${name}", bridge.writes
        self.kinds[field] = Kind(port)
        return reference

    def _free(self, name: str) -> str:
        made, number = name, 1
        while made in self.checker.taken:
            number += 1
            made = f"{name}_{number}"
        self.checker.taken.add(made)
        return made


EXTRACTORS = {"entities": "query_extract_entities", "keywords": "query_extract_keywords"}
"""What is extracted -> the tool that does it."""


def kind_of_query(wanted: Iterable[str]) -> Kind:
    """Return the kind of `$query`, with the parts that a method asks for.

    Parameters
    ----------
    wanted : iterable of str
        entities, keywords.

    Returns
    -------
    Kind
        Without parts where nothing is asked for.

    """
    parts: dict[str, Kind] = {}
    for what in wanted:
        whole = Kind("query", find(EXTRACTORS[what]).output)
        if what == "keywords":
            parts["keywords"] = whole
        else:
            parts |= {name: part_of(whole, name) or Kind(TEXTS) for name in parts_of(whole)}
    return Kind("what is read out of the question", parts=parts)


def check_method(method: Method) -> MethodCheck:
    """Check a method against the tools there are; the result's method is the chain as it would run.

    What is required and not given is wired to the latest earlier result on its port, a required `query` to
    the question. With `adapt`, tools that are left out are inserted.

    Parameters
    ----------
    method : Method
        As its file has it.

    Returns
    -------
    MethodCheck
        With every issue; `ok` where there is none.

    """
    checker = _Checker(method)
    steps = checker.whole()
    return MethodCheck(
        method=method.model_copy(update={"steps": tuple(steps), "answer": None}),
        ok=not checker.issues,
        issues=tuple(checker.issues),
        adapters=tuple(checker.adapters),
    )


def checked(method: Method) -> MethodCheck:
    """Return the check of a method that can run.

    Parameters
    ----------
    method : Method
        As its file has it.

    Returns
    -------
    MethodCheck
        With steps wired and adapters inserted.

    Raises
    ------
    MethodCheckError
        With every issue, one a line, for one that cannot run.

    """
    check = check_method(method)
    if not check.ok:
        lines = [issue_line(method, issue) for issue in check.issues]
        raise MethodCheckError(f"The method {method.method} cannot run:\n" + "\n".join(lines))
    return check


def issue_line(method: Method, issue: MethodIssue) -> str:
    """Return an issue as a line: file, line, step, what is wrong, what could be done.

    Parameters
    ----------
    method : Method
        The method.
    issue : MethodIssue
        An issue of its check.

    Returns
    -------
    str
        Without a line feed.

    """
    where = ":".join(str(part) for part in (method.source, issue.line) if part)
    hint = f" {issue.hint}" if issue.hint else ""
    step = "" if issue.message.startswith(issue.step) else f"{issue.step}: "
    return f"{where + ': ' if where else ''}{step}{issue.message}.{hint}"


class _Checker:
    """Walks the steps of one method in order, and gathers what is wrong and what is inserted."""

    def __init__(self, method: Method) -> None:
        self.method = method
        self.issues: list[MethodIssue] = []
        self.adapters: list[str] = []
        self.taken = set(_ids(method.steps))
        self.seen: set[str] = set()

    def whole(self) -> list[Node]:
        """Check the query step, the steps and the answer."""
        scope = Scope(ChainMap({"q": Kind(TEXT), "query": kind_of_query(self.method.query)}))
        steps = self.nodes(self.method.steps, scope)
        if self.method.answer is not None:
            name = "answer" if "answer" not in self.taken else "final_answer"
            answer = Step(id=name, tool="generate_answer", inputs=self.method.answer)
            steps += self.step(answer, scope, all_ports=True)
        return steps

    def nodes(self, nodes: Sequence[Node], scope: Scope) -> list[Node]:
        made: list[Node] = []
        for node in nodes:
            self.name(node)
            if isinstance(node, Step):
                made += self.step(node, scope)
            elif isinstance(node, Union):
                self.union(node, scope)
                made.append(node)
            else:
                made.append(self.loop(node, scope))
        return made

    def issue(self, code: IssueCode, node: Node, message: str, hint: str | None = None) -> None:
        self.issues.append(MethodIssue(code=code, step=node.id, message=message, hint=hint, line=node.line))

    def name(self, node: Node) -> None:
        if node.id in self.seen:
            self.issue("duplicate_name", node, f"two steps are named {node.id}", "Name one with `as:`.")
        elif node.id in RESERVED or not _STEP_NAME.match(node.id):
            self.issue("bad_value", node, f"a step cannot be named {node.id!r}", "Name it with `as:`.")
        self.seen.add(node.id)

    def step(self, step: Step, scope: Scope, *, all_ports: bool = False) -> list[Node]:
        self.condition(step, step.when, "when", scope)
        tool = find_tool(step.tool)
        if tool is None:
            hint = did_you_mean(step.tool, list(load())) or "`corpusgraph tools` lists them."
            self.issue("unknown_tool", step, f"there is no tool {step.tool!r}", hint)
            scope.add(step.id, Kind(VALUE))
            return [step]
        if tool.effect != "reads":
            hint = f"Call it on its own: `corpusgraph tool {tool.name}`."
            self.issue("writing_tool", step, f"{tool.name} changes the index, and a question must not", hint)
        named = step.model_copy(update={"tool": tool.name})
        made, before = Wiring(self, named, tool, scope, all_ports).done()
        scope.add(step.id, Kind(tool.writes, tool.output), conditional=step.when is not None)
        return [*before, made]

    def condition(self, node: Node, text: str | None, key: str, scope: Scope) -> None:
        if text is None:
            return
        if (found := condition(text)) is None:
            hint = "It is `$x` (x holds something) or `not $x`."
            self.issue("bad_value", node, f"{key} cannot be {text!r}", hint)
        else:
            self.referred(node, found[0], scope, key)

    def kinds(self, node: Node, text: Any, scope: Scope, key: str = "") -> list[Kind]:
        """Return the kinds of `$a or $b …`; where one has none, that is told, and none are returned."""
        references = parsed(text) if isinstance(text, str) else ()
        if not references:
            code: IssueCode = "bad_value" if key else "unknown_reference"
            how = "Write `$name`, `$name.part` or `$a or $b`; `$$` writes a dollar sign."
            self.issue(code, node, f"{f'{key}: ' if key else ''}{text!r} is no reference", how)
        found: list[Kind] = []
        for reference in references:
            if (kind := self.referred(node, reference, scope, key)) is None:
                return []
            found.append(kind)
        return found

    def referred(self, node: Node, reference: Reference, scope: Scope, key: str = "") -> Kind | None:
        """Return the kind of a reference; where it has none, that is told."""
        name, *parts = reference
        where, so_far, kind = f"{key}: " if key else "", f"${name}", scope.names.get(name)
        if kind is None:
            known = [f"${other}" for other in scope.names]
            near = did_you_mean(so_far, known) or f"Known here: {', '.join(sorted(known))}."
            self.issue("unknown_reference", node, f"{where}nothing before is named {so_far}", near)
            return None
        for part in parts:
            if (inner := part_of(kind, part)) is None:
                there = parts_of(kind)
                hint = did_you_mean(part, there) or (f"It has {', '.join(there)}." if there else None)
                if so_far == "$query":
                    hint = "Name what is extracted from the question: `query: [entities]` or `[keywords]`."
                self.issue("unknown_reference", node, f"{where}{so_far} ({kind}) has no part {part!r}", hint)
                return None
            kind, so_far = inner, f"{so_far}.{part}"
        return kind

    def kind(self, node: Node, text: Any, key: str, scope: Scope) -> Kind | None:
        """Return the kind of a reference in a union or loop."""
        return next(iter(self.kinds(node, text, scope, key)), None)

    def union(self, union: Union, scope: Scope) -> None:
        kinds = [self.kind(union, text, "union", scope) for text in union.union]
        ports = [kind.port for kind in kinds if kind is not None]
        if len(set(ports)) > 1:
            told = ", ".join(f"{text} {kind}" for text, kind in zip(union.union, kinds, strict=True))
            self.issue("wrong_port", union, f"a union joins results of one port, not {told}")
        elif ports and ports[0] not in {*LISTS, TEXTS, VALUE}:
            self.issue("wrong_port", union, f"a union joins lists, and {union.union[0]} is {kinds[0]}")
        if union.weights is not None and len(union.weights) != len(union.union):
            self.issue("bad_value", union, f"{len(union.weights)} weights for {len(union.union)} results")
        scope.add(union.id, next((kind for kind in kinds if kind is not None), Kind(VALUE)))

    def loop(self, loop: Loop, scope: Scope) -> Loop:
        inner = Scope(scope.names.new_child(), [*scope.order])
        for name, value in loop.carry.items():
            kind = self.kind(loop, value, f"carry.{name}", scope) if is_reference(value) else Kind(VALUE)
            self.inside(loop, name, kind or Kind(VALUE), inner)
        if loop.each is not None:
            self.inside(loop, "item", self.item(loop, loop.each, scope), inner)
        steps = self.nodes(loop.steps, inner)
        for name, text in loop.next.items():
            self.carried(loop, name, self.kind(loop, text, f"next.{name}", inner), inner)
        self.condition(loop, loop.until, "until", inner)
        parts = {name: self.kind(loop, text, f"collect.{name}", inner) for name, text in loop.collect.items()}
        texts = {TEXT: Kind(TEXTS)}
        kinds = {n: texts.get(kind.port, kind) if kind else Kind(VALUE) for n, kind in parts.items()}
        scope.names[loop.id] = Kind("loop", parts=kinds)
        scope.order += [Earlier(f"${loop.id}.{name}", kind) for name, kind in kinds.items()]
        return loop.model_copy(update={"steps": tuple(steps)})

    def inside(self, loop: Loop, name: str, kind: Kind, inner: Scope) -> None:
        if name != "item" and (name in RESERVED or not _STEP_NAME.match(name) or name in self.taken):
            self.issue("duplicate_name", loop, f"a loop cannot carry {name!r}: the name is taken")
        inner.add(name, kind)

    def item(self, loop: Loop, text: str, scope: Scope) -> Kind:
        kind = self.kind(loop, text, "each", scope)
        if kind is None or kind.port == VALUE:
            return Kind(VALUE)
        if kind.port == TEXTS:
            return Kind(TEXT)
        if kind.port not in LISTS:
            self.issue("wrong_port", loop, f"each goes over a list, and {text} is {kind}")
        return kind

    def carried(self, loop: Loop, name: str, kind: Kind | None, inner: Scope) -> None:
        before = inner.names.get(name) if name in loop.carry else None
        if before is None:
            hint = did_you_mean(name, list(loop.carry)) or "Give it a first value under `carry`."
            self.issue("unknown_reference", loop, f"next.{name}: {name} is not carried", hint)
        elif kind is not None and VALUE not in {before.port, kind.port} and before.port != kind.port:
            self.issue("wrong_port", loop, f"next.{name} is {kind}, and carry.{name} {before}")


def _ids(nodes: Sequence[Node]) -> list[str]:
    inner = [id_ for node in nodes if isinstance(node, Loop) for id_ in _ids(node.steps)]
    return [*(node.id for node in nodes), *inner]


@dataclass(frozen=True)
class Feed:
    """Whether one tool's result can be another's input.

    Attributes
    ----------
    ok : bool
    reason : str
        How, or why not, in words.
    field : str, optional
        The field that reads it.
    part : str, optional
        What of the result is read, where it is not the result itself: `$tree.entities`.

    """

    ok: bool
    reason: str
    field: str | None = None
    part: str | None = None


def feeds(first: Tool, second: Tool) -> Feed:
    """Tell whether `second` can read what `first` writes: it reads the port, or a part of it.

    Parameters
    ----------
    first, second : Tool
        Two tools, in order.

    Returns
    -------
    Feed
        Whether it does, why or why not, and the field that reads.

    """
    writing = next((tool.name for tool in (first, second) if tool.effect != "reads"), None)
    if writing is not None:
        return Feed(False, f"{writing} changes the index, and a question must not")
    for name in sorted(second.reads, key=lambda name: name != first.writes):
        if second.reads[name] == first.writes:
            return Feed(True, f"{second.name}.{name} reads {first.writes}", name)
    for name, port in second.reads.items():
        if port in PARTS.get(first.writes, ()):
            return Feed(True, f"{second.name}.{name} reads the {port} of its {first.writes}", name, port)
    return Feed(False, _why_not(first, second))


def _why_not(first: Tool, second: Tool) -> str:
    if not second.reads:
        start = "the question" if "query" in second.input.model_fields else "what the caller gives"
        return f"{second.name} reads no result of another tool: it starts from {start}"
    ports = dict.fromkeys(second.reads.values())
    if not any(first.writes in tool.reads.values() for tool in load().values()) and first.writes not in PARTS:
        return f"{first.name} ends a chain: no tool reads {first.writes}"
    reason = f"{second.name} reads {' and '.join(ports)}, {first.name} writes {first.writes}"
    between = next((found for port in ports if (found := turning(first.writes, port))), None)
    ending = f"; {between} stands between them" if between else ", and no tool turns one into the other"
    return reason + ending


def matrix(tools: Iterable[Tool]) -> Mapping[tuple[str, str], Feed]:
    """Return the relation of every ordered pair of tools, by their names.

    Parameters
    ----------
    tools : iterable of Tool
        Tools.

    Returns
    -------
    mapping of (str, str) to Feed
        (first, second) -> whether the second can read the first.

    """
    listed = list(tools)
    return {(a.name, b.name): feeds(a, b) for a in listed for b in listed}
