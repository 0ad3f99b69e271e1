"""What can be referred to at a place of a method, and what is wrong with the method so far."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from corpusgraph.schemas.errors import did_you_mean
from corpusgraph.schemas.method import MethodIssue
from corpusgraph.tasks.method.kinds import Kind, part_of, parts_of
from corpusgraph.tasks.method.refs import Reference

RESERVED = ("q", "query", "item")
"""Names a step cannot have."""


@dataclass(frozen=True)
class Earlier:
    """An earlier result: how to refer to it, its kind, and whether it may have been left out by `when`."""

    reference: str
    kind: Kind
    conditional: bool = False


@dataclass
class Scope:
    """Names of one list of steps, in order, and those around it."""

    names: dict[str, Kind] = field(default_factory=dict)
    order: list[Earlier] = field(default_factory=list)
    outer: "Scope | None" = None

    def add(self, name: str, kind: Kind, *, conditional: bool = False) -> None:
        """Add a result."""
        self.names[name] = kind
        self.order.append(Earlier(f"${name}", kind, conditional))

    def latest(self) -> Iterator[Earlier]:
        """Yield earlier results, the latest first."""
        yield from reversed(self.order)
        if self.outer is not None:
            yield from self.outer.latest()

    def known(self) -> list[str]:
        """Return all names that can be referred to here."""
        return [*self.names, *(self.outer.known() if self.outer is not None else [])]

    def kind(self, name: str) -> Kind | None:
        """Return the kind of a name, or None where there is no such name."""
        found = self.names.get(name)
        return self.outer.kind(name) if found is None and self.outer is not None else found


@dataclass
class Findings:
    """Issues, and what was inserted or converted, in words."""

    issues: list[MethodIssue] = field(default_factory=list)
    adapters: list[str] = field(default_factory=list)

    def issue(self, code: str, step: str, message: str, line: int | None, hint: str | None = None) -> None:
        """Add an issue."""
        made = {"code": code, "step": step, "message": message, "hint": hint, "line": line}
        self.issues.append(MethodIssue.model_validate(made))


def resolve(reference: Reference, scope: Scope) -> tuple[Kind | None, str, str | None]:
    """Return the kind of a reference; where there is none, a message and a hint."""
    kind = scope.kind(reference.name)
    if kind is None:
        known = [f"${name}" for name in dict.fromkeys(scope.known())]
        near = did_you_mean(f"${reference.name}", known) or f"Known here: {', '.join(sorted(known))}."
        return None, f"nothing before is named ${reference.name}", near
    so_far = f"${reference.name}"
    for part in reference.parts:
        inner = part_of(kind, part)
        if inner is None:
            parts = parts_of(kind)
            hint = did_you_mean(part, parts) or (f"It has {', '.join(parts)}." if parts else None)
            if so_far == "$query":
                hint = "Name what is extracted from the question: `query: [entities]` or `[keywords]`."
            return None, f"{so_far} ({kind}) has no part {part!r}", hint
        kind, so_far = inner, f"{so_far}.{part}"
    return kind, "", None
