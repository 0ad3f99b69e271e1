"""Every named condition of the causal tool, provoked, with the record it names; priors, weights, cycles."""

from collections.abc import Iterable
from itertools import permutations
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.tasks.analysis.causal.models import PrepareCausalModel
from corpusgraph.tasks.analysis.causal.structure import MAX_CYCLES, cycles
from corpusgraph.tasks.export.causal.bundle import causal_bundle
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.examples import tried
from tests.prepare.causal_graphs import ask

AB = ("a b", "a>b")


def refused(asked: PrepareCausalModel) -> CorpusgraphError:
    with pytest.raises(CorpusgraphError) as error:
        prepare_causal_model(asked)
    return error.value


def with_nodes(*nodes: dict[str, Any], **more: Any) -> PrepareCausalModel:
    return PrepareCausalModel.model_validate({"entities": nodes, **more})


ROWS = [{"a": "u", "b": "p", "w": 2.0}, {"a": "v", "b": "q", "w": 1.0}]
ERRORS: list[tuple[str, PrepareCausalModel, str]] = [
    ("cyclic_graph", ask("a b c", "a>b b>c c>a"), "a -> b -> c -> a"),
    ("duplicate_id", with_nodes({"id": "a", "name": "one"}, {"id": "a", "name": "two"}), "'a'"),
    ("duplicate_id", ask(*AB, data=[{"a": 1, "A": 2, "b": 3}]).model_copy(
        update={"entities": with_nodes({"id": "a", "name": "A"}, {"id": "b"}).entities}), "'A'"),
    ("dangling_edge", ask("a", "a>b"), "'b'"),
    ("no_query", ask(*AB, model_type="do_calculus", outcome="b"), "exposure"),
    ("no_query", ask(*AB, exposure="a"), "outcome"),
    ("no_query", ask(*AB, given="a"), "exposure"),
    ("no_query", ask(*AB, exposure="a", outcome="a"), "'a' is exposure and outcome"),
    ("cpt_not_normalised", with_nodes({"id": "a", "states": ["x", "y"], "cpt": [0.5, 0.6]},
                                      model_type="bayesian"), "'a'"),
    ("needs_discretisation", ask(*AB, model_type="bayesian", data=[{"a": 0.5, "b": 1}, {"a": 0.7, "b": 2}]), "'a'"),
    ("unknown_relation_type", with_nodes({"id": "a"}, {"id": "b"}, relationships=[
        {"id": "r9", "source_id": "a", "target_id": "b", "type": "likes"}]), "'r9'"),
    ("empty_id", with_nodes({"id": "a"}, {"id": "  "}), "2"),
    ("unknown_variable", ask(*AB, exposure="a", outcome="bb"), "'bb'"),
    ("unknown_variable", ask(*AB, data=ROWS, weights="v"), "'v'"),
    ("unknown_variable", ask(*AB, weights="v"), "no data"),
    ("unknown_variable", with_nodes({"id": "a", "states": ["x", "y"], "cpt": [{"given": {"z": "1"}, "p": [0.5, 0.5]}]},
                                    model_type="bayesian"), "'z', which is no parent"),
    ("probability_out_of_range", with_nodes({"id": "a"}, {"id": "b"}, relationships=[
        {"id": "r9", "source_id": "a", "target_id": "b", "confidence": 7}]), "'r9'"),
    ("unknown_edge", ask(*AB, drop_edges=[["b", "a"]]), "b -> a"),
    ("self_confounded", ask("a", "a<>a"), "'a'"),
    ("bidirected_in_bayesian", ask("a b", "a<>b", model_type="bayesian"), "bidirected"),
    ("weight_not_finite", ask(*AB, data=[*ROWS, {"a": "u", "b": "p", "w": None}], weights="w"), "Row 3"),
    ("weight_not_finite", ask(*AB, data=[*ROWS, {"a": "u", "b": "p", "w": "two"}], weights="w"), "Row 3"),
    ("weight_not_positive", ask(*AB, data=[{**ROWS[0], "w": 0.0}], weights="w"), "Row 1"),
    ("empty_table", ask(*AB, data=[]), "columns"),
    ("unknown_state", with_nodes({"id": "a", "states": ["x", "y"]}, model_type="bayesian", data=[{"a": "z"}]), "'z'"),
    ("invalid_input", with_nodes({"id": "a"}, {"id": "b"}, {"id": "c"}, exposure="a", outcome="b", given="a"),
     "'a' is exposure and given"),
    ("invalid_input", with_nodes({"id": "a", "adjusted": True}, {"id": "b"}, exposure="a", outcome="b"),
     "'a' is exposure and adjusted"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "asked", "named"), ERRORS, ids=[f"{c}-{n}" for c, _, n in ERRORS])
def test_an_error_has_its_code_and_names_the_record(code: str, asked: PrepareCausalModel, named: str) -> None:
    error = refused(asked)
    assert error.code == code
    assert named in str(error)


WARNINGS: list[tuple[str, PrepareCausalModel, tuple[str, ...]]] = [
    ("duplicate_identical", with_nodes({"id": "a"}, {"id": "a"}), ("a",)),
    ("parallel_edges_merged", ask("a b", "a>b a>b"), ("a->b",)),
    ("unseen_configuration", ask("a b c", "a>c b>c", model_type="bayesian", data=[
        {"a": "0", "b": "0", "c": "p"}, {"a": "1", "b": "1", "c": "q"}]), ("c | a=0, b=1", "c | a=1, b=0")),
    ("edges_dropped", ask(*AB, drop_edges=["a->b"]), ("a -> b",)),
    ("data_unused", ask(*AB, data=ROWS), ("w",)),
    ("no_cpt", ask(*AB, model_type="bayesian"), ("a", "b")),
    ("cyclic_graph", ask("a b c", "a>b b>a b>c c>b", on_cycle="report"), ("a -> b -> a", "b -> c -> b")),
]  # fmt: skip


@pytest.mark.parametrize(("code", "asked", "records"), WARNINGS, ids=[code for code, _, _ in WARNINGS])
def test_a_warning_has_its_code_and_its_records(
    code: str, asked: PrepareCausalModel, records: tuple[str, ...]
) -> None:
    told = {w.code: w.records for w in prepare_causal_model(asked).warnings}
    assert told[code] == records


def test_names_that_change_are_in_the_name_map() -> None:
    noted = prepare_causal_model(with_nodes({"id": "1", "name": "nước bẩn?"}, {"id": "2", "name": "if"}))
    lines = causal_bundle(noted.data, noted.warnings)["name_map.csv"].decode().splitlines()
    assert lines == ["id,old_name,new_name", "1,nước bẩn?,nước_bẩn_", "2,if,if_"]


@pytest.mark.parametrize(("prior", "p"), [("none", 2 / 3), ("laplace", 3 / 5), ("bdeu", (2 + 1) / (3 + 2))])
def test_the_prior_is_stated_and_used(prior: str, p: float) -> None:
    """BDeu: 4 rows spread over 2 x 2 cells are 1 a cell (Heckerman et al. 1995, equation 28)."""
    rows = [{"a": "u", "b": "p"}, {"a": "u", "b": "p"}, {"a": "u", "b": "q"}, {"a": "v", "b": "q"}]
    asked = ask(*AB, model_type="bayesian", data=rows, prior=prior, equivalent_sample_size=4)
    table = prepare_causal_model(asked).data.cpts[1]
    assert table.prior == prior
    assert table.prior_weight == (0 if prior == "none" else 1)
    assert table.rows[0].p[0] == pytest.approx(p)


def test_weights_stand_for_rows() -> None:
    weighted = ask(*AB, model_type="bayesian", data=ROWS, weights="w", prior="none")
    again = ask(*AB, model_type="bayesian", data=[ROWS[0], *ROWS], prior="none")
    ours, theirs = (prepare_causal_model(asked).data.cpts for asked in (weighted, again))
    assert ours == theirs
    assert ours[0].rows[0].p == pytest.approx((2 / 3, 1 / 3))


def elementary(pairs: Iterable[tuple[str, str]]) -> set[tuple[str, ...]]:
    """Return the cycles by trying every order of every subset, the first node the smallest."""
    arrows = set(pairs)
    nodes = sorted({node for pair in arrows for node in pair})
    found = set()
    for size in range(1, len(nodes) + 1):
        for walk in permutations(nodes, size):
            closed = (*walk, walk[0])
            if walk[0] == min(walk) and all(
                step in arrows for step in zip(closed, walk[1:] + walk[:1], strict=False)
            ):
                found.add(closed)
    return found


@given(st.sets(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=12))
@settings(max_examples=tried(60), deadline=None)
def test_all_elementary_cycles_are_found(pairs: set[tuple[str, str]]) -> None:
    found, complete = cycles(tuple("abcde"), pairs)
    assert complete
    assert set(found) == elementary(pairs)
    assert [len(walk) for walk in found] == sorted(len(walk) for walk in found)


def test_a_long_list_of_cycles_is_cut_and_keeps_the_shortest_of_each_group() -> None:
    nodes = tuple(f"n{i:02}" for i in range(20))
    pairs = [(a, b) for a in nodes[:12] for b in nodes[:12] if a != b] + [(nodes[12], nodes[13])]
    pairs += [(nodes[i], nodes[i + 1]) for i in range(13, 19)] + [(nodes[19], nodes[12])]
    found, complete = cycles(nodes, pairs)
    assert not complete
    assert len(found) == MAX_CYCLES
    assert len(found[0]) == 3
    assert (*nodes[12:], nodes[12]) in found
    assert all(step in pairs for walk in found for step in nx.utils.pairwise(walk))
    noted = prepare_causal_model(
        ask(" ".join(nodes), " ".join(f"{a}>{b}" for a, b in pairs), on_cycle="report")
    )
    assert {w.code for w in noted.warnings} == {"cyclic_graph", "list_cut"}


def test_a_conditional_effect_may_be_identifiable_where_the_effect_is_not() -> None:
    """P(y | do(x), z) where z takes up all that the unobserved cause does (Shpitser & Pearl 2006, fig. 1)."""
    found = prepare_causal_model(
        ask("x z y", "x>z z>y x<>y z<>x", model_type="do_calculus", exposure="x", outcome="y", given="z")
    ).data
    assert found.identifiable is False
    assert found.conditional is not None
    assert found.conditional.identifiable is False
    second = prepare_causal_model(
        ask("x z y", "z>x z>y x>y", model_type="do_calculus", exposure="x", outcome="y", given="z")
    ).data
    assert second.conditional is not None
    assert second.conditional.estimand == "P(y | do(x), z) = P(y | x, z)"


def test_two_variables_of_one_name_are_told_apart_in_the_formula() -> None:
    found = prepare_causal_model(
        with_nodes({"id": "1", "name": "rain"}, {"id": "2", "name": "rain"}, exposure="1", outcome="2")
    ).data
    assert found.estimand == "P(rain [2] | do(rain [1])) = P(rain [2] | rain [1])"


def test_plain_dictionaries_are_enough() -> None:
    """As in the first interface: entities with id and name, relationships with ends and type."""
    result = TOOLS["prepare_causal_model"].call(
        {
            "entities": [{"id": "1", "name": "water"}, {"id": "2", "name": "cholera"}],
            "relationships": [{"source_id": "1", "target_id": "2", "type": "causes"}],
            "model_type": "dag",
        },
        {},
    )
    assert result.success
    assert [node.name for node in result.data.nodes] == ["water", "cholera"]
