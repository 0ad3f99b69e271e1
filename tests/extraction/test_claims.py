"""Claims, who makes them, and what supports or attacks them."""

import pytest

from corpusgraph.schemas.evidence import Evidence
from tests.extraction.given import found


def links(evidence: Evidence) -> set[tuple[str, str, str]]:
    text = {claim.id: claim.text for claim in evidence.claims}
    return {(text[link.source], link.type, text[link.target]) for link in evidence.arguments}


@pytest.mark.parametrize(
    ("text", "claim", "speaker", "stance"),
    [
        (
            "John Snow argued that bad water caused cholera.",
            "bad water caused cholera",
            "John Snow",
            "asserts",
        ),
        ("John Snow denied that bad air caused cholera.", "bad air caused cholera", "John Snow", "denies"),
        ("The parish must close the pump.", "The parish must close the pump", None, "asserts"),
        ("Bad air did not cause cholera.", "Bad air did not cause cholera", None, "denies"),
        (
            "It is evident that the theory fails here.",
            "It is evident that the theory fails here",
            None,
            "asserts",
        ),
    ],
)
def test_a_claim_has_words_speaker_and_stance(
    text: str, claim: str, speaker: str | None, stance: str
) -> None:
    (made,) = found(text).claims
    assert (made.text, made.speaker, made.stance) == (claim, speaker, stance)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The pump must close, because the water causes cholera.",
            ("the water causes cholera", "support", "The pump must close"),
        ),
        (
            "The water causes cholera. Therefore the pump must close.",
            ("The water causes cholera", "support", "the pump must close"),
        ),
        (
            "Foul air must cause cholera. However, the clean streets suffered most.",
            ("the clean streets suffered most", "attack", "Foul air must cause cholera"),
        ),
        (
            "Liberty must stay, for it nourishes the whole state.",
            ("it nourishes the whole state", "support", "Liberty must stay"),
        ),
    ],
)
def test_connectives_join_claims(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in links(found(text))


def test_a_denial_attacks_what_it_denies_anywhere_in_the_document() -> None:
    evidence = found("Foul air caused cholera. It rained. The foul air did not cause cholera.")
    assert links(evidence) == {("The foul air did not cause cholera", "attack", "Foul air caused cholera")}


def test_because_of_is_no_argument() -> None:
    assert found("The pump must close because of the smell.").arguments == ()
