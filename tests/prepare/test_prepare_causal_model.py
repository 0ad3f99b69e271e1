"""Tool 24: structure, errors, cycles, queries and conditional probability tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.results import Column, Scored, Table
from corpusgraph.tasks.analysis.causal.models import PrepareCausalModel
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.prepare.causal_graphs import ask, query

SPRINKLER = [  # Russell & Norvig, Artificial Intelligence: the wet lawn
    {"id": "cloudy", "states": ["yes", "no"], "cpt": [0.5, 0.5]},
    {"id": "sprinkler", "states": ["yes", "no"], "cpt": [[0.1, 0.9], [0.5, 0.5]]},
    {"id": "rain", "cpt": [{"given": {"cloudy": "no"}, "p": {"yes": 0.2, "no": 0.8}},
                           {"given": {"cloudy": "yes"}, "p": {"yes": 0.8, "no": 0.2}}]},
    {"id": "wet", "states": ["yes", "no"], "cpt": [[0.99, 0.01], [0.9, 0.1], [0.9, 0.1], [0.0, 1.0]]},
]  # fmt: skip
SPRINKLER_EDGES = [
    {"source_id": a, "target_id": b}
    for a, b in (("cloudy", "sprinkler"), ("cloudy", "rain"), ("sprinkler", "wet"), ("rain", "wet"))
]


def model(**fields: object) -> PrepareCausalModel:
    return PrepareCausalModel.model_validate(fields)


def code(asked: PrepareCausalModel) -> str:
    with pytest.raises(CorpusgraphError) as error:
        prepare_causal_model(asked)
    return error.value.code


def test_a_cycle_is_named_and_never_broken() -> None:
    asked = ask("a b c d", "a>b b>c c>a c>d")
    with pytest.raises(CorpusgraphError, match="a -> b -> c -> a") as error:
        prepare_causal_model(asked)
    assert error.value.code == "cyclic_graph"
    assert error.value.hint is not None
    assert "drop_edges" in error.value.hint


def test_dropping_the_named_arrow_is_recorded() -> None:
    noted = prepare_causal_model(ask("a b c d", "a>b b>c c>a c>d", drop_edges=[["c", "a"]]))
    assert noted.data.acyclic
    assert noted.data.topological_order == ("a", "b", "c", "d")
    assert [(e.source_id, e.target_id) for e in noted.data.dropped_edges] == [("c", "a")]
    assert [w.code for w in noted.warnings] == ["edges_dropped"]


def test_a_cycle_may_be_reported_instead() -> None:
    noted = prepare_causal_model(ask("a b c", "a>b b>a b>c", on_cycle="report"))
    assert not noted.data.acyclic
    assert noted.data.cycles == (("a", "b", "a"),)
    assert len(noted.data.edges) == 3
    assert noted.data.minimal_adjustment_sets is None
    assert [w.code for w in noted.warnings] == ["cyclic_graph"]


def test_a_self_loop_is_a_cycle() -> None:
    assert code(ask("a", "a>a")) == "cyclic_graph"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"entities": [{"id": "a"}, {"id": "a", "name": "b"}]}, "duplicate_id"),
        ({"entities": [{"id": " "}]}, "empty_id"),
        ({"entities": [{"id": "a"}], "relationships": [{"source_id": "a", "target_id": "b"}]}, "dangling_edge"),
        (
            {
                "entities": [{"id": "a"}, {"id": "b"}],
                "relationships": [{"source_id": "a", "target_id": "b", "type": "likes"}],
            },
            "unknown_relation_type",
        ),
        ({"entities": [{"id": "a"}], "model_type": "do_calculus", "exposure": "a"}, "no_query"),
        ({"entities": [{"id": "a"}, {"id": "b"}], "exposure": "a", "outcome": "c"}, "unknown_variable"),
        ({"entities": [{"id": "a"}], "exposure": "a", "outcome": "a"}, "no_query"),
        ({"entities": [{"id": "a"}], "drop_edges": [["a", "b"]]}, "unknown_edge"),
        ({"entities": [{"id": "a", "latent": True, "adjusted": True}]}, "invalid_input"),
    ],
)  # fmt: skip
def test_bad_input_is_a_named_condition(fields: dict[str, object], expected: str) -> None:
    assert code(model(**fields)) == expected


def test_what_is_wrong_with_many_items_is_said_once() -> None:
    told = TOOLS["prepare_causal_model"].call({"entities": ["a"] * 1000 + [{"id": 3}]}, {}).error
    assert told is not None
    assert told.message.count("dictionary") == 1, told.message
    assert "entities.0: " in told.message
    assert "(and 999 more like it); entities.1000.id: " in told.message


def test_identical_records_and_parallel_edges_are_merged() -> None:
    edge = {"source_id": "a", "target_id": "b"}
    noted = prepare_causal_model(
        model(
            entities=[{"id": "a"}, {"id": "a"}, {"id": "b"}], relationships=[edge, {**edge, "id": "second"}]
        )
    )
    assert [w.code for w in noted.warnings] == ["duplicate_identical", "parallel_edges_merged"]
    assert len(noted.data.edges) == 1


def test_names_may_be_used_in_the_query_and_unknown_fields_pass_through() -> None:
    noted = prepare_causal_model(
        model(
            entities=[{"id": "e1", "name": "Regen", "colour": "blue"}, {"id": "e2", "name": "Lũ lụt"}],
            relationships=[{"source_id": "e1", "target_id": "e2", "page": 3}],
            exposure="Regen",
            outcome="Lũ lụt",
        )
    )
    assert noted.data.estimand == "P(Lũ lụt | do(Regen)) = P(Lũ lụt | Regen)"
    assert noted.data.nodes[0].model_dump()["colour"] == "blue"
    assert noted.data.edges[0].model_dump()["page"] == 3


def test_nouns_and_scored_items_of_other_tools_are_taken_as_they_are() -> None:
    a, b = Entity(id="a", name="water"), Entity(id="b", name="cholera", type="concept")
    arrow = Relationship(id="r", source_id="a", target_id="b", type="causes", is_causal=True)
    found = prepare_causal_model(
        model(entities=[Scored(item=a, score=1, rank=1), b.model_dump()], relationships=[arrow])
    ).data
    assert [node.label for node in found.nodes] == ["water", "cholera"]
    assert found.edges[0].confidence == 1.0


def test_an_effect_that_is_not_identifiable_is_a_result() -> None:
    found = query("x y", "x>y x<>y")
    assert found.identifiable is False
    assert found.minimal_adjustment_sets == ()
    assert found.hedge is not None
    assert found.hedge.model_dump() == {"forest": ("x", "y"), "inner": ("y",)}


def test_an_adjusted_collider_opens_and_must_stay() -> None:
    entities = [{"id": n, "adjusted": n == "m"} for n in ("a", "b", "m", "x", "y")]
    edges = [{"source_id": a, "target_id": b} for a, b in ("ax", "am", "bm", "by", "xy")]
    found = prepare_causal_model(
        model(entities=entities, relationships=edges, exposure="x", outcome="y")
    ).data
    assert found.minimal_adjustment_sets == (("a", "m"), ("b", "m"))


def test_selection_on_a_child_of_the_outcome_is_not_recoverable() -> None:
    entities = [{"id": "x"}, {"id": "y"}, {"id": "s", "selected": True}]
    edges = [{"source_id": a, "target_id": b} for a, b in ("xy", "ys")]
    found = prepare_causal_model(
        model(entities=entities, relationships=edges, exposure="x", outcome="y")
    ).data
    assert found.minimal_adjustment_sets == ()
    assert found.identifiable is None
    assert found.reason.startswith("not decided")


def test_given_tables_are_kept_in_the_order_of_parents_and_states() -> None:
    found = prepare_causal_model(
        model(entities=SPRINKLER, relationships=SPRINKLER_EDGES, model_type="bayesian")
    ).data
    tables = {table.node: table for table in found.cpts}
    assert tables["wet"].parents == ("sprinkler", "rain")
    assert [row.p[0] for row in tables["wet"].rows] == [0.99, 0.9, 0.9, 0.0]
    assert [(row.given["cloudy"], row.p) for row in tables["rain"].rows] == [
        ("yes", (0.8, 0.2)),
        ("no", (0.2, 0.8)),
    ]


@pytest.mark.parametrize(
    ("cpt", "expected"),
    [
        ([0.5, 0.6], "cpt_not_normalised"),
        ([1.5, -0.5], "cpt_not_normalised"),
        ([float("nan"), 1.0], "cpt_not_normalised"),
        (["a", "b"], "cpt_not_normalised"),
        ([0.5, 0.4, 0.1], "cpt_incomplete"),
        ([], "cpt_incomplete"),
        ({"yes": 1.0, "maybe": 0.0}, "unknown_state"),
    ],
)
def test_a_wrong_table_is_an_error(cpt: object, expected: str) -> None:
    asked = model(entities=[{"id": "a", "states": ["yes", "no"], "cpt": cpt}], model_type="bayesian")
    assert code(asked) == expected


def test_tables_from_data_are_posterior_means() -> None:
    rows = [{"a": "u", "b": 1}, {"a": "u", "b": 1}, {"a": "u", "b": 0}, {"a": "v", "b": None}]
    noted = prepare_causal_model(
        model(
            entities=[{"id": "a"}, {"id": "b"}],
            relationships=[{"source_id": "a", "target_id": "b"}],
            model_type="bayesian",
            data=rows,
        )
    )
    first, second = noted.data.cpts
    assert first.rows[0].p == pytest.approx((4 / 6, 2 / 6))
    assert second.states == ("0", "1")
    assert [row.p for row in second.rows] == [pytest.approx((2 / 5, 3 / 5)), (0.5, 0.5)]
    assert [w.code for w in noted.warnings] == ["unseen_configuration"]
    assert noted.warnings[0].records == ("b | a=v",)


def test_a_table_may_be_the_data() -> None:
    data = Table(columns=(Column(name="a", dtype="nominal"),), rows=(("x",), ("y",), ("y",)))
    found = prepare_causal_model(
        model(entities=[{"id": "a"}], model_type="bayesian", data=data, prior_weight=0)
    ).data
    assert found.cpts[0].rows[0].p == pytest.approx((1 / 3, 2 / 3))


def test_measurements_need_classes_first() -> None:
    rows = [{"a": 0.1}, {"a": 0.25}]
    assert code(model(entities=[{"id": "a"}], model_type="bayesian", data=rows)) == "needs_discretisation"


def test_the_envelope_carries_the_code() -> None:
    tool = TOOLS["prepare_causal_model"]
    result = tool.call({"entities": [{"id": "a"}], "model_type": "do_calculus"}, {})
    assert not result.success
    assert result.error is not None
    assert result.error.code == "no_query"
    assert tool.number == 24


@given(st.permutations("abcd"))
def test_the_order_of_records_does_not_change_what_follows(order: list[str]) -> None:
    edges = "a>b a>c b>d c>d"
    found = query(" ".join(order), edges, "b", "d")
    assert {frozenset(s) for s in found.minimal_adjustment_sets or ()} == {frozenset("a"), frozenset("c")}
