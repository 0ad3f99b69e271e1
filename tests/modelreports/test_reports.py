"""Reports that a model writes: cited, bottom-up, and by rule where it writes none."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.graph import Community, CommunityReport
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.study import LanguageOptions
from corpusgraph.tasks.build.aggregate import Derived, Passage
from corpusgraph.tasks.build.llm.report import (
    MAX_SOURCES,
    ReportPrompts,
    SaidReport,
    usable,
    with_reports,
    write_model_reports,
)
from corpusgraph.tasks.build.reports import write_reports
from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.modelreports.build import OPTIONS, clan, families, grouped, section, sentences, tree, writing

GRAPH, COMMUNITIES = grouped(families())
CLAN, TREE = tree(clan())


def written(
    model: FakeModel,
    options: LanguageOptions = OPTIONS,
    graph: Derived = GRAPH,
    communities: list[Community] = COMMUNITIES,
    **more: Any,
) -> tuple[list[CommunityReport], list[Failure]]:
    given = (communities, graph.entities, graph.relationships, graph.passages)
    return write_model_reports(model, ReportPrompts(*given, options, **more))


def by_rule() -> list[CommunityReport]:
    return write_reports(COMMUNITIES, GRAPH.entities, GRAPH.relationships, GRAPH.passages)


def saying(**more: Any) -> FakeModel:
    """Return a model that reports as `writing` does, but for some fields."""

    def say(prompt: Prompt, answer: type[BaseModel]) -> dict[str, Any]:
        return {**writing(prompt, answer), **more}

    return FakeModel(say)


def test_each_finding_is_the_text_it_cites_and_what_the_model_says_of_it() -> None:
    model = FakeModel(writing, name="fake model")
    reports, failures = written(model)
    assert failures == []
    assert len(reports) == len(COMMUNITIES) == 3
    texts = {one.document.id: one.document.text for one in families()}
    for report, community, prompt in zip(reports, COMMUNITIES, model.prompts, strict=True):
        assert (report.community_id, report.level) == (community.id, community.level)
        assert (report.method, report.rating) == ("fake model", 7.0)
        assert len(report.findings) == len(sentences(prompt)) == 6
        for finding, shown in zip(report.findings, sentences(prompt), strict=True):
            assert texts[finding.document_id][finding.start : finding.end] == finding.text == shown
            assert finding.summary == shown
            assert finding.chunk_id
    assert [report.id for report in reports] == [report.id for report in by_rule()]


def test_a_prompt_shows_members_relationships_and_sentences_and_no_ids() -> None:
    model = FakeModel(writing)
    written(model, titles={"d000": "Log of the Albatross"})
    prompt = next(p for p in model.prompts if "Ada Ash" in p.user)
    assert "- Ada Ash (person): Ada Ash is a sailor" in section(prompt, "Members")
    assert "- Ada Ash helps Ada Birch: aid 0" in section(prompt, "Relationships")
    assert "Ada Ash helped Ada Birch on voyage 0. (Log of the Albatross)" in sentences(prompt)
    assert section(prompt, "Reports on parts") == []
    assert not any(mark in prompt.user for mark in ("ent_", "rel_", "com_", "chk_", "d000", "d001"))


@pytest.mark.parametrize(("tokens", "rests_on_parts"), [(6000, False), (700, True)])
def test_a_level_is_asked_at_once_after_its_parts(tokens: int, rests_on_parts: bool) -> None:
    asked: list[list[str]] = []

    class Batches(FakeModel):
        def ask(self, prompts: Any, answer: Any, accept: Any = None) -> Any:
            asked.append([prompt.user for prompt in prompts])
            return super().ask(prompts, answer, accept)

    options = OPTIONS.model_copy(update={"report_tokens": tokens})
    reports, _ = written(Batches(writing), options, graph=CLAN, communities=TREE)
    assert {community.level for community in TREE} == {0, 1}
    told = [["Reports on parts" in user for user in step] for step in asked]
    assert told == [[False] * 3, [rests_on_parts]]
    assert [report.community_id for report in reports] == [community.id for community in TREE]


@pytest.mark.parametrize("tokens", [450, 700])
def test_where_a_community_does_not_fit_reports_stand_for_its_parts(tokens: int) -> None:
    model = FakeModel(writing)
    reports, failures = written(model, OPTIONS.model_copy(update={"report_tokens": tokens}), CLAN, TREE)
    assert failures == []
    root = model.prompts[-1]
    parts = section(root, "Reports on parts")
    by_id = {report.community_id: report for report in reports}
    top = next(community for community in TREE if community.level == 0)
    titles = [by_id[id_].title for id_ in top.children]
    assert 1 <= len(parts) <= len(titles)
    assert all(any(line.startswith(f"- {title}: ") for title in titles) for line in parts)
    cited = {f.text for id_ in top.children for f in by_id[id_].findings}
    assert cited & set(sentences(root))
    told = next(by_id[id_] for id_ in top.children if parts[0].startswith(f"- {by_id[id_].title}: "))
    members = next(c for c in TREE if c.id == told.community_id).entity_ids
    names = {e.name for e in CLAN.entities if e.id in members}
    assert not any(line.startswith(f"- {name} (") for name in names for line in section(root, "Members"))


def test_prompts_can_be_told_before() -> None:
    model = FakeModel(writing)
    written(model, graph=CLAN, communities=TREE)
    given = (TREE, CLAN.entities, CLAN.relationships, CLAN.passages)
    assert ReportPrompts(*given, OPTIONS).prompts() == model.prompts
    small = OPTIONS.model_copy(update={"report_tokens": 450})
    model = FakeModel(writing)
    written(model, small, CLAN, TREE)
    told = ReportPrompts(*given, small).prompts()
    assert len(told) == len(model.prompts)
    assert told[:-1] == model.prompts[:-1]
    assert section(told[-1], "Reports on parts")


def test_small_communities_and_those_without_a_sentence_cost_no_call() -> None:
    model = FakeModel(writing)
    assert written(model, LanguageOptions(min_report_size=5)) == (by_rule(), [])
    bare = Derived(GRAPH.entities, GRAPH.relationships, {})
    reports, failures = written(model, graph=bare)
    assert [report.method for report in reports] == ["extractive"] * 3
    assert (failures, model.prompts) == ([], [])


def test_a_failed_call_is_told_and_the_report_is_extractive() -> None:
    reports, failures = written(FakeModel(writing, fault="error"))
    assert reports == by_rule()
    assert [(f.stage, f.item, f.retry, f.code) for f in failures] == [
        ("reports", community.id, True, "no_reply") for community in COMMUNITIES
    ]


def test_a_finding_without_a_source_is_left_out_and_counted() -> None:
    def say(prompt: Prompt, answer: type[BaseModel]) -> dict[str, Any]:
        said = writing(prompt, answer)
        first, second, *rest = said["findings"]
        return {**said, "findings": [{**first, "sources": "[1], 99"}, {**second, "sources": [0, 77]}, *rest]}

    reports, failures = written(FakeModel(say))
    assert [len(report.findings) for report in reports] == [5, 5, 5]
    assert [(f.code, f.retry, f.is_left_out) for f in failures] == [("uncited_finding", False, True)] * 3
    assert failures[0].message.startswith("1 of 6 findings")


def test_a_finding_on_several_sentences_has_a_row_for_each() -> None:
    finding = {
        "summary": "They helped one another.",
        "explanation": "On voyages [1, 2].",
        "sources": [2, 1, 2],
    }
    reports, _ = written(saying(findings=[finding, finding]))
    for report in reports:
        assert [f.summary for f in report.findings] == ["They helped one another."] * 2
        assert {f.explanation for f in report.findings} == {"On voyages."}
        assert report.findings[0].start == report.findings[1].start == 0
        assert report.findings[0].document_id > report.findings[1].document_id


def test_of_many_sources_those_are_kept_that_share_its_words() -> None:
    texts = ["The pump leaks.", "A ship sailed.", *(f"The pump broke on day {n}." for n in range(9))]
    shown = [Passage("d1", "c1", n, n + 1, None, text) for n, text in enumerate(texts)]
    finding = {"summary": "A bad pump.", "sources": list(range(1, 12))}
    said = SaidReport.model_validate({"title": "T", "summary": "S", "rating": 1, "findings": [finding]})
    kept = [row.start for row in usable(said, shown, frozenset(), None)[0]]
    assert kept == [0, 2, 3, 4, 5, 6][:MAX_SOURCES]


@pytest.mark.parametrize(
    "more",
    [
        {"findings": []},
        {"findings": [{"summary": "They helped.", "sources": [99]}]},
        {"findings": [{"summary": "Napoleon lost at Waterloo.", "explanation": "", "sources": [1]}]},
        {"findings": [{"summary": "Это другой язык", "explanation": "", "sources": [1]}]},
        {"title": " "},
        {"summary": "[1]"},
        {"rating": 11},
        {"rating": "high"},
        {"rating": "-1"},
        {"rating": None},
    ],
    ids=lambda more: str(more)[:40],
)
def test_a_worthless_report_is_refused(more: dict[str, Any]) -> None:
    reports, failures = written(saying(**more))
    assert reports == by_rule()
    assert [failure.retry for failure in failures] == [True] * 3


@pytest.mark.parametrize(
    ("said", "rating"),
    [
        ("7/10", 7),
        ("7.5", 7.5),
        ("7,5", 7.5),
        (3, 3),
        ("80 %", 8),
        ("4 out of 5", 8),
        ("Rating: 6", 6),
        (0, 0),
        (10, 10),
    ],
)
def test_ratings_are_read_as_models_write_them(said: object, rating: float) -> None:
    report = SaidReport.model_validate({"title": "T", "summary": "S", "rating": said, "findings": []})
    assert report.rating == pytest.approx(rating)


@pytest.mark.parametrize("said", [10.1, -0.5, "12/10", "1/0", float("nan"), True, "", [5]])
def test_ratings_outside_are_refused(said: object) -> None:
    with pytest.raises(ValidationError):
        SaidReport.model_validate({"title": "T", "summary": "S", "rating": said, "findings": []})


def test_in_a_language_asked_for_words_are_not_compared() -> None:
    finding = {"summary": "Это помощь", "explanation": "", "sources": [1]}
    model = saying(title="Моряки", summary="Моряки", findings=[finding])
    reports, failures = written(model, OPTIONS.model_copy(update={"language": "Russian"}))
    assert failures == []
    assert {report.title for report in reports} == {"Моряки"}
    assert "Write in this language: Russian." in model.prompts[0].system


def test_a_hint_is_part_of_the_instructions() -> None:
    model = FakeModel(writing)
    written(model, hint="Mind the ships.")
    assert all("Mind the ships." in prompt.system for prompt in model.prompts)


def test_communities_take_title_and_rating_of_written_reports_alone() -> None:
    reports, _ = written(FakeModel(writing))
    assert [(c.title, c.rating) for c in with_reports(COMMUNITIES, reports)] == [
        (r.title, 7.0) for r in reports
    ]
    assert with_reports(COMMUNITIES, by_rule()) == COMMUNITIES


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_of_a_model_loses_a_report_or_invents_a_source(fault: Fault) -> None:
    reports, failures = written(FakeModel(writing, fault=fault))
    texts = {one.document.id: one.document.text for one in families()}
    assert [report.community_id for report in reports] == [community.id for community in COMMUNITIES]
    failed = {failure.item for failure in failures if failure.retry}
    for report in reports:
        assert report.findings
        assert all(texts[f.document_id][f.start : f.end] == f.text for f in report.findings)
        assert len({(f.summary, f.document_id, f.start) for f in report.findings}) == len(report.findings)
        assert (report.method == "extractive") == (report.community_id in failed)
