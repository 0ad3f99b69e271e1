"""Reports on communities that a model writes, bottom-up, each finding with the sentences it rests on."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import isfinite
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field

from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.study import LanguageOptions
from corpusgraph.tasks.answer.support import comparable
from corpusgraph.tasks.build.aggregate import Passage, shorten
from corpusgraph.tasks.build.reports import MAX_FINDINGS, extractive, finding_of, report_id
from corpusgraph.tasks.extract.llm.prompts import Numbers, Text, Words
from corpusgraph.tasks.llm.judging import up_to
from corpusgraph.tasks.llm.prompting import DATA, Said, ask_all, failure_of, fenced, numbered, prompt
from corpusgraph.tasks.text.tokens import count_tokens
from corpusgraph.tasks.text.words import stems

CO_OCCURRENCE = "co_occurs_with"
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


Place = tuple[str, int, int]


def place_of(passage: Passage | ReportFinding) -> Place:
    """Return document, first and last character of a sentence.

    Parameters
    ----------
    passage : Passage or ReportFinding
        A sentence.

    Returns
    -------
    (str, int, int)
        The end is excluded; hashable, to find one sentence twice.

    """
    return (passage.document_id, passage.start, passage.end)


def titled(entity: Entity) -> str:
    """Return name and type of an entity as one text.

    Parameters
    ----------
    entity : Entity
        The entity.

    Returns
    -------
    str
        Such as "John Snow (person)".

    """
    return f"{entity.name} ({entity.type})" if entity.type else entity.name


class Lines:
    """Writes the lines of prompts on entities, relationships and sentences, each once.

    Parameters
    ----------
    entities : sequence of Entity
        All entities.
    relationships : sequence of Relationship
        All relationships.
    passages : mapping of str to Passage
        Id of an entity or a relationship -> its best sentence.
    titles : mapping of str to str
        Id of a document -> title.

    """

    def __init__(
        self,
        entities: Sequence[Entity],
        relationships: Sequence[Relationship],
        passages: Mapping[str, Passage],
        titles: Mapping[str, str],
    ) -> None:
        self.entities = {entity.id: entity for entity in entities}
        self.relationships = {relationship.id: relationship for relationship in relationships}
        self.passages = passages
        self._titles = titles
        self.entity = lru_cache(maxsize=None)(self._entity)
        self.relationship = lru_cache(maxsize=None)(self._relationship)
        self.sentence = lru_cache(maxsize=None)(self._sentence)

    def name(self, id_: str) -> str:
        """Return the name of an entity.

        Parameters
        ----------
        id_ : str
            Of the entity.

        Returns
        -------
        str
            Of the graph.

        """
        return self.entities[id_].name

    def best(self, id_: str) -> tuple[Passage, ...]:
        """Return the best sentence of an item, where there is one.

        Parameters
        ----------
        id_ : str
            Of an entity or a relationship.

        Returns
        -------
        tuple of Passage
            One, or none.

        """
        return (self.passages[id_],) if id_ in self.passages else ()

    def _entity(self, id_: str) -> Line:
        entity = self.entities[id_]
        told = self._told(id_, entity.description)
        return _line(titled(entity), told)

    def _relationship(self, id_: str) -> Line | None:
        """Return None for one that says nothing beside its sentence."""
        relationship = self.relationships[id_]
        told = self._told(id_, relationship.description)
        if relationship.type == CO_OCCURRENCE and not told:
            return None
        ends = self.name(relationship.source_id), self.name(relationship.target_id)
        return _line(f"{ends[0]} {relationship.type.replace('_', ' ')} {ends[1]}", told)

    def _told(self, id_: str, description: str | None) -> str:
        """Return the description without the sentence that is shown among the passages."""
        passage = self.passages.get(id_)
        if not description or passage is None:
            return description or ""
        sentence = " ".join(passage.text.split())
        at = description.find(sentence[:RECOGNISED])
        is_sentence = at >= 0 and sentence.startswith(description[at:].removesuffix(" …"))
        return description[:at].rstrip(": ") if is_sentence else description

    def _sentence(self, passage: Passage) -> Line:
        title = self._titles.get(passage.document_id)
        text = shorten(passage.text, MAX_CHARACTERS) + (f" ({' '.join(title.split())})" if title else "")
        return Line(text, count_tokens(text) + NUMBERING)


def _line(head: str, told: str) -> Line:
    text = f"- {' '.join(head.split())}: {told}" if told else f"- {' '.join(head.split())}"
    return Line(text, count_tokens(text))


def of_report(report: CommunityReport) -> Line:
    """Return what stands for a part of a community: the report on it, without its sentences.

    Parameters
    ----------
    report : CommunityReport
        The report.

    Returns
    -------
    Line
        With its tokens.

    """
    findings = dict.fromkeys(finding.summary for finding in report.findings if finding.summary)
    text = " ".join((f"- {report.title}: {report.summary}", *findings))
    return Line(text, count_tokens(text))


def sentences_of(report: CommunityReport) -> list[Passage]:
    """Return the sentences that stand for a report's findings: the first that each cites, up to eight.

    Parameters
    ----------
    report : CommunityReport
        The report.

    Returns
    -------
    list of Passage
        In the order of the findings.

    """
    first = {finding.summary or place_of(finding): finding for finding in reversed(report.findings)}
    rows = list(first.values())[::-1]
    found = {place_of(f): Passage(f.document_id, f.chunk_id, f.start, f.end, f.page, f.text) for f in rows}
    return list(found.values())[:MAX_FINDINGS]


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
        message = "a rating is a number from 0 to 10"
        raise ValueError(message)
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


Usable = tuple[tuple[ReportFinding, ...], int]


def usable(
    said: SaidReport, passages: Sequence[Passage], names: frozenset[str], language: str | None
) -> Usable:
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


@dataclass(frozen=True)
class Bundle:
    """Lines that are shown together or not at all, and the sentences that they rest on.

    Attributes
    ----------
    members : tuple of str, optional
        Ids of entities.
    relationship : str, optional
        Its id.
    report : Line, optional
        What stands for a part.
    passages : tuple of Passage, optional
        Sentences.

    """

    members: tuple[str, ...] = ()
    relationship: str | None = None
    report: Line | None = None
    passages: tuple[Passage, ...] = ()

    def tokens(self, lines: Lines) -> int:
        """Return the tokens of the sentences and of what relates the members, for comparing sizes.

        Parameters
        ----------
        lines : Lines
            Write the items.

        Returns
        -------
        int
            As `count_tokens` counts.

        """
        said = lines.relationship(self.relationship) if self.relationship else None
        alone = lines.entity(self.members[0]) if len(self.members) == 1 else None
        told = sum(lines.sentence(passage).tokens for passage in self.passages)
        return told + sum(line.tokens for line in (said, alone) if line)


@dataclass
class Shown:
    """What has been chosen so far, and the tokens left.

    Attributes
    ----------
    left : int
        Tokens.
    members : dict of str to Line, optional
        Id of an entity -> line.
    relationships : dict of str to Line, optional
        Id -> line.
    reports : list of Line, optional
        Lines.
    passages : dict of (str, int, int) to Passage, optional
        Place -> sentence.

    """

    left: int
    members: dict[str, Line] = field(default_factory=dict)
    relationships: dict[str, Line] = field(default_factory=dict)
    reports: list[Line] = field(default_factory=list)
    passages: dict[Place, Passage] = field(default_factory=dict)

    def add(self, bundle: Bundle, lines: Lines) -> bool:
        """Add what a bundle has that is not there yet, unless it is too much.

        Parameters
        ----------
        bundle : Bundle
            All of it or nothing is added.
        lines : Lines
            Write the items.

        Returns
        -------
        bool
            False where it is too much.

        """
        members = {id_: lines.entity(id_) for id_ in bundle.members if id_ not in self.members}
        passages = {place_of(p): p for p in bundle.passages if place_of(p) not in self.passages}
        said = lines.relationship(bundle.relationship) if bundle.relationship else None
        more = [*members.values(), *(line for line in (said, bundle.report) if line)]
        size = sum(line.tokens for line in more) + sum(lines.sentence(p).tokens for p in passages.values())
        if size > self.left:
            return False
        self.left -= size
        self.members |= members
        self.passages |= passages
        if said and bundle.relationship:
            self.relationships[bundle.relationship] = said
        if bundle.report:
            self.reports.append(bundle.report)
        return True


@dataclass(frozen=True)
class View:
    """A prompt, and the sentences in it by their numbers from 1.

    Attributes
    ----------
    community : Community
        The community.
    prompt : Prompt
        What is asked.
    passages : tuple of Passage
        The sentences, in order of their numbers.
    names : tuple of str
        Of its members.

    """

    community: Community
    prompt: Prompt
    passages: tuple[Passage, ...]
    names: tuple[str, ...]

    @cached_property
    def name_stems(self) -> frozenset[str]:
        """Words that a report on the community may well use: its members' names."""
        return stem_set(" ".join(self.names))


class Part(NamedTuple):
    """A sub-community, and the report on it that can stand for its members.

    Attributes
    ----------
    community : Community
    report : CommunityReport

    """

    community: Community
    report: CommunityReport


class Viewer:
    """Makes the prompts; reports already written stand for what does not fit.

    Parameters
    ----------
    lines : Lines
        Write the items.
    max_tokens : int
        Of a prompt.
    hint : str
        Added to the task.
    language : str or None
        Of the reports; None for that of the texts.

    """

    def __init__(self, lines: Lines, max_tokens: int, hint: str, language: str | None) -> None:
        self._lines, self._hint, self._language = lines, hint, language
        blank = (Line("", 0),)
        empty = self._prompt(blank, blank, blank, blank)
        self._room = max_tokens - count_tokens(empty.system) - count_tokens(empty.user)

    def view(self, community: Community, written: Mapping[str, Part]) -> View:
        """Return what is shown of a community; `written` has the reports there are, by community id.

        Parameters
        ----------
        community : Community
            The community.
        written : mapping of str to Part
            Id of a community -> it and its report.

        Returns
        -------
        View
            With its prompt; without passages there is nothing to write of.

        """
        bundles = self._bundles(community)
        parts = [written[id_] for id_ in community.children if id_ in written]
        return self._view(community, self._if_it_fits((), bundles) or self._with_parts(parts, bundles))

    def _view(self, community: Community, shown: Shown) -> View:
        passages = [shown.passages[place] for place in sorted(shown.passages)]
        sections = (shown.members.values(), shown.relationships.values(), shown.reports)
        prompt = self._prompt(*sections, [self._lines.sentence(passage) for passage in passages])
        names = tuple(self._lines.name(id_) for id_ in self._members(community))
        return View(community, prompt, tuple(passages), names)

    def _members(self, community: Community) -> list[str]:
        return [id_ for id_ in community.entity_ids if id_ in self._lines.entities]

    def _with_parts(self, parts: Sequence[Part], bundles: Sequence[Bundle]) -> Shown:
        """Let reports stand for parts, largest first, until the rest fits or none is left; then what fits."""

        def size(part: Part) -> int:
            """Return the tokens of what stands in a part alone."""
            members = frozenset(part.community.entity_ids)
            return sum(b.tokens(self._lines) for b in bundles if members.issuperset(b.members))

        largest = sorted(parts, key=lambda part: (-size(part), part.community.id))
        for n in range(1, len(largest) + 1):
            shown = self._if_it_fits(largest[:n], bundles)
            if shown:
                return shown
        shown = Shown(self._room)
        for part in largest:
            full = _standing_for(part)
            shown.add(full, self._lines) or shown.add(replace(full, passages=()), self._lines)
        for bundle in _outside(largest, bundles):
            shown.add(bundle, self._lines)
        return shown

    def _if_it_fits(self, parts: Sequence[Part], bundles: Sequence[Bundle]) -> Shown | None:
        shown = Shown(self._room)
        wanted = [*map(_standing_for, parts), *_outside(parts, bundles)]
        return shown if all(shown.add(bundle, self._lines) for bundle in wanted) else None

    def _bundles(self, community: Community) -> list[Bundle]:
        """Return relationships with their ends, and then the members alone, the most central first."""
        lines = self._lines
        inside = [
            lines.relationships[id_] for id_ in community.relationship_ids if id_ in lines.relationships
        ]
        weights: dict[str, float] = defaultdict(float)
        for relationship in inside:
            weights[relationship.source_id] += relationship.weight
            weights[relationship.target_id] += relationship.weight

        def central(r: Relationship) -> tuple[float, str]:
            return -r.confidence * (weights[r.source_id] + weights[r.target_id]), r.id

        edges = sorted(inside, key=central)
        members = sorted(self._members(community), key=lambda id_: (-weights[id_], id_))
        bundles = [Bundle((r.source_id, r.target_id), r.id, passages=lines.best(r.id)) for r in edges]
        return bundles + [Bundle((id_,), passages=lines.best(id_)) for id_ in members]

    def _prompt(
        self,
        members: Collection[Line],
        relationships: Collection[Line],
        reports: Collection[Line],
        passages: Collection[Line],
    ) -> Prompt:
        sections = {"Members": members, "Relationships": relationships, "Reports on parts": reports}
        texts = {label: "\n".join(line.text for line in lines) for label, lines in sections.items() if lines}
        texts["Passages"] = numbered(line.text for line in passages)
        parts = [fenced(label, text) for label, text in texts.items()]
        return instructed(TASK, self._hint, self._language, *parts)


def _standing_for(part: Part) -> Bundle:
    return Bundle(report=of_report(part.report), passages=tuple(sentences_of(part.report)))


def _outside(parts: Sequence[Part], bundles: Sequence[Bundle]) -> list[Bundle]:
    """Return what is not told by the reports on parts: what reaches out of them, without their members."""
    if not parts:
        return list(bundles)
    home = {id_: n for n, part in enumerate(parts) for id_ in part.community.entity_ids}
    found = []
    for bundle in bundles:
        homes = {home.get(id_) for id_ in bundle.members}
        if len(homes) > 1 or None in homes:
            found.append(replace(bundle, members=tuple(id_ for id_ in bundle.members if id_ not in home)))
    return found


STAGE = "reports"
EXTRACTIVE = "extractive"


@dataclass(frozen=True)
class Given:
    """What reports are written from.

    Attributes
    ----------
    communities : sequence of Community
        The communities.
    entities : sequence of Entity
        All entities.
    relationships : sequence of Relationship
        All relationships.
    passages : mapping of str to Passage
        Id of an entity or a relationship -> its best sentence.
    options : LanguageOptions
        Limits and language.

    """

    communities: Sequence[Community]
    entities: Sequence[Entity]
    relationships: Sequence[Relationship]
    passages: Mapping[str, Passage]
    options: LanguageOptions

    def levels(self) -> list[list[Community]]:
        """Return the communities large enough for a written report level by level, the deepest first.

        Returns
        -------
        list of list of Community
            In the order given on each level.

        """
        worth = [c for c in self.communities if len(c.entity_ids) >= self.options.min_report_size]
        levels = sorted({community.level for community in worth}, reverse=True)
        return [[c for c in worth if c.level == level] for level in levels]

    def viewer(self, hint: str, titles: Mapping[str, str] | None) -> Viewer:
        """Return the viewer that makes the prompts of the reports.

        Parameters
        ----------
        hint : str
            Added to the task.
        titles : mapping of str to str or None
            Id of a document -> title.

        Returns
        -------
        Viewer

        """
        lines = Lines(self.entities, self.relationships, self.passages, titles or {})
        return Viewer(lines, self.options.report_tokens, hint, self.options.language)


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

    What fits into a prompt rests on no other report. The rest is written after its parts: the deepest level
    is asked about first. A community of less than `options.min_report_size` members, one without any
    sentence, and one whose call fails has the extractive report; `titles` are those of documents by id.

    Parameters
    ----------
    llm : LanguageModel
        The model.
    communities : sequence of Community
        The communities.
    entities : sequence of Entity
        All entities.
    relationships : sequence of Relationship
        All relationships.
    passages : mapping of str to Passage
        Id of an entity or a relationship -> its best sentence.
    options : LanguageOptions
        Limits and language.
    hint : str, default ""
        Added to the task.
    titles : mapping of str to str, optional
        Id of a document -> title.

    Returns
    -------
    (list of CommunityReport, list of Failure)
        As many reports as communities, and what failed.

    """
    given = Given(communities, entities, relationships, passages, options)
    viewer, by_rule = given.viewer(hint, titles), extractive(entities, relationships, passages)
    by_id = {community.id: community for community in communities}
    written: dict[str, CommunityReport] = {}
    failures: list[Failure] = []

    def parts(community: Community) -> dict[str, Part]:
        found = [by_id[id_] for id_ in community.children if id_ in by_id]
        return {part.id: Part(part, written.get(part.id) or by_rule(part)) for part in found}

    for level in given.levels():
        views = [viewer.view(community, parts(community)) for community in level]
        said, failed = _ask(llm, [view for view in views if view.passages], options.language)
        written |= said
        failures += failed
    return [written.get(community.id) or by_rule(community) for community in communities], failures


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

    Parameters
    ----------
    communities : sequence of Community
        The communities.
    entities : sequence of Entity
        All entities.
    relationships : sequence of Relationship
        All relationships.
    passages : mapping of str to Passage
        Id of an entity or a relationship -> its best sentence.
    options : LanguageOptions
        Limits and language.
    hint : str, default ""
        Added to the task.
    titles : mapping of str to str, optional
        Id of a document -> title.

    Returns
    -------
    list of Prompt
        Communities without any sentence have none.

    """
    given = Given(communities, entities, relationships, passages, options)
    viewer, by_rule = given.viewer(hint, titles), extractive(entities, relationships, passages)
    written = {c.id: Part(c, by_rule(c)) for c in communities if c.parent_id is not None}
    views = [viewer.view(community, written) for level in given.levels() for community in level]
    return [view.prompt for view in views if view.passages]


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
