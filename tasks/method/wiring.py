"""The inputs of one step: what they refer to, what is wired by itself, what does not fit."""

from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import did_you_mean
from corpusgraph.schemas.method import Step
from corpusgraph.tasks._tool import TOOLS, Tool
from corpusgraph.tasks.method.adapt import QUERY, Bridge, chain, could_write, reading_field, turning
from corpusgraph.tasks.method.kinds import LISTS, PARTS, VALUE, Kind, parts_of
from corpusgraph.tasks.method.literals import value_problems
from corpusgraph.tasks.method.ports import OWN, form_for, names_of
from corpusgraph.tasks.method.refs import is_reference, parsed, references_in
from corpusgraph.tasks.method.scope import Earlier, Findings, Scope, resolve


@dataclass
class Wiring:
    """Wires the inputs of one step; `before` are the steps that had to be put in front of it."""

    step: Step
    tool: Tool
    scope: Scope
    findings: Findings
    taken: set[str]
    adapt: bool
    all_ports: bool = False

    def __post_init__(self) -> None:
        self.before: list[Step] = []
        self.kinds: dict[str, Kind] = {}
        self.inputs: JsonDict = {}

    def done(self) -> tuple[Step, list[Step]]:
        """Return the step as it would run, and the steps inserted before it."""
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

    def _issue(self, code: str, message: str, hint: str | None = None) -> None:
        self.findings.issue(code, self.step.id, message, self.step.line, hint)

    def _unknown(self, written: str, names: dict[str, str]) -> None:
        valid = f"It takes {', '.join(sorted(set(names.values())))}."
        hint = did_you_mean(written, list(names)) or valid
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
        references = parsed(written)
        if references is None:
            how = "Write `$name`, `$name.part` or `$a or $b`; `$$` writes a dollar sign."
            self._issue("unknown_reference", f"{written!r} is no reference", how)
            return None
        kinds = []
        for reference in references:
            kind, message, hint = resolve(reference, self.scope)
            if kind is None:
                self._issue("unknown_reference", message, hint)
                return None
            kinds.append(kind)
        if len({kind.port for kind in kinds} - {VALUE}) > 1:
            told = " and ".join(str(kind) for kind in kinds)
            self._issue("wrong_port", f"{written} are {told}: one list cannot be either")
        return kinds[0]

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
        if reads and self.adapt and " " not in written and (found := chain(kind.port, reads)):
            return self._insert(field, found, Earlier(written, kind))
        self._misfit(field, written, kind, reads)
        return written

    def _fits(self, field: str, kind: Kind) -> bool:
        return kind.parts is None and form_for(self.tool, field, kind) is not None

    def _misfit(self, field: str, written: str, kind: Kind, reads: str | None) -> None:
        message = f"{self.tool.name}.{field} reads {reads or 'a value of its own'}, {written} is {kind}"
        if kind.port == "loop":
            hint: str | None = f"It has {', '.join(f'{written}.{part}' for part in kind.parts or ())}."
        elif reads and (between := turning(kind.port, reads)):
            hint = f"{between} makes {reads} of {kind}."
        elif reads:
            hint = could_write(reads, {earlier.kind.port for earlier in self.scope.latest()})
        else:
            hint = self._parts_hint(written, kind)
        self._issue("wrong_port", message, hint)

    def _parts_hint(self, written: str, kind: Kind) -> str | None:
        if " " in written:
            return None
        if kind.port in LISTS:
            return f"{written}.text is its text."
        parts = [f"{written}.{part}" for part in parts_of(kind)]
        return f"It has {', '.join(parts)}." if parts else None

    def _converted(self, field: str, source: Earlier, part: str) -> str:
        self.kinds[field] = Kind(part)
        self.findings.adapters.append(
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
            return required + [name for name in optional if self._there(name)]
        if reading or not self.tool.reads or any(info.is_required() for info in fields.values()):
            return required
        if "query" in self.inputs:
            return []
        known = [name for name in optional if self._latest(name)][:1]
        if known or "query" in fields:
            return known or ["query"]
        return optional[:1] if any(value_problems(self.tool, self.inputs, self.kinds)) else []

    def _there(self, field: str) -> bool:
        """Tell whether a result is on the very port that a field reads."""
        found = self._latest(field)
        return bool(found) and found[0].kind.port == self.tool.reads[field]

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
        elif self.adapt and (bridged := self._bridge(reads)):
            source, bridges = bridged
            self.inputs[field] = self._insert(field, bridges, source)
        else:
            self.kinds[field] = Kind(VALUE)
            put_in = self._bridge(reads)
            between = " then ".join(bridge.tool for bridge in put_in[1]) if put_in else ""
            hint = could_write(reads, {earlier.kind.port for earlier in self.scope.latest()})
            hint += f" `adapt: true` puts in {between}." if between else ""
            message = f"{self.tool.name} needs {reads} ({field}), and no step before writes them"
            self._issue("missing_input", message, hint)

    def _latest(self, field: str) -> list[Earlier]:
        """Return the latest result that fits; where it may be left out, those before it too."""
        found: list[Earlier] = []
        reads = self.tool.reads[field]
        for earlier in self.scope.latest():
            if earlier.kind.port == reads and self._fits(field, earlier.kind):
                found.append(earlier)
                if not earlier.conditional:
                    break
        if found:
            return found
        holding = (e for e in self.scope.latest() if reads in PARTS.get(e.kind.port, ()))
        return [first] if (first := next(holding, None)) else []

    def _bridge(self, port: str) -> tuple[Earlier | None, tuple[Bridge, ...]] | None:
        """Return the earlier result with the shortest chain to a port, the latest of equals; else $q."""
        ways = [(e, found) for e in self.scope.latest() if (found := chain(e.kind.port, port))]
        if ways:
            return min(ways, key=lambda way: len(way[1]))
        from_question = chain(QUERY, port)
        return (None, from_question) if from_question else None

    def _insert(self, field: str, bridges: tuple[Bridge, ...], source: Earlier | None) -> str:
        """Put tools before the step; return the reference to what the last of them writes."""
        reference = source.reference if source else "$q"
        port = source.kind.port if source else QUERY
        for bridge in bridges:
            tool = TOOLS[bridge.tool]
            name = self._free(bridge.tool)
            if bridge.reads in PARTS.get(port, ()):
                reference = f"{reference}.{bridge.reads}"
            reading = "query" if bridge.reads == QUERY else str(reading_field(tool, bridge.reads))
            fields = tool.input.model_fields
            inputs = {reading: reference, **{k: v for k, v in bridge.inputs if k in fields}}
            if "query" in fields and fields["query"].is_required():
                inputs["query"] = "$q"
            self.before.append(
                Step(id=name, tool=tool.name, inputs=inputs, adapter=True, line=self.step.line)
            )
            self.scope.add(name, Kind(tool.writes, tool.output))
            told = "the question" if reference == "$q" else reference
            self.findings.adapters.append(f"{self.step.id}: {tool.name} makes {tool.writes} of {told}")
            reference, port = f"${name}", bridge.writes
        self.kinds[field] = Kind(port)
        return reference

    def _free(self, name: str) -> str:
        made, number = name, 1
        while made in self.taken:
            number += 1
            made = f"{name}_{number}"
        self.taken.add(made)
        return made
