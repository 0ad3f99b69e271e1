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

    What fits into a prompt rests on no other report. The rest is written after its parts, the deepest level
    first, and what nobody waits for is asked along with it: so calls wait for others as seldom as can be. A
    community of less than `options.min_report_size` members, one without any sentence, and one whose call
    fails has the extractive report; `titles` are those of documents by id.
    """
    given = Given(communities, entities, relationships, passages, options)
    viewer, by_rule = given.viewer(hint, titles), extractive(entities, relationships, passages)
    by_id = {community.id: community for community in communities}
    written: dict[str, CommunityReport] = {}
    failures: list[Failure] = []

    def parts(community: Community) -> dict[str, Part]:
        found = [by_id[id_] for id_ in community.children if id_ in by_id]
        return {part.id: Part(part, written.get(part.id) or by_rule(part)) for part in found}

    for step in _steps(given, viewer):
        views = [view or viewer.view(community, parts(community)) for community, view in step]
        said, failed = _ask(llm, [view for view in views if view.passages], options.language)
        written |= said
        failures += failed
    return [written.get(community.id) or by_rule(community) for community in communities], failures


def _steps(given: Given, viewer: Viewer) -> list[list[tuple[Community, View | None]]]:
    """Return what is asked together, in turn; a community without a view needs the reports of its parts."""
    worth = [c for level in given.levels() for c in level if given.is_worth_it(c)]
    whole = [(c, viewer.whole(c)) for c in worth]
    depths = sorted({c.level for c, view in whole if view is None}, reverse=True)
    levels = [[c for c, view in whole if view is None and c.level == depth] for depth in depths]
    needed = {child for level in levels for community in level for child in community.children}
    ready = [one for one in whole if one[1] is not None]
    first = [one for one in ready if one[0].id in needed or not levels]
    others = [one for one in ready if one[0].id not in needed and levels]
    later = [[*((c, None) for c in level), *others[n :: len(levels)]] for n, level in enumerate(levels)]
    return [first, *later]


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
