"""Why each claim is accepted, rejected or left open under each semantics: a sheet and a text to read."""

from collections.abc import Iterator, Mapping

from corpusgraph.tasks.export.folder import Sheet
from corpusgraph.tasks.prepare.argument.nouns import ArgumentNetwork, ClaimStatus, Standing


def reasons(network: ArgumentNetwork, names: Mapping[str, str]) -> Sheet:
    """Return a row for each claim and semantics, with the attackers and defenders it rests on."""
    columns = (
        ("argument", "t", "name in the files for solvers"),
        ("id", "t", "id of the claim"),
        ("semantics", "t", "the semantics that speaks"),
        ("status", "t", "accepted by every extension, rejected (attacked) by every one, or undecided"),
        ("labels", "t", "labels that the extensions give it: in, out, undecided (Wu & Caminada 2010)"),
        ("attackers", "t", "accepted: all; rejected: the accepted; undecided: those not rejected"),
        ("defenders", "t", "accepted: claims that attack an attacker, as attacker<defender"),
        ("cycle", "t", "undecided: claims of which each is attacked by the next"),
        ("why", "t", "the reason in words"),
    )
    rows = [
        (names[status.id], status.id, one.semantics, one.status, " ".join(one.labels), *_rests_on(one, names))
        for status in network.statuses
        for one in status.standings
    ]
    return Sheet("reasons.csv", "why each claim has its status under each semantics", columns, rows)


def _rests_on(one: Standing, names: Mapping[str, str]) -> tuple[str, str, str, str]:
    return (
        " ".join(names[a] for a in one.attackers),
        " ".join(f"{names[a]}<{names[d]}" for a, by in one.defenders.items() for d in by),
        " ".join(names[a] for a in one.cycle),
        one.why,
    )


def why_text(network: ArgumentNetwork, names: Mapping[str, str]) -> bytes:
    """Return a paragraph for each claim: its words, and what each semantics says of it and why."""
    texts = {claim.id: " ".join(claim.text.split()) for claim in network.claims}
    lines = ["# Why", "", *_not_said(network)]
    for status in network.statuses:
        said = texts.get(status.id, "")
        lines += [f"## {names[status.id]} ({status.id}): {status.status}", ""]
        lines += [f"> {said}", ""] if said else []
        lines += [*_groups(status), ""]
    return "\n".join(lines).encode()


def _groups(status: ClaimStatus) -> Iterator[str]:
    """Yield a line for each reason, with all the semantics that give it."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in status.standings:
        groups.setdefault((one.status, one.why), []).append(one.semantics.replace("_", "-"))
    for (its, why), semantics in groups.items():
        yield f"- {its} ({', '.join(semantics)}): {why}"


def _not_said(network: ArgumentNetwork) -> Iterator[str]:
    if not network.statuses and (network.claims or network.arguments):
        yield from ("The network is too large to say why of each claim; ask for it with `explain`.", "")
    if network.not_decided:
        yield from (f"Not decided in the time allowed: {', '.join(network.not_decided)}.", "")
