"""Argumentation frameworks as text: ICCMA .af, ASPARTIX .apx, trivial graph format .tgf, AIF-JSON."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from corpusgraph.tasks.analysis.argument.framework import ACCEPTED, REJECTED, UNDECIDED, Framework, Label
from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork

Pair = tuple[str, str]

_LABELS: dict[int, Label] = {ACCEPTED: "accepted", REJECTED: "rejected", UNDECIDED: "undecided"}

AIF_NODE = {"attack": ("CA", "Default Conflict"), "support": ("RA", "Default Inference")}
"""Type and text of the node that stands for a relation in the Argument Interchange Format."""


def ids_of(network: ArgumentNetwork) -> tuple[str, ...]:
    """Return the ids of all claims, those given by id alone last.

    Parameters
    ----------
    network : ArgumentNetwork
        The network.

    Returns
    -------
    tuple of str
        Records first: their place is the number that the files use.

    """
    return (*(claim.id for claim in network.claims), *network.arguments)


def attacks_of(network: ArgumentNetwork) -> list[Pair]:
    """Return the attacks that the extensions were computed with: with support, those in force too.

    Parameters
    ----------
    network : ArgumentNetwork
        The network.

    Returns
    -------
    list of (str, str)
        (attacker, attacked) ids, in the order of the claims.

    """
    place = {one: n for n, one in enumerate(ids_of(network))}
    direct = {(r.source, r.target) for r in network.relations if r.type == "attack"}.union(network.attacks)
    if network.framework == "bipolar":
        direct |= {(d.source, d.target) for d in network.derived_attacks if d.in_force}
    return sorted(direct, key=lambda pair: (place[pair[0]], place[pair[1]]))


def grounded_status(network: ArgumentNetwork) -> dict[str, Label]:
    """Return the grounded status of each claim, found anew where the network was not asked to tell it.

    Parameters
    ----------
    network : ArgumentNetwork
        The network.

    Returns
    -------
    dict of str to Label
        Id of a claim -> its status.

    """
    if network.statuses:
        return {one.id: one.status for one in network.statuses}
    ids = ids_of(network)
    marks = Framework.of(ids, attacks_of(network)).grounded.tolist()
    return {one: _LABELS[mark] for one, mark in zip(ids, marks, strict=True)}


def short_names(network: ArgumentNetwork) -> dict[str, str]:
    """Map claim ids to a1, a2, … in the order given; in .af files the number alone.

    Parameters
    ----------
    network : ArgumentNetwork
        The network.

    Returns
    -------
    dict of str to str
        In the order of `ids_of`.

    """
    return {one: f"a{n}" for n, one in enumerate(ids_of(network), start=1)}


def af(attacks: Collection[Pair], names: Mapping[str, str]) -> bytes:
    """Write the numeric format of ICCMA 2023: `p af n`, then a line `i j` per attack.

    Parameters
    ----------
    attacks : collection of (str, str)
        (attacker, attacked) ids.
    names : mapping of str to str
        Ids of all claims -> a1, a2, …

    Returns
    -------
    bytes
        ASCII.

    """
    lines = [f"p af {len(names)}"]
    lines += [f"{names[a].removeprefix('a')} {names[b].removeprefix('a')}" for a, b in attacks]
    return "\n".join([*lines, ""]).encode("ascii")


def apx(attacks: Collection[Pair], names: Mapping[str, str]) -> bytes:
    """Write the facts of ASPARTIX: arg(a1). att(a1,a2).

    Parameters
    ----------
    attacks : collection of (str, str)
        (attacker, attacked) ids.
    names : mapping of str to str
        Ids of all claims -> names.

    Returns
    -------
    bytes
        ASCII.

    """
    lines = [f"arg({name})." for name in names.values()]
    lines += [f"att({names[a]},{names[b]})." for a, b in attacks]
    return "\n".join([*lines, ""]).encode("ascii")


def tgf(network: ArgumentNetwork, names: Mapping[str, str]) -> bytes:
    """Write the trivial graph format with the relations as stated: nodes, #, then edges with their type.

    Parameters
    ----------
    network : ArgumentNetwork
        The network.
    names : mapping of str to str
        Ids of all claims -> names.

    Returns
    -------
    bytes
        ASCII.

    """
    lines: Sequence[str] = [
        *names.values(),
        "#",
        *(f"{names[r.source]} {names[r.target]} {r.type}" for r in network.relations),
    ]
    return "\n".join([*lines, ""]).encode("ascii")


def aif(network: ArgumentNetwork, names: Mapping[str, str]) -> bytes:
    """Write the Argument Interchange Format (Chesñevar et al. 2006) as the JSON of AIFdb.

    An I-node a claim; an RA-node (inference) a support, a CA-node (conflict) an attack, with an edge from
    the claim that makes it and one to the claim it is about. A node has no time: the format allows that.

    Parameters
    ----------
    network : ArgumentNetwork
        The network.
    names : mapping of str to str
        Ids of all claims -> names, which are the ids of the I-nodes.

    Returns
    -------
    bytes
        JSON in UTF-8.

    References
    ----------
    Chesñevar et al. 2006.

    """
    said = ((names[claim.id], claim.text or claim.id) for claim in network.claims)
    nodes = [f'{{"nodeID": "{name}", "text": {_quoted(text)}, "type": "I"}}' for name, text in said]
    edges: list[str] = []
    for number, relation in enumerate(network.relations, start=1):
        kind, text = AIF_NODE[relation.type]
        nodes.append(f'{{"nodeID": "s{number}", "text": "{text}", "type": "{kind}"}}')
        edges.append(_edge(len(edges) + 1, names[relation.source], f"s{number}"))
        edges.append(_edge(len(edges) + 1, f"s{number}", names[relation.target]))
    return f'{{"nodes": {_lines(nodes)},\n"edges": {_lines(edges)},\n"locutions": []}}\n'.encode()


def _edge(number: int, start: str, end: str) -> str:
    """Write an edge by hand: a network has a million, and an encoder takes ten times as long."""
    return f'{{"edgeID": "e{number}", "fromID": "{start}", "toID": "{end}", "formEdgeID": null}}'


_quoted = json.JSONEncoder(ensure_ascii=False).encode


def _lines(records: Iterable[str]) -> str:
    return "[\n" + ",\n".join(records) + "\n]"
