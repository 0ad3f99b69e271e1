"""The argument bundle: solver files and claims with status and passage."""

import csv
import io
import json
from pathlib import Path

import pytest

from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, PrepareArgumentNetwork
from corpusgraph.tasks.export.argument.bundle import argument_bundle
from corpusgraph.tasks.tools.prepare import prepare_argument_network

PASSAGE = {
    "evidence_id": "clm_1", "document_id": "doc_1", "chunk_id": "chk_1", "start": 0, "end": 9,
    "text": "Foul air causes cholera.", "title": "Report", "page": 3,
}  # fmt: skip


def run(**more: object) -> ArgumentNetwork:
    fields: dict[str, object] = {
        "claims": [
            {"id": "clm_1", "text": "Foul air, says the board, causes it", "passages": [PASSAGE]},
            {"id": "clm_2", "text": "Water does"},
            {"id": "clm_3", "text": "The pump was foul"},
        ],
        "relations": [
            {"source": "clm_2", "target": "clm_1", "type": "attack"},
            {"source": "clm_3", "target": "clm_2", "type": "support"},
        ],
        "framework": "bipolar",
        **more,
    }
    return prepare_argument_network(PrepareArgumentNetwork.model_validate(fields)).data


@pytest.fixture
def bundle() -> dict[str, bytes]:
    return argument_bundle(run(), name="debate")


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_solver_files_hold_the_attacks_the_extensions_rest_on(bundle: dict[str, bytes]) -> None:
    assert bundle["framework.af"].decode() == "p af 3\n2 1\n3 1\n"
    assert bundle["framework.apx"].decode() == "arg(a1).\narg(a2).\narg(a3).\natt(a2,a1).\natt(a3,a1).\n"
    assert bundle["framework.tgf"].decode() == "a1\na2\na3\n#\na2 a1 attack\na3 a2 support\n"


def test_claims_have_status_reason_acceptance_and_passage(bundle: dict[str, bytes]) -> None:
    first, second, third = rows(bundle["claims.csv"])
    assert (first["status"], first["why"]) == ("rejected", "attacked by accepted clm_2, clm_3")
    assert (first["passage"], first["document"], first["page"]) == ("Foul air causes cholera.", "Report", "3")
    assert (second["status"], third["sceptical_preferred"]) == ("accepted", "TRUE")
    assert first["credulous_preferred"] == "FALSE"


def test_json_holds_extensions_and_derived_attacks(bundle: dict[str, bytes]) -> None:
    network = json.loads(bundle["network.json"])
    assert network["extensions"]["preferred"] == [["clm_2", "clm_3"]]
    assert network["derived_attacks"] == [
        {"source": "clm_3", "target": "clm_1", "kind": "supported", "in_force": True}
    ]


def test_the_bundle_is_whole_and_never_changes(bundle: dict[str, bytes]) -> None:
    assert bundle.keys() >= {
        "codebook.json",
        "name_map.csv",
        "provenance.parquet",
        "manifest.json",
        "README.md",
    }
    assert argument_bundle(run(), name="debate") == bundle
    columns = {(e["file"], e["name"]) for e in json.loads(bundle["codebook.json"])}
    for name in ("claims.csv", "relations.csv", "extensions.csv"):
        header = bundle[name].decode().partition("\n")[0].split(",")
        assert {(name, column) for column in header} <= columns


def test_strengths_are_columns_of_a_weighted_network() -> None:
    relations = [{"source": "clm_2", "target": "clm_1", "type": "attack", "weight": 2}]
    bundle = argument_bundle(run(framework="weighted", relations=relations, budget=2, semantics=["grounded"]))
    assert [r["strength_h_categoriser"] for r in rows(bundle["claims.csv"])] == ["0.5", "1", "1"]
    sets = {(r["semantics"], r["arguments"]) for r in rows(bundle["extensions.csv"])}
    assert sets == {("grounded", "a2 a3"), ("budget_grounded", "a2 a3"), ("budget_grounded", "a1 a2 a3")}


def test_an_empty_network_has_headers_only() -> None:
    bundle = argument_bundle(run(claims=[], relations=[]))
    assert rows(bundle["claims.csv"]) == []
    assert bundle["framework.af"] == b"p af 0\n"


@pytest.mark.parametrize("seed", range(3))
def test_another_solver_reads_the_files_and_finds_the_same_extensions(seed: int, tmp_path: Path) -> None:
    from pygarg.dung import apx_parser, dimacs_parser
    from pygarg.dung.solver import extension_enumeration

    claims = [{"id": f"c{n}"} for n in range(24)]
    relations = [
        {"source": a["id"], "target": b["id"], "type": "attack"}
        for i, a in enumerate(claims)
        for j, b in enumerate(claims)
        if (i * i * 7 + j * j * 11 + i * j * 3 + seed) % 13 == 0
    ]
    network = run(claims=claims, relations=relations, framework="dung")
    bundle = argument_bundle(network)
    for name, parser, prefix in (("framework.af", dimacs_parser, "a"), ("framework.apx", apx_parser, "")):
        (tmp_path / name).write_bytes(bundle[name])
        arguments, attacks = parser.parse(str(tmp_path / name))
        assert (len(arguments), len(attacks)) == (24, len(relations))
        for code, semantics in (
            ("PR", "preferred"),
            ("CO", "complete"),
            ("ST", "stable"),
            ("SST", "semi_stable"),
        ):
            listed = getattr(network.extensions, semantics)
            ours = {frozenset(f"a{int(c[1:]) + 1}" for c in s) for s in listed}
            theirs = extension_enumeration(arguments, attacks, code)
            assert {frozenset(f"{prefix}{a}" for a in s) for s in theirs} == ours
