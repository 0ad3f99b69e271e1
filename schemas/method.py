"""A retrieval method as data: a query step, a chain of tools with named results, and an answer."""

from typing import Any, Literal

from pydantic import Field, PositiveInt

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.base import Described, JsonDict, Noun
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.llm import TraceLine, Usage
from corpusgraph.schemas.results import DocumentFilter, Scored, ToolWarning

Extract = Literal["entities", "keywords"]
GraphKind = Literal["none", "tree", "passage", "kg", "tkg", "rkg"]


class GraphShape(Described):
    """The graph a method walks, made from the index when the method runs.

    `kg`: names and relationship types alone; `tkg`: with descriptions; `rkg`: with keywords too; `passage`:
    chunks as nodes; `tree`: chunks and summaries of clusters of them; `none`: no graph.
    """

    kind: GraphKind = "tkg"
    options: JsonDict = Field(default_factory=dict)
    """of the kind: synonym_edges, layers …"""


class Step(Described):
    """One call of a tool; `id` names its result. Values that start with `$` refer to earlier results.

    `$a or $b` is the first of them that holds something; `$$` at the start writes a dollar sign.
    """

    id: str
    tool: str
    inputs: JsonDict = Field(default_factory=dict)
    when: str | None = None
    """run only if: `$x` holds something, `not $x` nothing"""
    adapter: bool = False
    """inserted by the checker"""
    line: int | None = None
    """of the file, for messages"""


class Union(Described):
    """Results of one port as one list; an item in several keeps what `by` says."""

    id: str
    union: tuple[str, ...] = Field(min_length=1)
    by: Literal["max", "sum", "rrf", "first"] = "max"
    weights: tuple[float, ...] | None = None
    """of each list, before they are joined"""
    normalize: Literal["none", "minmax", "sum"] = "none"
    top_k: PositiveInt | None = None
    line: int | None = None


class Loop(Described):
    """Steps done again: for `each` item of a result, or for `rounds`, values carried on.

    Inside, `$item` is the item and `$<name>` a carried value. `collect` joins results over all rounds, and
    `$<loop id>.<name>` reads them afterwards.
    """

    id: str
    steps: "tuple[Node, ...]" = Field(min_length=1)
    each: str | None = None
    rounds: PositiveInt = 1
    carry: dict[str, Any] = Field(default_factory=dict)
    """name: value before the first round"""
    next: dict[str, str] = Field(default_factory=dict)
    """name: value after each round"""
    until: str | None = None
    """stop when this holds something, or `not $x` nothing"""
    collect: dict[str, str] = Field(default_factory=dict)
    """name: result to join over rounds"""
    line: int | None = None


Node = Step | Union | Loop


class Method(Described):
    """A published method, or one of the user's own. `method check` types it, `method plan` prices it."""

    method: str = Field(pattern=r"^[a-z0-9][a-z0-9_]*$")
    title: str = ""
    about: str = ""
    cite: str = ""
    aliases: tuple[str, ...] = ()
    graph: GraphShape = GraphShape()
    query: tuple[Extract, ...] = ()
    """what is extracted from the question first"""
    steps: tuple[Node, ...] = ()
    answer: JsonDict | None = Field(default_factory=dict)
    """arguments of generate_answer; None: retrieval alone"""
    adapt: bool = False
    """let the checker insert the tools a chain leaves out"""
    filter: DocumentFilter | None = None
    """see only documents whose fields are so"""
    source: str = ""
    """file the method was read from"""


IssueCode = Literal[
    "missing_input",
    "wrong_port",
    "unknown_tool",
    "unknown_parameter",
    "unknown_reference",
    "bad_value",
    "duplicate_name",
    "writing_tool",
]


class MethodIssue(Noun):
    """What is wrong with a method: where, what is missing, and which tools could provide it."""

    code: IssueCode
    step: str
    message: str
    hint: str | None = None
    line: int | None = None


class MethodCheck(Described):
    """Whether a method can run; `method` is the chain as it would run, adapters included."""

    method: Method
    ok: bool
    issues: tuple[MethodIssue, ...] = ()
    adapters: tuple[str, ...] = ()
    """what was inserted or converted, in words"""


class PlannedStep(Noun):
    """A step of a plan with what it reads and writes, and the most it may cost."""

    id: str
    does: str
    reads: tuple[str, ...] = ()
    writes: str = ""
    adapter: bool = False
    llm_calls: int = 0
    llm_tokens: int = 0


class MethodPlan(Noun):
    """The chain in order with what it will cost where a language model is configured."""

    method: str
    steps: tuple[PlannedStep, ...]
    llm_calls: int
    llm_tokens: int
    notes: tuple[str, ...] = ()


class MethodResult(Described):
    """What a method found for one question: every step's result, the answer, and what it cost."""

    method: str
    question: str
    results: dict[str, Any] = Field(default_factory=dict)
    """name of a step: its result"""
    answer: Answer | None = None
    """None for a method that only retrieves"""
    passages: tuple[Scored[Chunk], ...] = ()
    """the final ranking of passages"""
    entities: tuple[Scored[Entity], ...] = ()
    warnings: tuple[ToolWarning, ...] = ()
    trace: tuple[TraceLine, ...] = ()
    usage: Usage = Usage()
