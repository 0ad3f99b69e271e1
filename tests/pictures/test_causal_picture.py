"""The picture of a causal model shows every node and arrow, its query, its cycles and its answer."""

from typing import Any

import pytest

from corpusgraph.tasks.analysis.causal.models import CausalModel, PrepareCausalModel
from corpusgraph.tasks.export.causal.figure import KINDS, MOST_NODES, causal_picture
from corpusgraph.tasks.export.figures.page import RED
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.pictures.look import look, overlaps
from tests.pictures.made import model, query

ODD = 'Nguyễn & <b>"霍乱"</b> 😀 $x^2$'


def test_every_node_and_edge_is_drawn_and_named() -> None:
    drawn = look(causal_picture(query("X Y Z W", "Z>X Z>Y X>Y W>X X~Y")))
    assert drawn.numbered("node") == {"node-1", "node-2", "node-3", "node-4"}
    assert drawn.numbered("edge") == {f"edge-{n}" for n in range(1, 6)}
    assert [drawn.of(f"node-{n}-text") for n in range(1, 5)] == ["X", "Y", "Z", "W"]
    assert [drawn.hint(f"edge-{n}") for n in (1, 5)] == ["Z → X", "X ↔ Y"]
    assert drawn.is_dashed("edge-5")
    assert not drawn.is_dashed("edge-1")


def test_kinds_differ_in_colour_and_in_shape() -> None:
    looks = {(kind.shape, kind.look.fill) for kind in KINDS.values()}
    assert len({fill for _, fill in looks}) == len(looks) == len(KINDS)
    drawn = look(
        causal_picture(
            query(
                "X Y Z L S A",
                "Z>X Z>Y L>Y X>Y X>S A>Y",
                L={"latent": True},
                S={"selected": False},
                A={"adjusted": True},
            )
        )
    )
    fills = [drawn.fill(f"node-{n}") for n in range(1, 7)]
    expected = ["exposure", "outcome", "to adjust", "latent", "observed", "adjusted"]
    assert fills == [str(KINDS[name].look.fill) for name in expected]
    for word in ("exposure", "outcome", "to adjust for", "latent", "adjusted for"):
        assert word in drawn.words


@pytest.mark.parametrize(
    ("arrows", "said"),
    [
        ("Z>X Z>Y X>Y", "Identifiable by adjusting for Z."),
        ("X>Y", "Identifiable by no adjustment."),
        ("X>Y X~Y", "not identifiable"),
        ("X>Z Z>Y X~Y", "Identifiable by the front door Z."),
    ],
)
def test_the_caption_answers_the_query(arrows: str, said: str) -> None:
    assert said in look(causal_picture(query("X Y Z", arrows))).caption()


def test_arrows_on_a_cycle_are_red_and_no_others() -> None:
    drawn = look(causal_picture(model("A B C D", "A>B B>C C>A C>D D>D")))
    red = {gid for gid in drawn.numbered("edge") if drawn.stroke(gid) == RED}
    assert red == {"edge-1", "edge-2", "edge-3", "edge-5"}
    assert "A → B → C → A" in drawn.caption()


def test_arrows_grow_with_confidence_and_tell_what_speaks_against_them() -> None:
    entities = [{"id": name} for name in "ABC"]
    edges = [
        {"id": "1", "source_id": "A", "target_id": "B", "confidence": 0.1, "n_for": 1, "n_against": 0},
        {
            "id": "2",
            "source_id": "A",
            "target_id": "C",
            "confidence": 0.9,
            "n_for": 3,
            "n_against": 2,
            "sign": -1,
        },
    ]
    ask = PrepareCausalModel.model_validate({"entities": entities, "relationships": edges})
    drawn = look(causal_picture(prepare_causal_model(ask).data))
    assert drawn.of("edge-2-text") == "− 3:2"
    assert "3 passages for, 2 against" in drawn.hint("edge-2")
    widths = [float(_style(drawn.groups[f"edge-{n}"], "stroke-width")) for n in (1, 2)]
    assert widths[1] > 1.5 * widths[0]


def _style(group: Any, name: str) -> str:
    from lxml import etree

    text = etree.tostring(group).decode()
    return text.split(f"{name}: ", 1)[1].split(";")[0].split('"')[0]


def test_states_of_a_bayesian_network_are_counted() -> None:
    data = [{"A": a, "B": b} for a in ("no", "yes", "may") for b in ("0", "1")]
    ask = {"entities": [{"id": "A"}, {"id": "B"}], "relationships": [{"source_id": "A", "target_id": "B"}]}
    made = prepare_causal_model(
        PrepareCausalModel.model_validate({**ask, "model_type": "bayesian", "data": data})
    )
    drawn = look(causal_picture(made.data))
    assert (drawn.of("node-1-text"), drawn.of("node-2-text")) == ("A 3 states", "B 2 states")


def test_removed_arrows_are_shown_as_removed() -> None:
    drawn = look(causal_picture(model("A B", "A>B B>A", drop_edges=["r1"])))
    assert drawn.is_dashed("dropped-1")
    assert drawn.numbered("edge") == {"edge-1"}


def test_a_large_graph_keeps_the_query_and_says_what_is_left_out() -> None:
    names = [f"n{at:04d}" for at in range(2_000)]
    arrows = [(names[at // 2], names[at]) for at in range(1, 2_000)] + [
        (names[at], names[-1]) for at in range(1_990, 1_999)
    ]
    nodes = [{"id": name, "name": f"a rather long name of variable {name} " * 6} for name in names]
    edges = [{"id": f"{a}{b}", "source_id": a, "target_id": b, "type": "causes"} for a, b in arrows]
    large = CausalModel.model_validate(
        {
            "model_type": "dag",
            "nodes": nodes,
            "edges": edges,
            "exposure": [names[1]],
            "outcome": [names[1_500]],
        }
    )
    files = causal_picture(large)
    drawn = look(files)
    assert len(drawn.numbered("node")) == MOST_NODES
    assert {"node-2", "node-1501"} <= drawn.numbered("node")
    assert f"Left out of the picture: {2_000 - MOST_NODES:,} variables" in drawn.caption()
    assert len(files["figure.png"]) < 400_000
    assert not overlaps(drawn)


def test_odd_names_are_drawn_as_they_are_and_marked_where_the_png_cannot() -> None:
    drawn = look(causal_picture(model("A B", "A>B", A={"name": ODD}, B={"name": "x" * 200})))
    assert drawn.hint("node-1").startswith(ODD)
    assert "霍乱" in drawn.of("node-1-text")
    assert drawn.of("node-2-text").endswith("…")
    assert "figure.svg has it" in drawn.words


def test_no_arrow_and_no_node() -> None:
    assert look(causal_picture(model("A", ""))).numbered("node") == {"node-1"}
    empty = CausalModel(model_type="dag", nodes=(), edges=())
    assert "0 variables, 0 edges" in look(causal_picture(empty)).caption()
