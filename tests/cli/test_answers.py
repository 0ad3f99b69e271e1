"""What is said below an answer on a terminal."""

from corpusgraph.flows.cli.console import warnings_of
from corpusgraph.schemas.results import ToolWarning

LEAD = "There is no language model: "


def test_what_steps_did_without_a_language_model_is_one_message() -> None:
    told = [
        ToolWarning(code="no_llm", message=f"names: {LEAD}names are found by rules."),
        ToolWarning(code="not_linked", message="links: 1 of the names are like no entity: Spain."),
        ToolWarning(code="no_llm", message=f"kept: {LEAD}likeness decides."),
        ToolWarning(code="no_llm", message=f"again: {LEAD}likeness decides."),
    ]
    assert warnings_of(told) == [
        ("no_llm", f"{LEAD}names are found by rules; likeness decides."),
        ("not_linked", "links: 1 of the names are like no entity: Spain."),
    ]


def test_nothing_is_lost_and_nothing_told_twice() -> None:
    odd = ToolWarning(code="no_llm", message="The model is away.")
    assert warnings_of([odd, odd]) == [("no_llm", "The model is away.")]
    assert warnings_of([]) == []
