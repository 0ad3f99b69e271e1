"""Bad input to an argument network: each code, with the record that it names."""

import math
from itertools import pairwise

import pytest

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, PrepareArgumentNetwork
from corpusgraph.tasks.tools.prepare import prepare_argument_network

Record = dict[str, object]


def run(**fields: object) -> tuple[ArgumentNetwork, dict[str, ToolWarning]]:
    noted = prepare_argument_network(PrepareArgumentNetwork.model_validate({"claims": [], **fields}))
    return noted.data, {w.code: w for w in noted.warnings}


ONE, TWO = [{"id": "a"}], [{"id": "a"}, {"id": "b"}]


def edge(kind: str = "attack", **more: object) -> Record:
    return {"source": "a", "target": "b", "type": kind, **more}


@pytest.mark.parametrize(
    ("fields", "code", "named"),
    [
        ({"claims": [{"id": "a"}, {"id": " "}]}, "empty_id", "Claim 2"),
        ({"arguments": ["a", "\t", "b"]}, "empty_id", "Argument 2"),
        ({"claims": [{"id": "a"}, {"id": "a", "text": "x"}]}, "duplicate_id", "'a'"),
        ({"claims": ONE, "relations": [edge()]}, "dangling_edge", "'b'"),
        ({"arguments": ["a"], "attacks": [("a", "a"), ("a", "b")]}, "dangling_edge", "'b'"),
        ({"arguments": ["a"], "framework": "bipolar", "supports": [("z", "a")]}, "dangling_edge", "'z'"),
        ({"claims": TWO, "relations": [edge("support")]}, "support_in_dung", "a -> b"),
        ({"arguments": ["a", "b"], "supports": [("a", "b")]}, "support_in_dung", "a -> b"),
        ({"claims": TWO, "relations": [edge("rebuts")]}, "unknown_relation_type", "'rebuts'"),
        ({"claims": TWO, "relations": [edge(weight=0)]}, "weight_not_positive", "a -> b"),
        ({"claims": TWO, "relations": [edge(weight=-1)]}, "weight_not_positive", "a -> b"),
        ({"claims": TWO, "relations": [edge(weight=math.inf)]}, "weight_not_finite", "a -> b"),
        ({"claims": [{"id": "a", "weight": math.nan}]}, "weight_not_finite", "'a'"),
        ({"claims": [{"id": "a", "weight": -0.1}], "framework": "weighted"}, "weight_out_of_range", "'a'"),
        ({"claims": ONE, "semantics": ["prefered"]}, "unknown_semantics", "'prefered'"),
    ],
)
def test_an_error_names_its_record(fields: Record, code: str, named: str) -> None:
    with pytest.raises(CorpusgraphError) as error:
        run(**fields)
    assert error.value.code == code
    assert named in error.value.message


def test_support_in_dung_offers_bipolar() -> None:
    with pytest.raises(CorpusgraphError) as error:
        run(claims=TWO, relations=[edge("support")])
    assert "bipolar" in (error.value.hint or "")


def test_identical_claims_are_merged() -> None:
    network, warned = run(claims=[{"id": "a"}, {"id": "a"}], arguments=["b", "a", "b"])
    assert [claim.id for claim in network.claims] == ["a", "b"]
    assert warned["duplicate_identical"].records == ("b",) or warned["duplicate_identical"].records == (
        "a",
        "b",
    )


def test_parallel_edges_are_merged_with_the_larger_weight() -> None:
    network, warned = run(
        claims=TWO, relations=[edge(weight=1), edge(weight=3)], attacks=[("a", "b"), ("b", "a")]
    )
    assert [(r.source, r.target, r.weight) for r in network.relations] == [("a", "b", 3), ("b", "a", None)]
    assert warned["parallel_edges_merged"].records == ("a -> b", "a -> b")


def test_attack_and_support_is_named() -> None:
    _, warned = run(claims=TWO, framework="bipolar", relations=[edge("support")], attacks=[("a", "b")])
    assert warned["attack_and_support"].records == ("a -> b",)


def test_long_chains_of_support_are_an_error_and_not_all_of_the_memory() -> None:
    names = [f"c{i}" for i in range(1_600)]
    chain = list(pairwise(names))
    with pytest.raises(CorpusgraphError) as error:
        run(arguments=names, supports=chain, attacks=[chain[0]], framework="bipolar", semantics=["grounded"])
    assert error.value.code == "too_many_derived_attacks"


def test_no_extension_is_named() -> None:
    network, warned = run(arguments=["a"], attacks=[("a", "a")])
    assert warned["no_extension"].records == ("stable",)
    assert "stable" not in network.labels


def test_a_self_attack_is_legal_and_kept() -> None:
    network, warned = run(claims=ONE, relations=[edge(target="a")])
    assert [(r.source, r.target) for r in network.relations] == [("a", "a")]
    assert network.statuses[0].status == "undecided"
    assert network.statuses[0].standings[0].cycle == ("a",)
    assert set(warned) == {"no_extension"}


def test_a_million_names_in_a_message_are_a_few() -> None:
    names = [f"c{i}" for i in range(3_000)]
    _, warned = run(arguments=names, attacks=[(n, n) for n in names for _ in "xy"], semantics=["grounded"])
    merged = warned["parallel_edges_merged"]
    assert len(merged.records) == 3_000
    assert len(merged.message) < 1_000


def test_ids_of_any_script_and_reserved_words() -> None:
    names = ["", "a,b", "null", "arg(a).", "#", "Nguyễn", "論点", "a\u0000b"]
    network, _ = run(arguments=names[1:], attacks=[(names[1], names[2]), ("論点", "Nguyễn")])
    assert network.extensions.grounded == ("a,b", "arg(a).", "#", "論点", "a\u0000b")
    assert network.labels["grounded"].rejected == ("null", "Nguyễn")


def test_plain_dictionaries_and_bare_ids_are_the_same_network() -> None:
    records, _ = run(claims=TWO, relations=[edge()])
    bare, _ = run(arguments=["a", "b"], attacks=[("a", "b")])
    assert records == bare


def test_a_very_large_network_stays_ids_and_pairs() -> None:
    names = tuple(f"c{i}" for i in range(50_001))
    network, _ = run(arguments=names, attacks=[names[:2]], semantics=["grounded"], explain=False)
    assert (network.claims, network.arguments, network.attacks) == ((), names, (names[:2],))
    assert [claim.id for claim in network.with_records().claims[:2]] == ["c0", "c1"]
