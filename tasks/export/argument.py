"""The argument bundle: claims with status and passage, relations, and files for solvers."""

from collections.abc import Iterator, Mapping, Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.export.argument_text import af, apx, attacks_of, short_names, tgf
from corpusgraph.tasks.export.bundle import json_bytes
from corpusgraph.tasks.export.folder import Files, Folder, Sheet
from corpusgraph.tasks.prepare._argument_nouns import ArgumentNetwork
from corpusgraph.tasks.prepare._passage import Passage

_OPENING = """`claims.csv` lists the claims with their status in the grounded extension, why, and the first
passage that makes each. `framework.af`, `.apx` and `.tgf` open in argumentation solvers; claims are
numbered there in the order of `claims.csv` (`name_map.csv` has their ids). `network.json` holds all of
it: extensions, acceptance, strengths, passages."""

_BIPOLAR = """ `framework.af` and `.apx` hold the stated attacks with the supported and secondary attacks
that support brings about, so that a solver finds the same extensions; `.tgf` holds what is stated."""


def argument_bundle(
    result: ArgumentNetwork, warnings: Sequence[ToolWarning] = (), *, name: str = "argument", title: str = ""
) -> Files:
    """Return the bundle of an argument network: relative file name -> bytes, the same for the same input."""
    names = short_names(result)
    attacks = attacks_of(result)
    files = {
        "framework.af": (af(attacks, names), "the attacks, in the numeric format of ICCMA 2023"),
        "framework.apx": (apx(attacks, names), "the same as facts of ASPARTIX"),
        "framework.tgf": (tgf(result, names), "the relations as stated, trivial graph format"),
        "network.json": (json_bytes(_json(result)), "everything: extensions, acceptance, passages"),
    }
    return Folder(
        kind=f"argument ({result.framework})",
        name=name,
        title=title,
        opening=_OPENING + (_BIPOLAR if result.framework == "bipolar" else ""),
        files=files,
        sheets=[_claims(result, names), _relations(result, names), _extensions(result, names)],
        names={claim.id: (claim.text, names[claim.id]) for claim in result.claims},
        passages=_passages(result),
        facts={
            "framework": result.framework,
            "claims": len(result.claims),
            "relations": len(result.relations),
            "budget": result.budget,
        },
        warnings=warnings,
        libraries=("corpusgraph", "pyarrow", "python-sat"),
    ).close()


def _json(result: ArgumentNetwork) -> JsonDict:
    return result.model_dump(mode="json", exclude_none=True)


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
        ("status", "t", "accepted, rejected or undecided in the grounded labelling"),
        ("why", "t", "the reason, with the claims it rests on"),
        *(
            (name, "b", f"{name.partition('_')[0]} acceptance, {name.partition('_')[2]}")
            for name, _ in accepted
        ),
        *((f"strength_{name}", "x", f"strength, {name} semantics") for name in strengths),
        ("passage", "t", "first passage that makes it"),
        ("document", "t", "title of its document"),
        ("source", "t", "file of its document"),
        ("page", "n", "page, where there are pages"),
    )
    status = {one.id: one for one in result.statuses}
    rows = []
    for claim in result.claims:
        first = claim.passages[0] if claim.passages else None
        rows.append(
            (
                *(names[claim.id], claim.id, claim.text, claim.speaker, claim.weight),
                *(status[claim.id].status, status[claim.id].why),
                *(claim.id in chosen for _, chosen in accepted),
                *(values[claim.id] for values in strengths.values()),
                *((first.text, first.title, first.source, first.page) if first else (None,) * 4),
            )
        )
    return Sheet("claims.csv", "the claims with their status and first passage", columns, rows)


def _relations(result: ArgumentNetwork, names: Mapping[str, str]) -> Sheet:
    columns = (
        ("source", "t", "claim that attacks or supports"),
        ("target", "t", "claim that is attacked or supported"),
        ("type", "t", "attack or support; supported, secondary, mediated, extended: attacks derived"),
        ("derived", "b", "true where support brings the attack about"),
        ("weight", "x", "weight as given"),
        ("passage", "t", "first passage that states it"),
    )
    stated = [
        (
            names[r.source],
            names[r.target],
            r.type,
            False,
            r.weight,
            r.passages[0].text if r.passages else None,
        )
        for r in result.relations
    ]
    derived = [(names[d.source], names[d.target], d.kind, True, None, None) for d in result.derived_attacks]
    return Sheet("relations.csv", "attacks and supports, stated and derived", columns, [*stated, *derived])


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


def _passages(result: ArgumentNetwork) -> Iterator[tuple[str, Passage]]:
    for claim in result.claims:
        for passage in claim.passages:
            yield claim.id, passage
    for relation in result.relations:
        for passage in relation.passages:
            yield f"{relation.source}->{relation.target}", passage
