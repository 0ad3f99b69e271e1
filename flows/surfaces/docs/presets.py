"""The page on retrieval methods, made from the presets: docs/presets.md."""

from collections.abc import Iterator, Sequence

from corpusgraph.flows.methods import all_methods, load_method, source_text
from corpusgraph.flows.surfaces.docs.presets_text import ANSWER, INTRODUCTION, OWN, SEEDS, SHAPES
from corpusgraph.flows.surfaces.methods import plan_lines
from corpusgraph.schemas.method import Loop, Method, Node, Union
from corpusgraph.tasks.method.check import check_method, issue_line
from corpusgraph.tasks.method.plan import plan_method
from corpusgraph.tasks.method.shapes_options import KnowledgeOptions, Options, PassageOptions, TreeOptions

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
