"""Reports on communities that a model writes, bottom-up, each finding with the sentences it rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.study import LanguageOptions
from corpusgraph.tasks.index.aggregate import Passage
from corpusgraph.tasks.index.llm.report_lines import Lines
from corpusgraph.tasks.index.llm.report_said import SaidReport, Usable, usable, wrong
from corpusgraph.tasks.index.llm.report_view import Part, View, Viewer
from corpusgraph.tasks.index.llm.wording import failure_of, plain
from corpusgraph.tasks.index.reports import extractive, report_id
from corpusgraph.tasks.query.prompting import ask_all

STAGE = "reports"
EXTRACTIVE = "extractive"


@dataclass(frozen=True)
class Given:
    """What reports are written from."""

    communities: Sequence[Community]
    entities: Sequence[Entity]
    relationships: Sequence[Relationship]
    passages: Mapping[str, Passage]
    options: LanguageOptions

    def levels(self) -> list[list[Community]]:
        """Return the communities level by level, the deepest first."""
        levels = sorted({community.level for community in self.communities}, reverse=True)
        return [[c for c in self.communities if c.level == level] for level in levels]

    def viewer(self, hint: str, titles: Mapping[str, str] | None) -> Viewer:
        """Return what makes the prompts."""
        lines = Lines(self.entities, self.relationships, self.passages, titles or {})
        return Viewer(lines, self.options.report_tokens, hint, self.options.language)

    def is_worth_it(self, community: Community) -> bool:
        """Tell whether a community is large enough for a written report."""
        return len(community.entity_ids) >= self.options.min_report_size


def write_model_reports(
    llm: LanguageModel,
    communities: Sequence[Community],
    entities: Sequence[Entity],
    relationships: Sequence[Relationship],
    passages: Mapping[str, Passage],
    options: LanguageOptions,
    *,
    hint: str = "",
    titles: Mapping[str, str] | None = None,
) -> tuple[list[CommunityReport], list[Failure]]:
    """Write one report per community, in the order given, and say what failed or was left out.

    The deepest level comes first and is asked at once, then the one above it, whose prompts may hold reports
    of the level below. A community of less than `options.min_report_size` members, one without any sentence,
    and one whose call fails has the extractive report; `titles` are those of documents by id.
    """
    given = Given(communities, entities, relationships, passages, options)
    viewer, by_rule = given.viewer(hint, titles), extractive(entities, relationships, passages)
    written: dict[str, Part] = {}
    failures: list[Failure] = []
    for level in given.levels():
        views = [viewer.view(community, written) for community in level if given.is_worth_it(community)]
        asked = [view for view in views if view.passages]
        said, failed = _ask(llm, asked, options.language)
        failures += failed
        for community in level:
            report = said.get(community.id) or by_rule(community)
            written[community.id] = Part(community, report)
    return [written[community.id].report for community in communities], failures


def report_prompts(
    communities: Sequence[Community],
    entities: Sequence[Entity],
    relationships: Sequence[Relationship],
    passages: Mapping[str, Passage],
    options: LanguageOptions,
    *,
    hint: str = "",
    titles: Mapping[str, str] | None = None,
) -> list[Prompt]:
    """Return one prompt for each report that `write_model_reports` asks for, the deepest level first.

    Exactly those that will be asked, but where a community does not fit: there extractive reports stand for
    those of its parts that are still to be written.
    """
    given = Given(communities, entities, relationships, passages, options)
    viewer, by_rule = given.viewer(hint, titles), extractive(entities, relationships, passages)
    written = {c.id: Part(c, by_rule(c)) for c in communities if c.parent_id is not None}
    worth = [c for level in given.levels() for c in level if given.is_worth_it(c)]
    return [view.prompt for view in (viewer.view(c, written) for c in worth) if view.passages]


def _ask(
    llm: LanguageModel, views: Sequence[View], language: str | None
) -> tuple[dict[str, CommunityReport], list[Failure]]:
    """Return the reports of one level by community id, and what failed or was left out of them."""
    known: dict[int, tuple[SaidReport, Usable]] = {}

    def read(place: int, said: SaidReport) -> Usable:
        view = views[place]
        if place not in known or known[place][0] is not said:
            known[place] = said, usable(said, view.passages, view.name_stems, language)
        return known[place][1]

    def accept(place: int, said: SaidReport) -> str | None:
        return wrong(said, read(place, said), len(views[place].passages))

    replies = ask_all(llm, [view.prompt for view in views], SaidReport, accept)
    reports: dict[str, CommunityReport] = {}
    failures: list[Failure] = []
    for place, (view, reply) in enumerate(zip(views, replies, strict=True)):
        if reply.value is None:
            failures.append(_failed(view, reply))
            continue
        found = read(place, reply.value)
        reports[view.community.id] = _report(view.community, reply.value, found, llm.name)
        if found.left_out:
            failures.append(_left_out(view, found.left_out, len(reply.value.findings)))
    return reports, failures


def _report(community: Community, said: SaidReport, found: Usable, method: str) -> CommunityReport:
    return CommunityReport(
        id=report_id(community.id),
        community_id=community.id,
        level=community.level,
        title=plain(said.title),
        summary=plain(said.summary),
        findings=found.findings,
        rating=said.rating,
        rating_explanation=plain(said.rating_explanation),
        method=method,
    )


def _failed(view: View, reply: Reply[SaidReport]) -> Failure:
    return failure_of(reply, STAGE, view.community.title or view.community.id, view.community.id)


def _left_out(view: View, left_out: int, n: int) -> Failure:
    return Failure(
        source=view.community.title or view.community.id,
        stage=STAGE,
        code="uncited_finding",
        message=f"{left_out} of {n} findings cite no passage that says so; they are left out.",
        item=view.community.id,
    )


def with_reports(communities: Sequence[Community], reports: Sequence[CommunityReport]) -> list[Community]:
    """Give communities title and rating of the reports that a model wrote on them."""
    told = {r.community_id: {"title": r.title, "rating": r.rating} for r in reports if r.method != EXTRACTIVE}
    return [c.model_copy(update=told[c.id]) if c.id in told else c for c in communities]
