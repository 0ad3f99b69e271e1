"""The argument bundle: claims with status and passage, relations, and files for solvers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.argument.bipolar import IN_FORCE
from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, ClaimStatus
from corpusgraph.tasks.export.argument.figure import argument_picture
from corpusgraph.tasks.export.argument.text import af, aif, apx, attacks_of, grounded_status, short_names, tgf
from corpusgraph.tasks.export.files import Files, rendered
from corpusgraph.tasks.export.folder import Sheet, folder


def reasons(network: ArgumentNetwork, names: Mapping[str, str]) -> Sheet:
    """Return a row for each claim and semantics, with the attackers and defenders it rests on.

    Parameters
    ----------
    network : ArgumentNetwork
        The network, with the statuses of its claims.
    names : mapping of str to str
        Id of a claim -> its name in the files for solvers.

    Returns
    -------
    Sheet
        `reasons.csv`.

    """
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

    def named(ids: Iterable[str]) -> str:
        return " ".join(names[one] for one in ids)

    rows = []
    for status in network.statuses:
        for one in status.standings:
            defended = " ".join(f"{names[a]}<{names[d]}" for a, by in one.defenders.items() for d in by)
            told = (one.semantics, one.status, " ".join(one.labels))
            rests_on = (named(one.attackers), defended, named(one.cycle), one.why)
            rows.append((names[status.id], status.id, *told, *rests_on))
    return Sheet("reasons.csv", "why each claim has its status under each semantics", columns, rows)


def _groups(status: ClaimStatus) -> dict[tuple[str, str], list[str]]:
    """Return each reason with all the semantics that give it."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in status.standings:
        groups.setdefault((one.status, one.why), []).append(one.semantics.replace("_", "-"))
    return groups


def argument_bundle(
    result: ArgumentNetwork, warnings: Sequence[ToolWarning] = (), *, name: str = "argument", title: str = ""
) -> Files:
    """Return the bundle of an argument network: relative file name -> bytes, the same for the same input.

    Parameters
    ----------
    result : ArgumentNetwork
        What `prepare_argument_network` returned.
    warnings : sequence of ToolWarning, optional
        Said in the README and the manifest.
    name : str, default "argument"
        Name of the bundle.
    title : str, default ""
        Heading of the README; the name where it is empty.

    Returns
    -------
    dict of str to bytes
        With README, codebooks, provenance and manifest; every file is made in memory.

    """
    whole, result = result.model_dump_json(indent=2, exclude_none=True) + "\n", result.with_records()
    names = short_names(result)
    attacks = attacks_of(result)
    texts = {claim.id: " ".join(claim.text.split()) for claim in result.claims}
    why = rendered("why.md", network=result, names=names, texts=texts, groups=_groups).encode()
    files = {
        "framework.af": (af(attacks, names), "the attacks, in the numeric format of ICCMA 2023"),
        "framework.apx": (apx(attacks, names), "the same as facts of ASPARTIX"),
        "framework.tgf": (tgf(result, names), "the relations as stated, trivial graph format"),
        "framework.aif.json": (aif(result, names), "the same in the Argument Interchange Format"),
        "why.md": (why, "why each claim is accepted, rejected or left open"),
        "network.json": (whole.encode(), "everything: extensions, acceptance, passages"),
    }
    return folder(
        kind=f"argument ({result.framework})",
        name=name,
        title=title,
        opening=rendered(
            "argument.md", network=result, in_force=IN_FORCE[result.support] if result.support else ()
        ),
        files=files,
        sheets=[
            _claims(result, names),
            _relations(result, names),
            _extensions(result, names),
            reasons(result, names),
        ],
        names={claim.id: (claim.text, names[claim.id]) for claim in result.claims},
        passages=[
            *((claim.id, passage) for claim in result.claims for passage in claim.passages),
            *((f"{r.source}->{r.target}", passage) for r in result.relations for passage in r.passages),
        ],
        facts={
            "framework": result.framework,
            "claims": len(names),
            "relations": len(result.relations),
            "support": result.support,
            "budget": result.budget,
            "not_decided": list(result.not_decided),
        },
        warnings=warnings,
        libraries=("corpusgraph", "pyarrow", "python-sat"),
        picture=argument_picture(result),
        read=("claim", "argument"),
    )


_STATUS = "accepted, rejected or undecided"


def _claims(result: ArgumentNetwork, names: Mapping[str, str]) -> Sheet:
    accepted = [
        (f"{kind}_{name}", getattr(told, kind))
        for name, told in result.acceptance.items()
        for kind in ("credulous", "sceptical")
    ]
    strengths = {name: values for name, values in result.strengths.items() if values is not None}
    columns = (
        ("argument", "t", "name in the files for solvers"),
        ("id", "t", "id of the claim"),
        ("text", "t", "the claim"),
        ("speaker", "t", "who makes it"),
        ("weight", "x", "initial weight, 0 to 1"),
        ("status", "t", f"{_STATUS} in the grounded labelling"),
        ("why", "t", "the reason, with the claims it rests on"),
        *((f"status_{name}", "t", f"{_STATUS}, {name} semantics") for name in result.labels),
        *((name, "b", name.replace("_", " acceptance, ", 1)) for name, _ in accepted),
        *((f"strength_{name}", "x", f"strength, {name} semantics") for name in strengths),
        ("passage", "t", "first passage that makes it"),
        ("document", "t", "title of its document"),
        ("source", "t", "file of its document"),
        ("page", "n", "page, where there are pages"),
    )
    status, why = grounded_status(result), {one.id: one.why for one in result.statuses}
    labels = [{one: status for status, ids in told for one in ids} for told in result.labels.values()]
    chosen = [frozenset(ids) for _, ids in accepted]
    rows = []
    for claim in result.claims:
        first = claim.passages[0] if claim.passages else None
        rows.append(
            (
                *(names[claim.id], claim.id, claim.text, claim.speaker, claim.weight),
                *(status[claim.id], why.get(claim.id)),
                *(its[claim.id] for its in labels),
                *(claim.id in ids for ids in chosen),
                *(values[claim.id] for values in strengths.values()),
                *((first.text, first.title, first.source, first.page) if first else (None,) * 4),
            )
        )
    return Sheet("claims.csv", "the claims with their status and first passage", columns, rows)


def _relations(result: ArgumentNetwork, names: Mapping[str, str]) -> Sheet:
    columns = (
        ("source", "t", "claim that attacks or supports"),
        ("target", "t", "claim that is attacked or supported"),
        ("type", "t", "attack or support; else the kind of an attack that support brings about"),
        ("derived", "b", "true where support brings the attack about"),
        ("in_force", "b", "true for attacks that the extensions take into account"),
        ("weight", "x", "weight as given"),
        ("passage", "t", "first passage that states it"),
    )
    rows: list[tuple[Any, ...]] = []
    for r in result.relations:
        first = r.passages[0].text if r.passages else None
        rows.append((names[r.source], names[r.target], r.type, False, r.type == "attack", r.weight, first))
    rows += [
        (names[d.source], names[d.target], d.kind, True, d.in_force, None, None)
        for d in result.derived_attacks
    ]
    return Sheet("relations.csv", "attacks and supports, stated and derived", columns, rows)


def _extensions(result: ArgumentNetwork, names: Mapping[str, str]) -> Sheet:
    rows = []
    found: JsonDict = result.extensions.model_dump()
    found |= {f"budget_{name}": sets for name, sets in result.budget_extensions.items()}
    found |= result.bipolar.model_dump() if result.bipolar else {}
    for semantics, sets in found.items():
        if sets is not None:
            listed = [sets] if semantics in ("grounded", "ideal", "eager") else sets
            rows += [(semantics, n, " ".join(names[c] for c in s)) for n, s in enumerate(listed, start=1)]
    columns = (
        ("semantics", "t", "which kind of set"),
        ("number", "n", "number of the set"),
        ("arguments", "t", "its claims, separated by blanks"),
    )
    return Sheet("extensions.csv", "sets of claims that can be held together", columns, rows)
