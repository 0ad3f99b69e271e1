"""Argumentation frameworks as text: ICCMA .af, ASPARTIX .apx, trivial graph format .tgf, AIF-JSON."""

from collections.abc import Collection, Mapping, Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.export.statistical.bundle import json_bytes
from corpusgraph.tasks.prepare.argument.nouns import ArgumentNetwork

Pair = tuple[str, str]

AIF_NODE = {"attack": ("CA", "Default Conflict"), "support": ("RA", "Default Inference")}
"""Type and text of the node that stands for a relation in the Argument Interchange Format."""


def ids_of(network: ArgumentNetwork) -> tuple[str, ...]:
    """Return the ids of all claims, those given by id alone last."""
    return (*(claim.id for claim in network.claims), *network.arguments)


def attacks_of(network: ArgumentNetwork) -> list[Pair]:
    """Return the attacks that the extensions were computed with: with support, those in force too."""
    place = {one: n for n, one in enumerate(ids_of(network))}
    direct = {(r.source, r.target) for r in network.relations if r.type == "attack"}.union(network.attacks)
    if network.framework == "bipolar":
        direct |= {(d.source, d.target) for d in network.derived_attacks if d.in_force}
    return sorted(direct, key=lambda pair: (place[pair[0]], place[pair[1]]))


def short_names(network: ArgumentNetwork) -> dict[str, str]:
    """Map claim ids to a1, a2, … in the order given; in .af files the number alone."""
    return {one: f"a{n}" for n, one in enumerate(ids_of(network), start=1)}


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
        *(f"{names[r.source]} {names[r.target]} {r.type}" for r in network.every_relation()),
    ]
    return "\n".join([*lines, ""]).encode("ascii")


def aif(network: ArgumentNetwork, names: Mapping[str, str]) -> bytes:
    """Write the Argument Interchange Format (Chesñevar et al. 2006) as the JSON of AIFdb.

    An I-node a claim; an RA-node (inference) a support, a CA-node (conflict) an attack, with an edge from
    the claim that makes it and one to the claim it is about. A node has no time: the format allows that.
    """
    nodes: list[JsonDict] = [
        {"nodeID": names[claim.id], "text": claim.text or claim.id, "type": "I"}
        for claim in network.every_claim()
    ]
    edges: list[JsonDict] = []
    for number, relation in enumerate(network.every_relation(), start=1):
        kind, text = AIF_NODE[relation.type]
        nodes.append({"nodeID": f"s{number}", "text": text, "type": kind})
        for a, b in ((names[relation.source], f"s{number}"), (f"s{number}", names[relation.target])):
            edges.append({"edgeID": f"e{len(edges) + 1}", "fromID": a, "toID": b, "formEdgeID": None})
    return json_bytes({"nodes": nodes, "edges": edges, "locutions": []})
