"""A method file as data."""

import pytest

from corpusgraph.schemas.errors import MethodFileError
from corpusgraph.schemas.method import Loop, Step, Union
from tests.method.given import method, steps


def test_a_step_has_a_tool_inputs_a_name_a_condition_and_a_line() -> None:
    first, second = steps(
        "  - entity_vdb_search: {query: $q, top_k: 3}\n    as: links\n    when: not $x\n  - community_by_layer"
    ).steps
    assert first == Step(
        id="links",
        tool="entity_vdb_search",
        inputs={"query": "$q", "top_k": 3},
        when="not $x",
        line=2,
    )
    assert second == Step(id="community_by_layer", tool="community_by_layer", line=5)


def test_the_chain_may_be_called_pipeline() -> None:
    made = method("pipeline:\n  - entity_vdb_search: {top_k: 20}\n")
    assert (made.method, made.steps[0].id, made.answer) == ("m", "entity_vdb_search", {})


def test_the_head_of_a_method() -> None:
    made = method(
        "method: hipporag\ntitle: HippoRAG\nabout: |\n  Two\n  lines.\ncite: x\naliases: [hippo]\nquery: entities\n"
        "graph: {kind: kg, synonym_edges: {threshold: 0.8}}\nanswer: none\nadapt: true\nsteps: []\n"
    )
    assert made.about == "Two lines."
    assert made.query == ("entities",)
    assert made.graph.kind == "kg"
    assert made.graph.options == {"synonym_edges": {"threshold": 0.8}}
    assert made.answer is None
    assert made.adapt


def test_a_union_and_a_loop() -> None:
    union, loop = steps(
        "  - union: [$a, $b]\n    as: seeds\n    by: rrf\n    weights: [1, 2]\n"
        "  - loop: {rounds: 3, carry: {f: $a}, steps: [{entity_onehop_neighbors: {}}], next: {f: $g}, until: $e}\n"
    ).steps
    assert union == Union(id="seeds", union=("$a", "$b"), by="rrf", weights=(1, 2), line=2)
    assert isinstance(loop, Loop)
    assert (loop.id, loop.rounds, loop.carry, loop.until) == ("loop", 3, {"f": "$a"}, "$e")
    assert loop.steps[0].id == "entity_onehop_neighbors"


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("- a\n", 1, "a method is a mapping"),
        ("{}\n", 1, "a method is a mapping"),
        ("stps: []\n", 1, "unknown key 'stps'. Did you mean 'steps'?"),
        ("method: x\npipeline: []\nsteps: []\n", 2, "unknown key 'pipeline'"),
        ("method: Hippo RAG\nsteps: []\n", 1, "method: string should match pattern"),
        ("steps: {}\n", 1, "steps is a list of steps"),
        ("steps:\n  - {entity_vdb_search: {}, whn: $x}\n", 2, "unknown key 'whn'. Did you mean 'when'?"),
        ("steps:\n  - {as: x}\n", 2, "a step names a tool, a union or a loop"),
        ("steps:\n  - entity_vdb_search: 3\n", 2, "what entity_vdb_search is given is a mapping"),
        ("steps:\n  - entity_vdb_search: {3: x}\n", 2, "the key 3 is no text"),
        ("steps:\n  - 3\n", 2, "a step is a mapping"),
        ("steps:\n  - union: [$a]\n    by: mean\n", 3, "by: input should be 'max', 'sum', 'rrf' or 'first'"),
        ("steps:\n  - union: []\n", 2, "union: tuple should have at least 1 item"),
        ("steps:\n  - union: [$a]\n    top_k: 0\n", 3, "top_k: input should be greater than 0"),
        ("steps:\n  - loop: {stesp: []}\n", 2, "unknown key 'stesp'. Did you mean 'steps'?"),
        ("steps:\n  - loop: {rounds: 2}\n", 2, "steps: tuple should have at least 1 item"),
        (
            "steps:\n  - loop:\n      rounds: 0\n      steps: [a]\n",
            3,
            "rounds: input should be greater than 0",
        ),
        ("steps:\n  - loop:\n      steps:\n        - {b: {}, wen: x}\n", 4, "unknown key 'wen'"),
        ("graph: {kind: kgg}\nsteps: []\n", 1, "kind: input should be 'none', 'tree'"),
        ("query: [names]\nsteps: []\n", 1, "query.0: input should be 'entities' or 'keywords'"),
        ("answer: [x]\nsteps: []\n", 1, "answer (unless it is none) is a mapping"),
    ],
)
def test_what_is_wrong_is_told_with_file_line_and_nearest_key(text: str, line: int, told: str) -> None:
    with pytest.raises(MethodFileError) as caught:
        method(text)
    assert str(caught.value).startswith(f"m.yml:{line}: ")
    assert told in str(caught.value)
