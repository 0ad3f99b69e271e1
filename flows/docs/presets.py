"""The page on retrieval methods, made from the presets: docs/presets.md."""

from collections.abc import Iterator, Sequence

from corpusgraph.flows.docs.plans import plan_lines
from corpusgraph.flows.methods import all_methods, load_method, source_text
from corpusgraph.schemas.method import Loop, Method, Node, Union
from corpusgraph.tasks.method.check import check_method, issue_line
from corpusgraph.tasks.method.plan import plan_method
from corpusgraph.tasks.method.shapes import KnowledgeOptions, Options, PassageOptions, TreeOptions

INTRODUCTION = """\
A method is data: a graph, a chain of tools with named results, and an answer. These come with the
package; a path of a file of your own works wherever a name does. Made by `make docs`; the tests fail
when it is not current.

```console
$ corpusgraph method list
$ corpusgraph ask "Did contaminated water cause cholera?" --method hipporag
```

Every one runs without a language model: what would call one has an offline stand-in, and says so in the
warning `no_llm`. Numbers are those of the paper or its code where they are published. `seed_…` are
chains that cannot run, kept to show why; [see below](#the-three-example-chains)."""

SHAPES = """\
## Graphs

`graph:` names the graph that a method walks. It is made from the index when the method first asks for
it, and kept for as long as the index is open.

| kind | what it is |
|---|---|
| `tkg` | the index as it is: entities and relationships with descriptions |
| `kg` | names, and types of relationships, alone: nothing else is seen or searched |
| `rkg` | `tkg` with keywords on relationships: their own, or words of type and description |
| `passage` | chunks as nodes, edges between those that share entities |
| `tree` | chunks, summaries of clusters of them, summaries of clusters of those |
| `none` | chunks alone |

Synonyms are found by spelling (cosine of groups of 2 to 4 letters), which is the weight of their edge;
no passage states it. The weight of an edge between passages is the sum of 1 / ln(chunks of the entity)
over the entities that both name (Adamic & Adar 2003).

A tree reduces vectors by principal components (RAPTOR: UMAP) and fits Gaussian mixtures with diagonal
covariances, as many components as the Bayesian information criterion wants, first to the whole, then
inside each cluster. Summaries are the sentences most like the cluster as a whole. entity_vdb_search
searches all layers at once, and a summary leads to the passages below it.

Options stand beside `kind`, as in `graph: {kind: kg, synonym_edges: {threshold: 0.8, top_k: 10}}`:"""

OWN = """\
## Writing one

A file has the name, the graph, the steps and the answer. Each step is a tool with its arguments and may
be named with `as:`. `$q` is the question; `$name` a result; `$query.entities` and `$query.keywords.low`
or `.high` what `query: [entities, keywords]` reads out of the question; `$a or $b` the first that holds
something. An input that reads what an earlier step wrote, and is not given, is wired to the latest
result of its kind. `when: $x` or `when: not $x` runs a step only if x holds something, or nothing.
`union:` joins results, by `max`, `sum`, `rrf` or `first`; `loop:` repeats steps, `each` over a list
with `$item`, or in `rounds` that `carry` values on. With `adapt: true` the checker puts in tools that a
chain leaves out."""

ANSWER = """\
The arguments under `answer:` are those of [generate_answer](tools.md#generate_answer); what is not
given is wired to the latest results, and `answer: none` only retrieves. An argument set to `null` is
left out of what is read."""

SEEDS = """\
## The three example chains

Three chains stood at the start of this project. As they were written none can run, and the check says
why. The method beside each, with `adapt: true`, has the tools put in that are missing (marked +); the
published methods are `hipporag`, `fast_graphrag`, and `llightrag`, `glightrag` and `hlightrag`.

- `seed_hipporag` scores passages by relationships that nothing has scored, and has no PageRank.
- `seed_fast_graphrag` starts with a PageRank that has no seeds.
- `seed_light_rag` reads the ends of relationships before it looks for relationships; in the right order it is
  `glightrag` alone."""

SEED = "seed_"


def presets_page() -> str:
    """Return docs/presets.md; every output in it is that of the program."""
    methods = all_methods()
    lines = ["# Retrieval methods", "", INTRODUCTION, "", *_table(methods), "", "## What each does", ""]
    lines += [f"- **{method.method}** ({method.title}). {method.about}" for method in methods]
    lines += [
        "",
        SHAPES,
        "",
        *_options(),
        "",
        OWN,
        "",
        *_session("show", "vanilla_rag", source_text("vanilla_rag").splitlines()),
    ]
    lines += ["", "`method check` types the chain, and `method plan` says what it will do and cost:", ""]
    lines += [*_session("check", "vanilla_rag", _checked(load_method("vanilla_rag"))), ""]
    lines += [
        *_session("plan", "glightrag", plan_lines(plan_method(load_method("glightrag")))),
        "",
        ANSWER,
        "",
        SEEDS,
    ]
    for name in ("hipporag", "fast_graphrag", "light_rag"):
        written, adapted = load_method(f"{SEED}{name}"), load_method(f"{name}_seed")
        lines += ["", f"### {written.method}", ""]
        lines += [*_session("show", written.method, source_text(written.method).splitlines()), ""]
        lines += [*_session("check", written.method, _checked(written)), ""]
        lines += _session("plan", adapted.method, plan_lines(plan_method(adapted)))
    return "\n".join(lines) + "\n"


def _table(methods: Sequence[Method]) -> Iterator[str]:
    yield "| method | graph | chain | paper | calls of a language model, at most |"
    yield "|---|---|---|---|--:|"
    for method in methods:
        also = f" (also {', '.join(f'`{alias}`' for alias in method.aliases)})" if method.aliases else ""
        calls = "cannot run" if method.method.startswith(SEED) else str(plan_method(method).llm_calls)
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


def _options() -> Iterator[str]:
    """Yield a table of what each kind of graph can be told."""
    yield "| kind | option | default | meaning |"
    yield "|---|---|---|---|"
    groups: list[tuple[str, type[Options]]] = [
        ("`kg`, `tkg`, `rkg`", KnowledgeOptions),
        ("`passage`", PassageOptions),
        ("`tree`", TreeOptions),
    ]
    for kind, model in groups:
        for name, info in model.model_fields.items():
            yield f"| {kind} | `{name}` | `{info.default}` | {info.description or ''} |"


def _session(command: str, name: str, output: Sequence[str] | Iterator[str]) -> Iterator[str]:
    yield "```console"
    yield f"$ corpusgraph method {command} {name}"
    yield from (line.rstrip() for line in output)
    yield "```"


def _checked(method: Method) -> Iterator[str]:
    """Yield what `method check` prints."""
    result = check_method(method)
    yield from (issue_line(method, issue) for issue in result.issues)
    yield from (f"adapter: {adapter}" for adapter in result.adapters)
    if result.ok:
        yield f"{method.method}: ok"
