"""From what the solver found to lists, acceptance and labels, with a warning for all that is left out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.prepare.argument.effort import Effort, NotDecidedError
from corpusgraph.tasks.prepare.argument.extensions import MAX_LISTED, MAX_PER_PART, Extensions
from corpusgraph.tasks.prepare.argument.nouns import Acceptance, Labels, Sets
from corpusgraph.tasks.prepare.argument.semantics import SINGLE
from corpusgraph.tasks.prepare.argument.status import labels_of, speaks

MAX_CELLS = 100_000
"""Members of all listed sets of one kind together, at most."""

_NOT_MAXIMAL = ("conflict_free", "admissible", "complete")


@dataclass
class Found:
    """Extensions by the name of their semantics; `open_ones` were not decided in the time allowed."""

    sets: dict[str, Extensions] = field(default_factory=dict)
    open_ones: list[str] = field(default_factory=list)

    def search(self, tasks: Mapping[str, Callable[[Effort], Extensions]], effort: Effort) -> None:
        """Do all tasks; each may spend an equal share of what is left."""
        for done, (name, find) in enumerate(tasks.items()):
            part = effort.share(len(tasks) - done)
            try:
                self.sets[name] = find(part)
            except NotDecidedError:
                self.open_ones.append(name)
            effort.take_back(part)

    def tell_open(self, names: Sequence[str], seconds: float, warnings: list[ToolWarning]) -> None:
        """Warn of what was not decided; acceptance may be known where the sets are not."""
        unlisted = [
            n for n in names if n in self.sets and self.sets[n].count is None and not self.sets[n].counted
        ]
        for left, what in ((self.open_ones, ""), (unlisted, "the sets of ")):
            if left:
                message = f"Not decided in {seconds:g} seconds' worth of steps: {what}{', '.join(left)}."
                warnings.append(ToolWarning(code="not_decided", message=message, records=tuple(left)))


def listed(names: Sequence[str], found: Found, warnings: list[ToolWarning]) -> dict[str, object]:
    """Return the extensions by semantics; one set where there is just one."""
    lists: dict[str, object] = {}
    for name in names:
        if name in found.sets:
            rows = rows_of(name, found.sets[name], warnings)
            lists[name] = rows[0] if rows and name in SINGLE else rows
    return lists


def rows_of(name: str, answer: Extensions, warnings: list[ToolWarning]) -> Sets | None:
    """List the sets; of very many maximal ones some are listed, of very many others none."""
    if answer.count is None:
        if answer.counted:
            message = f"A connected part has more than {MAX_PER_PART} {name} sets; they were left out."
            warnings.append(ToolWarning(code="too_many_extensions", message=message, records=(name,)))
        return None
    most = min(MAX_LISTED, max(1, MAX_CELLS // max(1, len(answer.framework.arguments))))
    if answer.count <= most:
        return tuple(answer.listed(most))
    told = f"There are {_magnitude(answer.count)} {name} sets"
    if name.endswith(_NOT_MAXIMAL):
        message = f"{told}; they were left out."
        warnings.append(ToolWarning(code="too_many_extensions", message=message, records=(name,)))
        return None
    warnings.append(ToolWarning(code="list_cut", message=f"{told}; {most} are listed.", records=(name,)))
    return tuple(answer.listed(most))


def _magnitude(count: int) -> str:
    return f"{count:,}" if count < 10**9 else f"about 10^{len(str(count)) - 1}"


def acceptance(names: Sequence[str], found: Found, warnings: list[ToolWarning]) -> dict[str, Acceptance]:
    """Return credulous and sceptical acceptance by semantics."""
    accepted: dict[str, Acceptance] = {}
    for name in names:
        answer = found.sets.get(name)
        if answer is None or not answer.acceptance_known:
            continue
        if answer.count == 0:
            message = f"There is no {name} extension; so every claim is in all of them, and none in any."
            warnings.append(ToolWarning(code="no_extension", message=message, records=(name,)))
        accepted[name] = Acceptance(credulous=answer.credulous(), sceptical=answer.sceptical())
    return accepted


def labels(names: Sequence[str], found: Found) -> dict[str, Labels]:
    """Return the claims by status, for each semantics that has an extension."""
    told = {name: found.sets[name] for name in names if name in found.sets}
    return {name: labels_of(answer) for name, answer in told.items() if speaks(answer)}
