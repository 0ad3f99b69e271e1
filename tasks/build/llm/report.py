"""Reports on communities that a model writes, bottom-up, each finding with the sentences it rests on."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field

from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.graph import (
    CO_OCCURRENCE,
    Community,
    CommunityReport,
    Entity,
    Relationship,
    ReportFinding,
)
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.study import LanguageOptions
from corpusgraph.tasks.answer.support import comparable
from corpusgraph.tasks.build.aggregate import Passage, shorten
from corpusgraph.tasks.build.reports import (
    MAX_FINDINGS,
    extractive,
    finding_of,
    place_of,
    report_id,
    weights_of_ends,
)
from corpusgraph.tasks.extract.llm.prompts import Numbers, Text, Words
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.llm.judging import up_to
from corpusgraph.tasks.llm.prompting import DATA, Said, ask_all, failure_of, fenced, numbered, prompt
from corpusgraph.tasks.text.tokens import count_tokens
from corpusgraph.tasks.text.words import stems

MAX_CHARACTERS = 1000
"""Of a sentence that is shown: what is longer is a table or a list without marks."""
NUMBERING = 3
"""Tokens of a passage's number."""
RECOGNISED = 40
"""Characters by which a description is recognised as the sentence that is shown anyway."""


class Line(NamedTuple):
    """A line and its tokens.

    Attributes
    ----------
    text : str
    tokens : int

    """

    text: str
    tokens: int


def titled(entity: Entity) -> str:
    """Return name and type of an entity as one text.

    Parameters
    ----------
    entity : Entity
        The entity.

    Returns
    -------
    str
        The name alone where there is no type.

    """
    return f"{entity.name} ({entity.type})" if entity.type else entity.name


SHARED = 0.2
"""Of the distinct stems of what was written, or of what was shown if those are fewer, that are the same."""
_MARKS = re.compile(r"\s*\[\d+(?:\s*[,;–-]\s*\d+)*\]")


def instructed(task: str, hint: str, language: str | None, *parts: str) -> Prompt:
    """Return a prompt whose reply is in a language, or, for None, in that of the text shown.

    Parameters
    ----------
    task : str
        What is to be done.
    hint : str
        Added to the task.
    language : str or None
        Of the reply.
    *parts : str
        What is shown.

    Returns
    -------
    Prompt
        Task and rules are the system's part.

    """
    rule = f"Write in this language: {language}." if language else "Write in the language of the text shown."
    return prompt(f"{task} {hint}".strip(), *parts, rules=f"{DATA} {rule}")


@lru_cache(maxsize=4096)
def stem_set(text: str) -> frozenset[str]:
    """Return the distinct stems of a text, numbers left out: they are the same in every language.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    frozenset of str
        Without stop words.

    """
    return frozenset(stem for stem in stems(text) if not stem.isdigit())  # few sentences, many findings


def speaks_of(said: str, shown: Sequence[str], names: frozenset[str], language: str | None) -> bool:
    """Tell whether a text shares words with what it was made from, or with the names in it (their stems).

    In a language that was asked for and is not that of what was shown, words cannot tell. A text in yet
    another language, or on something else, shares none or next to none.

    Parameters
    ----------
    said : str
        What a model wrote.
    shown : sequence of str
        What it was made from.
    names : frozenset of str
        Stems of names.
    language : str or None
        Asked for; None for that of what was shown.

    Returns
    -------
    bool
        True where words cannot tell.

    """
    told, given = stem_set(said), frozenset[str]().union(*map(stem_set, shown))
    if told and len(told & (given | names)) >= SHARED * min(len(told), max(len(given), 1)):
        return True
    return language is not None and bool(told) and not comparable(said, " ".join(shown))


def plain(text: str) -> str:
    """Return a model's text on one line, numbers of passages left out.

    Parameters
    ----------
    text : str
        What a model wrote.

    Returns
    -------
    str
        Perhaps empty.

    """
    return " ".join(_MARKS.sub("", text).split())


TOP = 10.0
MAX_SOURCES = 6
"""Sentences kept of those that one finding names and that share a word with it, where any does: a model that
names them all has chosen none."""


def rating_of(value: Any) -> Any:
    """Read a rating: 7, "7.5", "7,5", "7/10", "70 %"; what is not from 0 to 10 is refused, never clipped.

    Parameters
    ----------
    value : Any
        As a model writes it.

    Returns
    -------
    float, or the value where it is no number
        From 0 to 10, or what the validation then refuses.

    Raises
    ------
    ValueError
        For a number that is not from 0 to 10.

    """
    value = up_to(value, TOP)
    if not isinstance(value, int | float):
        return value
    if isinstance(value, bool) or not isfinite(value) or not 0 <= value <= TOP:
        raise ValueError("a rating is a number from 0 to 10")
    return float(value)


class SaidFinding(Said):
    """Something of weight, and the numbers of the passages that say so."""

    summary: Words
    explanation: Text = ""
    sources: Numbers = ()


class SaidReport(Said):
    """A report on a group of entities."""

    title: Words
    summary: Words
    rating: Annotated[
        float, BeforeValidator(rating_of), Field(description="importance of the group, from 0 to 10")
    ]
    rating_explanation: Text = ""
    findings: tuple[SaidFinding, ...]


def usable(
    said: SaidReport, passages: Sequence[Passage], names: frozenset[str], language: str | None
) -> tuple[tuple[ReportFinding, ...], int]:
    """Return the findings that name a passage shown and speak of what it says; said twice, once.

    A row for each source; and how many findings were left out.

    Parameters
    ----------
    said : SaidReport
        The report.
    passages : sequence of Passage
        The sentences shown, numbered from 1.
    names : frozenset of str
        Stems of the names in it.
    language : str or None
        Asked for; None for that of what was shown.

    Returns
    -------
    (tuple of ReportFinding, int)
        Findings with title and summary, and the number left out.

    """
    kept: dict[tuple[str, str], list[ReportFinding]] = {}
    left_out = 0
    for finding in said.findings:
        words = plain(finding.summary), plain(finding.explanation)
        numbers = dict.fromkeys(n for n in finding.sources if 1 <= n <= len(passages))
        sources = [passages[n - 1] for n in numbers]
        shown = [source.text for source in sources]
        if not sources or not speaks_of(" ".join(words), shown, names, language):
            left_out += 1
        elif words not in kept:
            stems_said = stem_set(" ".join(words))
            sharing = [source for source in sources if not stems_said.isdisjoint(stem_set(source.text))]
            kept[words] = [
                finding_of(source, summary=words[0], explanation=words[1])
                for source in (sharing or sources)[:MAX_SOURCES]
            ]
    return tuple(row for rows in kept.values() for row in rows), left_out


TASK = (
    "Write a report on a group of entities that belong together, from what is said of them. `title`: what "
    "the group is, in a few words, with the names that matter most. `summary`: what binds it together and "
    "what happens in it, in a few sentences. `rating`: how much the group matters to somebody who wants to "
    "understand the texts, from 0 to 10, and why in one sentence. `findings`: up to ten things of weight, "
    "the weightiest first, each a sentence and an explanation, with the numbers of the passages that say so "
    "in `sources`. What no passage says is no finding."
)


MEMBERS, RELATIONSHIPS, PARTS, PASSAGES = "Members", "Relationships", "Reports on parts", "Passages"
Entry = tuple[str, str | Passage]
"""A section of a prompt, and what a line there is on: an id, or the sentence itself."""
Bundle = dict[Entry, Line]
"""Lines that are shown together or not at all, and the sentences that they rest on."""
Part = tuple[Community, CommunityReport]
"""A sub-community, and the report on it that can stand for its members."""


@dataclass
class Shown:
    """What has been chosen so far, and the tokens left.

    Attributes
    ----------
    left : int
        Tokens that can still be shown.
    lines : dict of (str, str or Passage) to Line
        Lines by section and what they are on.

    """

    left: int
    lines: Bundle = field(default_factory=dict)

    def add(self, bundle: Bundle) -> bool:
        """Add what a bundle has that is not there yet, unless it is too much.

        Parameters
        ----------
        bundle : dict of (str, str or Passage) to Line
            What to add.

        Returns
        -------
        bool
            False where nothing was added.

        """
        more = {entry: line for entry, line in bundle.items() if entry not in self.lines}
        size = sum(line.tokens for line in more.values())
        if size > self.left:
            return False
        self.left -= size
        self.lines |= more
        return True


class View(NamedTuple):
    """A prompt, and the sentences in it by their numbers from 1.

    Attributes
    ----------
    community : Community
        What the report is on.
    prompt : Prompt
    passages : tuple of Passage
    names : frozenset of str
        Words that a report on the community may well use: the stems of its members' names.

    """

    community: Community
    prompt: Prompt
    passages: tuple[Passage, ...]
    names: frozenset[str]


class ReportPrompts:
    """Makes the prompts of reports; reports already written stand for what does not fit.

    Parameters
    ----------
    communities : sequence of Community
        Of all levels.
    entities : sequence of Entity
        Their members.
    relationships : sequence of Relationship
        Between these.
    passages : mapping of str to Passage
        The best sentence of each entity and relationship, by its id.
    options : LanguageOptions
        Size from which a report is written, its language, tokens of a prompt.
    hint : str, optional
        Added to the task.
    titles : mapping of str to str, optional
        Of documents, by id; they are shown with the sentences.

    """

    def __init__(
        self,
        communities: Sequence[Community],
        entities: Sequence[Entity],
        relationships: Sequence[Relationship],
        passages: Mapping[str, Passage],
        options: LanguageOptions,
        *,
        hint: str = "",
        titles: Mapping[str, str] | None = None,
    ) -> None:
        self.options, self.written = options, dict[str, CommunityReport]()
        """Reports that the model wrote, by community id."""
        self.communities = {community.id: community for community in communities}
        self._entities = {entity.id: entity for entity in entities}
        self._relationships = {relationship.id: relationship for relationship in relationships}
        self._passages, self._titles, self._hint = passages, titles or {}, hint
        self._by_rule = extractive(entities, relationships, passages)
        self._entity = lru_cache(maxsize=None)(self._entity_line)
        self._sentence = lru_cache(maxsize=None)(self._sentence_line)
        empty = self._prompt(
            {(section, ""): Line("", 0) for section in (MEMBERS, RELATIONSHIPS, PARTS, PASSAGES)}
        )
        self._room = options.report_tokens - count_tokens(empty.system) - count_tokens(empty.user)

    def prompts(self) -> list[Prompt]:
        """Return one prompt for each report that `write_model_reports` asks for, the deepest level first.

        Exactly those that will be asked, but where a community does not fit: there extractive reports stand
        for those of its parts that are still to be written.

        Returns
        -------
        list of Prompt
            Communities without any sentence have none.

        """
        return [view.prompt for views in self.levels() for view in views]

    def report(self, community: Community) -> CommunityReport:
        """Return the report on a community: the model's, or else that of its best sentences.

        Parameters
        ----------
        community : Community
            The community.

        Returns
        -------
        CommunityReport
            One by rule is made anew with each call.

        """
        return self.written.get(community.id) or self._by_rule(community)

    def levels(self) -> Iterator[list[View]]:
        """Yield what is shown of the communities large enough for a written report, the deepest level first.

        Yields
        ------
        list of View
            Of one level, made when it is asked for; without passages there is nothing to write of.

        """
        worth = [c for c in self.communities.values() if len(c.entity_ids) >= self.options.min_report_size]
        for level in sorted({community.level for community in worth}, reverse=True):
            views = (self._view(community) for community in worth if community.level == level)
            yield [view for view in views if view.passages]

    def _view(self, community: Community) -> View:
        bundles = self._bundles(community)
        parts = [self.communities[id_] for id_ in community.children if id_ in self.communities]
        lines = self._if_it_fits((), bundles) or self._with_parts(
            [(p, self.report(p)) for p in parts], bundles
        )
        said = {entry: line for entry, line in lines.items() if entry[0] != PASSAGES}
        sentences = (what for section, what in lines if section == PASSAGES and isinstance(what, Passage))
        passages = tuple(sorted(sentences, key=place_of))
        prompt = self._prompt(said | {(PASSAGES, passage): self._sentence(passage) for passage in passages})
        names = (self._entities[id_].name for id_ in community.entity_ids if id_ in self._entities)
        return View(community, prompt, passages, stem_set(" ".join(names)))

    def _with_parts(self, parts: Sequence[Part], bundles: Sequence[Bundle]) -> Bundle:
        """Let reports stand for parts, largest first, until the rest fits or none is left; then what fits."""

        def size(part: Part) -> int:
            """Return the tokens of what stands in a part alone: sentences, and what relates its members."""
            inside = [bundle for bundle in bundles if _members(bundle).issubset(part[0].entity_ids)]
            alone = [_members(bundle) if len(_members(bundle)) > 1 else () for bundle in inside]
            return sum(
                line.tokens
                for bundle, members in zip(inside, alone, strict=True)
                for (_, what), line in bundle.items()
                if what not in members
            )

        largest = sorted(parts, key=lambda part: (-size(part), part[0].id))
        for n in range(1, len(largest) + 1):
            if lines := self._if_it_fits(largest[:n], bundles):
                return lines
        shown = Shown(self._room)
        for part in largest:
            full = self._standing_for(part)
            shown.add(full) or shown.add({e: line for e, line in full.items() if e[0] == PARTS})
        for bundle in _outside(largest, bundles):
            shown.add(bundle)
        return shown.lines

    def _if_it_fits(self, parts: Sequence[Part], bundles: Sequence[Bundle]) -> Bundle | None:
        shown = Shown(self._room)
        wanted = [*map(self._standing_for, parts), *_outside(parts, bundles)]
        return shown.lines if all(map(shown.add, wanted)) else None

    def _standing_for(self, part: Part) -> Bundle:
        """Return what stands for a part: its report, and the first sentence that each finding cites."""
        report = part[1]
        summaries = dict.fromkeys(finding.summary for finding in report.findings if finding.summary)
        line = _line(" ".join((f"{report.title}: {report.summary}", *summaries)))
        first = {f.summary or place_of(f): f for f in reversed(report.findings)}
        rows = {place_of(f): f for f in list(first.values())[::-1]}
        cited = [Passage(*place[:1], f.chunk_id, *place[1:], f.page, f.text) for place, f in rows.items()]
        return {(PARTS, report.id): line, **self._sentences(cited[:MAX_FINDINGS])}

    def _bundles(self, community: Community) -> list[Bundle]:
        """Return relationships with their ends, and then the members alone, the most central first."""
        found = [self._relationships.get(id_) for id_ in community.relationship_ids]
        inside = [relationship for relationship in found if relationship]
        weights = weights_of_ends(inside)

        def central(r: Relationship) -> tuple[float, str]:
            return -r.confidence * (weights[r.source_id] + weights[r.target_id]), r.id

        members = [id_ for id_ in community.entity_ids if id_ in self._entities]
        members.sort(key=lambda id_: (-weights.get(id_, 0.0), id_))
        bundles = [self._bundle((r.source_id, r.target_id), r) for r in sorted(inside, key=central)]
        return bundles + [self._bundle((id_,)) for id_ in members]

    def _bundle(self, members: tuple[str, ...], relationship: Relationship | None = None) -> Bundle:
        bundle: Bundle = {(MEMBERS, id_): self._entity(id_) for id_ in members}
        if relationship is None:
            return bundle | self._sentences(self._best(members[0]))
        told = self._told(relationship)
        if told or relationship.type != CO_OCCURRENCE:  # else it says nothing beside its sentence
            ends = [self._entities[id_].name for id_ in members]
            head = f"{ends[0]} {relationship.type.replace('_', ' ')} {ends[1]}"
            bundle[RELATIONSHIPS, relationship.id] = _line(head, told)
        return bundle | self._sentences(self._best(relationship.id))

    def _best(self, id_: str) -> list[Passage]:
        return [self._passages[id_]] if id_ in self._passages else []

    def _sentences(self, passages: Iterable[Passage]) -> Bundle:
        """Return the lines of sentences; how sure the items are that these speak for is all one here."""
        alike = (passage._replace(confidence=1.0) for passage in passages)
        return {(PASSAGES, passage): self._sentence(passage) for passage in alike}

    def _entity_line(self, id_: str) -> Line:
        entity = self._entities[id_]
        return _line(titled(entity), self._told(entity))

    def _told(self, item: Entity | Relationship) -> str:
        """Return the description without the sentence that is shown among the passages."""
        passage, description = self._passages.get(item.id), item.description or ""
        if not description or passage is None:
            return description
        sentence = " ".join(passage.text.split())
        at = description.find(sentence[:RECOGNISED])
        is_sentence = at >= 0 and sentence.startswith(description[at:].removesuffix(" …"))
        return description[:at].rstrip(": ") if is_sentence else description

    def _sentence_line(self, passage: Passage) -> Line:
        title = self._titles.get(passage.document_id)
        text = shorten(passage.text, MAX_CHARACTERS) + (f" ({' '.join(title.split())})" if title else "")
        return Line(text, count_tokens(text) + NUMBERING)

    def _prompt(self, lines: Bundle) -> Prompt:
        texts = grouped((section, line.text) for (section, _), line in lines.items())
        parts = [fenced(s, "\n".join(texts[s])) for s in (MEMBERS, RELATIONSHIPS, PARTS) if s in texts]
        passages = fenced(PASSAGES, numbered(texts.get(PASSAGES, ())))
        return instructed(TASK, self._hint, self.options.language, *parts, passages)


def _line(head: str, told: str = "") -> Line:
    text = f"- {' '.join(head.split())}: {told}" if told else f"- {' '.join(head.split())}"
    return Line(text, count_tokens(text))


def _members(bundle: Bundle) -> frozenset[str]:
    return frozenset(str(what) for section, what in bundle if section == MEMBERS)


def _outside(parts: Sequence[Part], bundles: Sequence[Bundle]) -> list[Bundle]:
    """Return what is not told by the reports on parts: what reaches out of them, without their members."""
    if not parts:
        return list(bundles)
    home = {id_: n for n, (community, _) in enumerate(parts) for id_ in community.entity_ids}
    found = []
    for bundle in bundles:
        homes = {home.get(id_) for id_ in _members(bundle)}
        if len(homes) > 1 or None in homes:
            found.append({e: line for e, line in bundle.items() if e[0] != MEMBERS or e[1] not in home})
    return found


STAGE = "reports"
EXTRACTIVE = "extractive"


def write_model_reports(
    llm: LanguageModel, prompts: ReportPrompts
) -> tuple[list[CommunityReport], list[Failure]]:
    """Write one report per community, in the order given, and say what failed or was left out.

    What fits into a prompt rests on no other report. The rest is written after its parts: the deepest level
    is asked about first. A community of less than `options.min_report_size` members, one without any
    sentence, and one whose call fails has the extractive report.

    Parameters
    ----------
    llm : LanguageModel
        The model.
    prompts : ReportPrompts
        Of the communities.

    Returns
    -------
    (list of CommunityReport, list of Failure)
        As many reports as communities, and what failed.

    """
    failures: list[Failure] = []
    for views in prompts.levels():
        said, failed = _ask(llm, views, prompts.options.language)
        prompts.written |= said
        failures += failed
    return [prompts.report(community) for community in prompts.communities.values()], failures


def _ask(
    llm: LanguageModel, views: Sequence[View], language: str | None
) -> tuple[dict[str, CommunityReport], list[Failure]]:
    """Return the reports of one level by community id, and what failed or was left out of them."""

    def read(place: int, said: SaidReport) -> tuple[tuple[ReportFinding, ...], int]:
        view = views[place]
        return usable(said, view.passages, view.names, language)

    def accept(place: int, said: SaidReport) -> str | None:
        if not (plain(said.title) and plain(said.summary)):
            return "The report lacks a title or a summary."
        if not read(place, said)[0]:
            return (
                "No finding cites what it rests on: each must say what passages say, in their language "
                "unless another is asked for. Cite the numbers of the passages, 1 to "
                f"{len(views[place].passages)}, in `sources`."
            )
        return None

    replies = ask_all(llm, [view.prompt for view in views], SaidReport, accept)
    reports: dict[str, CommunityReport] = {}
    failures: list[Failure] = []
    for place, (view, reply) in enumerate(zip(views, replies, strict=True)):
        community, report = view.community, reply.value
        title = community.title or community.id
        if report is None:
            failures.append(failure_of(reply, STAGE, title, community.id))
            continue
        findings, left_out = read(place, report)
        reports[community.id] = CommunityReport(
            id=report_id(community.id),
            community_id=community.id,
            level=community.level,
            title=plain(report.title),
            summary=plain(report.summary),
            findings=findings,
            rating=report.rating,
            rating_explanation=plain(report.rating_explanation),
            method=llm.name,
        )
        if left_out:
            cited = f"{left_out} of {len(report.findings)} findings cite no passage that says so"
            message = f"{cited}; they are left out."
            failures.append(
                Failure(source=title, stage=STAGE, code="uncited_finding", message=message, item=community.id)
            )
    return reports, failures


def with_reports(communities: Sequence[Community], reports: Sequence[CommunityReport]) -> list[Community]:
    """Give communities title and rating of the reports that a model wrote on them.

    Parameters
    ----------
    communities : sequence of Community
        The communities.
    reports : sequence of CommunityReport
        Extractive ones are passed over.

    Returns
    -------
    list of Community
        In the same order.

    """
    told = {r.community_id: {"title": r.title, "rating": r.rating} for r in reports if r.method != EXTRACTIVE}
    return [c.model_copy(update=told[c.id]) if c.id in told else c for c in communities]
