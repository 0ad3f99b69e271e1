"""A date or a quantity is one mention; a phrase is one where it is stated something of, or where it repeats."""

from tests.every import every
from tests.extraction.given import found


@every(
    "text, surface",
    [
        ("The pump was closed on 8 September 1854.", "8 September 1854"),
        ("The pump stood 40 metres from the well.", "40 metres"),
        ("The water had 3 percent of salt.", "3 percent"),
    ],
)
def test_a_value_is_one_mention_that_tells_what_it_is_worth(text: str, surface: str) -> None:
    (value,) = (m for m in found(text).mentions if m.type in {"date", "quantity"})
    assert (value.surface, bool(value.attributes)) == (surface, True)


def phrases(text: str) -> set[str]:
    return {m.surface.lower() for m in found(text).mentions if m.attributes.get("noun_phrase")}


def test_a_phrase_of_several_words_that_repeats_is_a_mention_wherever_it_stands() -> None:
    thrice = "They looked at the pump handle. She sat by the pump handle. He stood near a pump handle."
    repeated = [m for m in found(thrice).mentions if m.cue == "repeated phrase"]
    assert [m.surface for m in repeated] == ["pump handle"] * 3
    assert "pump handle" not in {m.surface for m in found("He stood near a pump handle.").mentions}


def test_what_a_pronoun_stands_for_is_no_mention_unless_something_is_stated_of_it() -> None:
    assert not phrases("The farmer arrived. He slept.")
    assert "farmer" in phrases("The farmer arrived. He admired the handle.")
