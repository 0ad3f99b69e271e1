"""The picture of an argument network shows every claim by its status and every relation by its kind."""

import pytest

from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, ClaimStatus, Extensions
from corpusgraph.tasks.export.argument.figure import ARROWS, KINDS, MOST_CLAIMS, argument_picture
from tests.pictures.look import look, overlaps
from tests.pictures.made import network


def test_claims_have_the_colour_of_their_grounded_status() -> None:
    made = network("abcde", "ab bc de ed")
    drawn = look(argument_picture(made))
    status = {one.id: one.status for one in made.statuses}
    assert status == {"a": "accepted", "b": "rejected", "c": "accepted", "d": "undecided", "e": "undecided"}
    for at, claim in enumerate(made.claims, 1):
        assert drawn.fill(f"node-{at}") == KINDS[status[claim.id]].look.fill
    for word in ("accepted", "rejected", "undecided", "attacks"):
        assert word in drawn.words.splitlines()
    assert "2 accepted, 1 rejected, 2 undecided. 4 attacks." in drawn.caption()


def test_statuses_differ_in_colour_and_shape() -> None:
    assert (
        len({kind.shape for kind in KINDS.values()}) == len({kind.look.fill for kind in KINDS.values()}) == 3
    )


def test_attacks_are_solid_red_and_supports_dashed_green() -> None:
    drawn = look(argument_picture(network("abc", "ab", "bc")))
    assert drawn.stroke("edge-1") == ARROWS["attack"][0].edge
    assert drawn.stroke("edge-2") == ARROWS["support"][0].edge
    assert (drawn.is_dashed("edge-1"), drawn.is_dashed("edge-2")) == (False, True)
    assert drawn.hint("edge-1") == "1 attacks 2"
    assert drawn.hint("edge-2") == "2 supports 3"


def test_every_relation_is_there_also_mutual_ones_and_self_attacks() -> None:
    drawn = look(argument_picture(network("abc", "ab ba cc bc")))
    assert drawn.numbered("edge") == {"edge-1", "edge-2", "edge-3", "edge-4"}
    assert {drawn.hint(f"edge-{n}") for n in (1, 2)} == {"1 attacks 2", "2 attacks 1"}
    assert drawn.hint("edge-3") == "3 attacks 3"


def test_a_key_has_the_text_of_every_claim_by_its_number() -> None:
    drawn = look(argument_picture(network("abcdefgh", "ab cd ef gh")))
    for at, name in enumerate("abcdefgh", 1):
        assert drawn.of(f"node-{at}-text") == str(at)
        assert drawn.of(f"key-{at}") == f"claim {name}"


@pytest.mark.parametrize(
    ("claims", "attacks"),
    [("abcdefghij", "ab bc cd de ef fg gh hi ij ja"), ("abcdef", "ab ac ad ae af"), ("abcd", "")],
)
def test_no_text_lies_over_another(claims: str, attacks: str) -> None:
    assert overlaps(look(argument_picture(network(claims, attacks)))) == []


def test_a_large_network_is_cut_to_its_largest_parts_and_says_so() -> None:
    n = 600
    relations = [{"source": f"c{at // 3}", "target": f"c{at}", "type": "attack"} for at in range(1, n - 100)]
    made = ArgumentNetwork.model_validate(
        {
            "framework": "dung",
            "claims": [{"id": f"c{at}", "text": f"long text {at} " * 30} for at in range(n)],
            "relations": relations,
            "extensions": Extensions(),
            "acceptance": {},
            "statuses": [ClaimStatus(id=f"c{at}", status="undecided", why="") for at in range(n)],
        }
    )
    files = argument_picture(made)
    drawn = look(files)
    shown = drawn.numbered("node")
    assert 2 <= len(shown) <= MOST_CLAIMS
    assert f"Left out of the picture: {n - len(shown):,} claims" in drawn.caption()
    assert len(files["figure.png"]) < 400_000
    assert not overlaps(drawn)


def test_odd_texts_and_an_empty_network() -> None:
    odd = network("ab", "ab", claims=[{"id": "a", "text": 'x<y> & "霍乱" ' * 60}, {"id": "b", "text": ""}])
    drawn = look(argument_picture(odd))
    assert "霍乱" in drawn.of("key-1")
    assert drawn.of("key-1").endswith("…")
    assert drawn.of("key-2") == "b"
    empty = ArgumentNetwork(
        framework="dung", claims=(), relations=(), extensions=Extensions(), acceptance={}, statuses=()
    )
    assert "no claims" in look(argument_picture(empty)).caption()
