"""Argumentation frameworks as text: ICCMA .af, ASPARTIX .apx, trivial graph format .tgf."""

from collections.abc import Collection, Mapping, Sequence

from corpusgraph.tasks.prepare._argument_nouns import ArgumentNetwork

Pair = tuple[str, str]


def attacks_of(network: ArgumentNetwork) -> list[Pair]:
    """Return the attacks that the extensions were computed with: with support, the derived ones too."""
    place = {claim.id: n for n, claim in enumerate(network.claims)}
    direct = {(r.source, r.target) for r in network.relations if r.type == "attack"}
    if network.framework == "bipolar":
        kinds = ("supported", "secondary")
        direct |= {(d.source, d.target) for d in network.derived_attacks if d.kind in kinds}
    return sorted(direct, key=lambda pair: (place[pair[0]], place[pair[1]]))


def short_names(network: ArgumentNetwork) -> dict[str, str]:
    """Map claim ids to a1, a2, … in the order given; in .af files the number alone."""
    return {claim.id: f"a{n}" for n, claim in enumerate(network.claims, start=1)}


def af(attacks: Collection[Pair], names: Mapping[str, str]) -> bytes:
    """Write the numeric format of ICCMA 2023: `p af n`, then a line `i j` per attack."""
    lines = [f"p af {len(names)}"]
    lines += [f"{names[a].removeprefix('a')} {names[b].removeprefix('a')}" for a, b in attacks]
    return "\n".join([*lines, ""]).encode("ascii")


def apx(attacks: Collection[Pair], names: Mapping[str, str]) -> bytes:
    """Write the facts of ASPARTIX: arg(a1). att(a1,a2)."""
    lines = [f"arg({name})." for name in names.values()]
    lines += [f"att({names[a]},{names[b]})." for a, b in attacks]
    return "\n".join([*lines, ""]).encode("ascii")


def tgf(network: ArgumentNetwork, names: Mapping[str, str]) -> bytes:
    """Write the trivial graph format with the relations as stated: nodes, #, then edges with their type."""
    lines: Sequence[str] = [
        *names.values(),
        "#",
        *(f"{names[r.source]} {names[r.target]} {r.type}" for r in network.relations),
    ]
    return "\n".join([*lines, ""]).encode("ascii")
