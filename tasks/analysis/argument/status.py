"""What each semantics says of each claim, in words."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.argument.framework import Framework, Label, Pair
from corpusgraph.tasks.analysis.argument.models import Acceptance, ClaimStatus, Labels, Mark, Sets, Standing
from corpusgraph.tasks.analysis.argument.semantics import MAX_LISTED, MAX_PER_PART, SINGLE, Extensions
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.table.values import warning

SAID = 6
"""Claims named in a reason; its fields have them all."""


def statuses(
    framework: Framework, supports: frozenset[Pair], found: Mapping[str, Extensions]
) -> tuple[ClaimStatus, ...]:
    """Return status, reason, attackers, defenders and supporters of each claim, in the order given.

    Parameters
    ----------
    framework : Framework
        Claims and attacks.
    supports : frozenset of (str, str)
        (supporter, supported).
    found : mapping of str to Extensions
        Semantics -> its extensions, `grounded` among them; those without any extension, or of unknown
        acceptance, say nothing.

    Returns
    -------
    tuple of ClaimStatus
        A semantics without extensions, or whose search was not finished, says nothing.

    """
    reasons = {name: Reasons(framework, name, answer) for name, answer in found.items() if speaks(answer)}
    allies = Framework.of(framework.arguments, supports)
    places = counted(range(len(framework.arguments)), "claims explained", every=256)
    return tuple(_status(at, framework, allies, reasons) for at in places)


def _status(
    at: int, framework: Framework, allies: Framework, reasons: Mapping[str, "Reasons"]
) -> ClaimStatus:
    standings = {name: reason.standing(at) for name, reason in reasons.items()}
    attackers = framework.strikers[at]
    return ClaimStatus(
        id=framework.arguments[at],
        status=standings["grounded"].status,
        why=standings["grounded"].why,
        attackers=framework.named(attackers),
        defenders=framework.named(sorted({d for a in attackers for d in framework.strikers[a]})),
        supporters=allies.named(allies.strikers[at]),
        standings=tuple(standings.values()),
    )


def speaks(answer: Extensions) -> bool:
    """Whether there is an extension and acceptance is known: else nothing has a status.

    Parameters
    ----------
    answer : Extensions
        Of one semantics.

    Returns
    -------
    bool
        False also where the search ended before it knew.

    """
    return answer.count != 0 and answer.acceptance_known


Reason = tuple[str, list[int], dict[str, Any]]
"""Why a claim has its status, the attackers that matter, and what else its standing has."""


class Reasons:
    """Why one semantics accepts, rejects or leaves open each claim.

    Parameters
    ----------
    framework : Framework
        Claims and attacks.
    semantics : str
        Its name.
    found : Extensions
        With at least one extension, of known acceptance.

    """

    def __init__(self, framework: Framework, semantics: str, found: Extensions) -> None:
        self.framework, self.semantics = framework, semantics
        tally = found.tally
        never = np.where(tally.never, "rejected", "undecided")
        self.status: list[Label] = np.where(tally.every, "accepted", never).tolist()
        self.choices, self.some = tally.choices.tolist(), tally.some.tolist()
        self.inside, self.against = tally.inside.tolist(), tally.against.tolist()

    def standing(self, at: int) -> Standing:
        """Return what the semantics says of the claim at a place.

        Parameters
        ----------
        at : int
            Place of the claim.

        Returns
        -------
        Standing
            Status, labels, the reason in words, and the arguments that it rests on.

        """
        say = {"accepted": self._accepted, "rejected": self._rejected, "undecided": self._undecided}
        why, attackers, more = say[self.status[at]](at)
        more |= {
            "status": self.status[at],
            "labels": self._marks(at),
            "attackers": self.framework.named(attackers),
        }
        return Standing(semantics=self.semantics, why=why, **more)

    def _marks(self, at: int) -> tuple[Mark, ...]:
        ins, outs, of = self.inside[at], self.against[at], self.choices[at]
        marks: tuple[Mark, ...] = ("in", "out", "undecided")
        return tuple(compress(marks, (ins > 0, outs > 0, ins + outs < of))) if of else ()

    def _accepted(self, at: int) -> Reason:
        attackers = self.framework.strikers[at]
        answers = {a: self._answers(a) for a in attackers}
        rejected = [a for a in attackers if self.status[a] == "rejected"]
        others = [a for a in attackers if self.status[a] != "rejected"]
        told = []
        if rejected:
            by = "; ".join(self._answered(a, answers[a]) for a in rejected[:SAID]) + _more(rejected)
            told.append(f"every attacker is rejected: {by}" if not others else f"rejected: {by}")
        if others:
            told.append(f"no extension with it has {self._names(others)}")
        defenders = {self.framework.arguments[a]: self.framework.named(d) for a, d in answers.items()}
        return "; ".join(told) or "not attacked", attackers, {"defenders": defenders}

    def _answers(self, attacker: int) -> list[int]:
        """Return the accepted claims that attack an attacker, or, failing them, those in some extension."""
        near = self.framework.strikers[attacker]
        return [d for d in near if self.status[d] == "accepted"] or [d for d in near if self.some[d]]

    def _answered(self, attacker: int, by: Sequence[int]) -> str:
        name = self.framework.arguments[attacker]
        sure = all(self.status[d] == "accepted" for d in by)
        return f"{name} (attacked by {self._names(by, ' and ' if sure else ' or ')})"

    def _rejected(self, at: int) -> Reason:
        attackers = self.framework.strikers[at]
        accepted = [a for a in attackers if self.status[a] == "accepted"]
        told = f"attacked by accepted {self._names(accepted)}"
        if not accepted:
            accepted = [a for a in attackers if self.some[a]]
            told = f"each extension has an attacker: {self._names(accepted, ' or ')}"
        return told, accepted, {}

    def _undecided(self, at: int) -> Reason:
        open_ones = [a for a in self.framework.strikers[at] if self.status[a] != "rejected"]
        cycle = self._cycle(at)
        told = [self._shares(at)]
        if open_ones:
            told.append(f"attacked by undecided {self._names(open_ones)}, and by no accepted claim")
        if cycle:
            ring = " <- ".join(self.framework.named([*cycle[:SAID], *cycle[:1]]))
            told.append(f"cycle of attacks: {ring}" + (" …" if len(cycle) > SAID else ""))
        why = "; ".join(part for part in told if part) or "no extension need have it"
        return why, open_ones, {"cycle": self.framework.named(cycle)}

    def _shares(self, at: int) -> str:
        ins, outs, of = self.inside[at], self.against[at], self.choices[at]
        if not of:
            return "in some extensions, not in all" if self.some[at] else ""
        if not ins and not outs:
            return ""
        told = [(ins, "has it"), (outs, "attacks it"), (of - ins - outs, "leaves it open")]
        parts = ", ".join(f"{number} {what}" for number, what in told if number)
        return f"of {of} choices in its part, {parts}"

    def _cycle(self, at: int) -> list[int]:
        """Walk back along undecided attackers until one is met again; that ring keeps the claim open."""
        way: dict[int, int] = {}
        here: int | None = at
        while here is not None and here not in way:
            way[here] = len(way)
            here = next((a for a in self.framework.strikers[here] if self.status[a] == "undecided"), None)
        return list(way)[way[here] :] if here is not None else []

    def _names(self, chosen: Sequence[int], link: str = ", ") -> str:
        return link.join(self.framework.named(chosen[:SAID])) + _more(chosen)


def _more(chosen: Sequence[int]) -> str:
    return f" and {len(chosen) - SAID} more" if len(chosen) > SAID else ""


MAX_CELLS = 100_000
"""Members of all listed sets of one kind together, at most."""

_NOT_MAXIMAL = ("conflict_free", "admissible", "complete")


Found = Mapping[str, Extensions]
"""Semantics -> its extensions, in the order of `SEMANTICS`; without those that were not decided."""


def tell_open(found: Found, left: Sequence[str], seconds: float, warnings: list[ToolWarning]) -> None:
    """Warn of what was not decided; acceptance may be known where the sets are not.

    Parameters
    ----------
    found : mapping of str to Extensions
        Semantics -> its extensions.
    left : sequence of str
        What was not decided.
    seconds : float
        What was allowed, for the message.
    warnings : list of ToolWarning
        Warnings `not_decided` are added to it.

    """
    unlisted = [name for name, answer in found.items() if answer.count is None and not answer.counted]
    for names, what in ((left, ""), (unlisted, "the sets of ")):
        message = f"Not decided in {seconds:g} seconds' worth of steps: {what}{', '.join(names)}."
        warnings += warning("not_decided", message, names)


def listed(found: Found, warnings: list[ToolWarning]) -> dict[str, object]:
    """Return the extensions by semantics; one set where there is just one.

    Parameters
    ----------
    found : mapping of str to Extensions
        Semantics -> its extensions.
    warnings : list of ToolWarning
        Warnings are added to it.

    Returns
    -------
    dict of str to object
        None for sets that are left out.

    """
    rows = {name: rows_of(name, answer, warnings) for name, answer in found.items()}
    return {name: sets[0] if sets and name in SINGLE else sets for name, sets in rows.items()}


def rows_of(name: str, answer: Extensions, warnings: list[ToolWarning]) -> Sets | None:
    """List the sets; of very many maximal ones some are listed, of very many others none.

    Parameters
    ----------
    name : str
        Name of the semantics.
    answer : Extensions
        Its extensions.
    warnings : list of ToolWarning
        `too_many_extensions` or `list_cut` is added to it.

    Returns
    -------
    tuple of tuple of str, or None
        At most 1,000 sets, and fewer where they are large; None where they are left out.

    """
    if answer.count is None:
        if answer.counted:
            message = f"A connected part has more than {MAX_PER_PART} {name} sets; they were left out."
            warnings += warning("too_many_extensions", message, [name])
        return None
    most = min(MAX_LISTED, max(1, MAX_CELLS // max(1, len(answer.framework.arguments))))
    if answer.count <= most:
        return tuple(answer.listed(most))
    count = f"{answer.count:,}" if answer.count < 10**9 else f"about 10^{len(str(answer.count)) - 1}"
    told = f"There are {count} {name} sets"
    if name.endswith(_NOT_MAXIMAL):
        warnings += warning("too_many_extensions", f"{told}; they were left out.", [name])
        return None
    warnings += warning("list_cut", f"{told}; {most} are listed.", [name])
    return tuple(answer.listed(most))


def acceptance(found: Found, warnings: list[ToolWarning]) -> dict[str, Acceptance]:
    """Return credulous and sceptical acceptance by semantics.

    Parameters
    ----------
    found : mapping of str to Extensions
        Semantics -> its extensions.
    warnings : list of ToolWarning
        `no_extension` is added to it.

    Returns
    -------
    dict of str to Acceptance
        Without semantics whose acceptance is not known.

    """
    accepted: dict[str, Acceptance] = {}
    for name, answer in found.items():
        if answer.acceptance_known:
            message = f"There is no {name} extension; so every claim is in all of them, and none in any."
            warnings += warning("no_extension", message, [name] if answer.count == 0 else ())
            accepted[name] = Acceptance(credulous=answer.credulous(), sceptical=answer.sceptical())
    return accepted


def labels(found: Found) -> dict[str, Labels]:
    """Return the claims by status, for each semantics that has an extension.

    Parameters
    ----------
    found : mapping of str to Extensions
        Semantics -> its extensions.

    Returns
    -------
    dict of str to Labels
        A semantics that says nothing is not in it.

    """
    told: dict[str, Labels] = {}
    for name, answer in found.items():
        if not speaks(answer):
            continue
        tally, named = answer.tally, answer.framework.marked
        never = tally.never & ~tally.every
        undecided = named(~(tally.every | never))
        told[name] = Labels(accepted=named(tally.every), rejected=named(never), undecided=undecided)
    return told
