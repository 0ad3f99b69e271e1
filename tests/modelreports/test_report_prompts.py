"""What a report is written from: within its tokens, and the same while its members are."""

import pytest

from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.llm import Prompt
from corpusgraph.tasks.build.aggregate import Derived
from corpusgraph.tasks.build.llm.report import ReportPrompts, write_model_reports
from corpusgraph.tasks.text.tokens import count_tokens
from tests.derive.build import Made, made
from tests.llm.fake import FakeModel
from tests.modelreports.build import (
    OPTIONS,
    PEOPLE,
    clan,
    families,
    grouped,
    pair_document,
    section,
    sentences,
    tree,
    writing,
)


def prompts(graph: Derived, communities: list[Community], tokens: int = 6000) -> list[Prompt]:
    model = FakeModel(writing)
    options = OPTIONS.model_copy(update={"report_tokens": tokens})
    given = (communities, graph.entities, graph.relationships, graph.passages)
    write_model_reports(model, ReportPrompts(*given, options))
    return model.prompts


@pytest.mark.parametrize("tokens", [300, 330, 400, 500, 800, 6000])
def test_no_prompt_passes_its_tokens(tokens: int) -> None:
    graph, communities = tree(clan())
    for prompt in prompts(graph, communities, tokens):
        assert count_tokens(prompt.system) + count_tokens(prompt.user) <= tokens
        assert sentences(prompt)


def test_what_does_not_fit_is_the_least_central() -> None:
    hub = [pair_document(n, "Ada Ash", other) for n, other in enumerate(PEOPLE[1:])]
    twice = [pair_document(50 + n, "Ada Ash", "Cora Elm", "once more.") for n in range(3)]
    graph, communities = grouped([*hub, *twice])
    (prompt,) = prompts(graph, communities, 300)
    members = section(prompt, "Members")
    assert len(members) < len(PEOPLE)
    assert members[0].startswith("- Ada Ash ") or members[1].startswith("- Ada Ash ")
    assert any(line.startswith("- Cora Elm ") for line in members)


def test_the_largest_part_is_the_first_a_report_stands_for() -> None:
    graph, communities = tree([*clan(), pair_document(95, "Ben Elm", "Ben Ash", "on a longer voyage. " * 2)])
    everything = prompts(graph, communities)[-1]
    just_too_few = count_tokens(everything.system) + count_tokens(everything.user) - 1
    root = prompts(graph, communities, just_too_few)[-1]
    (part,) = section(root, "Reports on parts")
    assert part.startswith("- On Ben ")
    assert {line.split()[1] for line in section(root, "Members")} == {"Ada", "Cora"}
    tie = "- Ada Elm helps Ben Ash: aid 90"
    assert tie in section(root, "Relationships")


def test_a_prompt_with_room_for_no_sentence_is_not_asked() -> None:
    graph, communities = grouped(families())
    assert prompts(graph, communities, 50) == []


def test_the_order_of_documents_changes_nothing() -> None:
    corpus = clan()
    expected = prompts(*tree(corpus), 450)
    for order in (corpus[::-1], corpus[7:] + corpus[:7], corpus[::2] + corpus[1::2]):
        assert prompts(*tree(order), 450) == expected


@pytest.mark.parametrize("tokens", [450, 6000])
def test_a_new_passage_changes_only_prompts_with_its_member_and_above(tokens: int) -> None:
    graph, communities = tree(clan())
    after, same = tree([*clan(), by_one("Ada Ash")])
    old, new = prompts(graph, communities, tokens), prompts(after, same, tokens)
    order = sorted(communities, key=lambda community: -community.level)
    changed = [c.id for c, one, other in zip(order, old, new, strict=True) if one != other]
    assert changed == ["com_Ada", "com_all"]


def by_one(name: str) -> Made:
    """A document on one person, whom its first sentence defines."""
    return made("d900", f"{name} was a captain of the third fleet, and of the fourth.", [(name, "person")])


def test_counting_before_asks_nothing_and_equals_what_is_asked() -> None:
    graph, communities = grouped(families())
    given = (communities, graph.entities, graph.relationships, graph.passages)
    assert ReportPrompts(*given, OPTIONS).prompts() == prompts(graph, communities)


def test_a_sentence_that_is_the_description_is_shown_once() -> None:
    corpus = [
        made("d1", "Ann met Ben in town.", [("Ann", "person"), ("Ben", "person")], [("Ann", "meets", "Ben")])
    ]
    graph, communities = grouped(corpus)
    (prompt,) = prompts(graph, communities)
    assert prompt.user.count("Ann met Ben in town.") == 1
    assert section(prompt, "Relationships") == ["- Ann meets Ben"]
