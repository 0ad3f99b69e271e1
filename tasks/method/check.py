"""Type-check a method before anything runs: names, ports, values; and wire what it leaves unsaid."""

import re
from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.errors import MethodCheckError, did_you_mean
from corpusgraph.schemas.method import Loop, Method, MethodCheck, MethodIssue, Node, Step, Union
from corpusgraph.tasks._tool import load
from corpusgraph.tasks.method.kinds import LISTS, TEXT, TEXTS, VALUE, Kind
from corpusgraph.tasks.method.queries import EXTRACTORS, kind_of_query
from corpusgraph.tasks.method.refs import condition, is_reference, parsed
from corpusgraph.tasks.method.scope import RESERVED, Earlier, Findings, Scope, resolve
from corpusgraph.tasks.method.tools import find_tool
from corpusgraph.tasks.method.wiring import Wiring

_NAME = re.compile(r"[A-Za-z_]\w*\Z")


def check_method(method: Method) -> MethodCheck:
    """Check a method against the tools there are; the result's method is the chain as it would run.

    What is required and not given is wired to the latest earlier result on its port, a required `query` to
    the question. With `adapt`, tools that are left out are inserted.
    """
    checker = _Checker(method)
    steps = checker.whole()
    made = method.model_copy(update={"steps": tuple(steps), "answer": None})
    found = checker.findings
    return MethodCheck(
        method=made, ok=not found.issues, issues=tuple(found.issues), adapters=tuple(found.adapters)
    )


def checked(method: Method) -> MethodCheck:
    """Return the check of a method that can run; raise MethodCheckError for one that cannot."""
    check = check_method(method)
    if not check.ok:
        lines = [issue_line(method, issue) for issue in check.issues]
        raise MethodCheckError(f"The method {method.method} cannot run:\n" + "\n".join(lines))
    return check


def issue_line(method: Method, issue: MethodIssue) -> str:
    """Return an issue as a line: file, line, step, what is wrong, what could be done."""
    where = ":".join(str(part) for part in (method.source, issue.line) if part)
    hint = f" {issue.hint}" if issue.hint else ""
    step = "" if issue.message.startswith(issue.step) else f"{issue.step}: "
    return f"{where + ': ' if where else ''}{step}{issue.message}.{hint}"


class _Checker:
    """Walks the steps of one method in order."""

    def __init__(self, method: Method) -> None:
        self.method = method
        self.findings = Findings()
        self.taken = set(_ids(method.steps))
        self.seen: set[str] = set()

    def whole(self) -> list[Node]:
        """Check the query step, the steps and the answer."""
        scope = Scope(names={"q": Kind(TEXT), "query": kind_of_query(self.method.query)})
        for what in self.method.query:
            if find_tool(EXTRACTORS[what]) is None:
                self.findings.issue("unknown_tool", "query", f"there is no tool {EXTRACTORS[what]}", None)
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

    def issue(self, code: str, node: Node, message: str, hint: str | None = None) -> None:
        self.findings.issue(code, node.id, message, node.line, hint)

    def name(self, node: Node) -> None:
        if node.id in self.seen:
            self.issue("duplicate_name", node, f"two steps are named {node.id}", "Name one with `as:`.")
        elif node.id in RESERVED or not _NAME.match(node.id):
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
        wiring = Wiring(named, tool, scope, self.findings, self.taken, self.method.adapt, all_ports)
        made, before = wiring.done()
        scope.add(step.id, Kind(tool.writes, tool.output), conditional=step.when is not None)
        return [*before, made]

    def condition(self, node: Node, text: str | None, key: str, scope: Scope) -> None:
        if text is None:
            return
        found = condition(text)
        if found is None:
            hint = "It is `$x` (x holds something) or `not $x`."
            self.issue("bad_value", node, f"{key} cannot be {text!r}", hint)
            return
        kind, message, hint_ = resolve(found.reference, scope)
        if kind is None:
            self.issue("unknown_reference", node, f"{key}: {message}", hint_)

    def kind(self, node: Node, text: Any, key: str, scope: Scope) -> Kind | None:
        """Return the kind of a reference in a union or loop; what is wrong with it is told."""
        references = parsed(text) if isinstance(text, str) else None
        if references is None:
            self.issue("bad_value", node, f"{key}: {text!r} is no reference", "Write `$name`.")
            return None
        kinds = []
        for reference in references:
            kind, message, hint = resolve(reference, scope)
            if kind is None:
                self.issue("unknown_reference", node, f"{key}: {message}", hint)
            kinds.append(kind)
        return None if None in kinds else kinds[0]

    def union(self, union: Union, scope: Scope) -> None:
        kinds = [self.kind(union, text, "union", scope) for text in union.union]
        ports = [kind.port for kind in kinds if kind is not None]
        if len(set(ports)) > 1:
            told = ", ".join(f"{text} {kind}" for text, kind in zip(union.union, kinds, strict=True))
            self.issue("wrong_port", union, f"a union joins results of one port, not {told}")
        elif ports and ports[0] not in {*LISTS, TEXTS, VALUE}:
            self.issue("wrong_port", union, f"a union joins lists, and {union.union[0]} is {kinds[0]}")
        if union.weights is not None and len(union.weights) != len(union.union):
            message = f"{len(union.weights)} weights for {len(union.union)} results"
            self.issue("bad_value", union, message)
        scope.add(union.id, next((kind for kind in kinds if kind is not None), Kind(VALUE)))

    def loop(self, loop: Loop, scope: Scope) -> Loop:
        inner = Scope(outer=scope)
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
        kinds = {name: _collected(kind) for name, kind in parts.items()}
        scope.add(loop.id, Kind("loop", parts=kinds))
        scope.order.pop()
        for name, kind in kinds.items():
            scope.order.append(Earlier(f"${loop.id}.{name}", kind))
        return loop.model_copy(update={"steps": tuple(steps)})

    def inside(self, loop: Loop, name: str, kind: Kind, inner: Scope) -> None:
        if name != "item" and (name in RESERVED or not _NAME.match(name) or name in self.taken):
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


def _collected(kind: Kind | None) -> Kind:
    if kind is None:
        return Kind(VALUE)
    return Kind(TEXTS) if kind.port == TEXT else kind


def _ids(nodes: Sequence[Node]) -> list[str]:
    inner = [id_ for node in nodes if isinstance(node, Loop) for id_ in _ids(node.steps)]
    return [*(node.id for node in nodes), *inner]
