"""What a model is shown of a community: its members and what is said of them, within a number of tokens.

Where that is too much, the reports of sub-communities stand for their members, the largest first (Edge et al.
2024, From Local to Global, arXiv:2404.16130, section 3.1.5); what is still too much is left out, the least
central first.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from corpusgraph.schemas.graph import Community, CommunityReport, Relationship
from corpusgraph.schemas.llm import Prompt
from corpusgraph.tasks.index.aggregate import Passage
from corpusgraph.tasks.index.llm.report_lines import Line, Lines, Place, of_report, place_of, sentences_of
from corpusgraph.tasks.index.llm.wording import instructed, stem_set
from corpusgraph.tasks.index.tokens import count_tokens
from corpusgraph.tasks.query.prompting import fenced, numbered

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
    """Lines that are shown together or not at all, and the sentences that they rest on."""

    members: tuple[str, ...] = ()
    relationship: str | None = None
    report: Line | None = None
    passages: tuple[Passage, ...] = ()

    def tokens(self, lines: Lines) -> int:
        """Return the tokens of the sentences and of what relates the members, for comparing sizes."""
        said = lines.relationship(self.relationship) if self.relationship else None
        alone = lines.entity(self.members[0]) if len(self.members) == 1 else None
        told = sum(lines.sentence(passage).tokens for passage in self.passages)
        return told + sum(line.tokens for line in (said, alone) if line)


@dataclass
class Shown:
    """What has been chosen so far, and the tokens left."""

    left: int
    members: dict[str, Line] = field(default_factory=dict)
    relationships: dict[str, Line] = field(default_factory=dict)
    reports: list[Line] = field(default_factory=list)
    passages: dict[Place, Passage] = field(default_factory=dict)

    def add(self, bundle: Bundle, lines: Lines) -> bool:
        """Add what a bundle has that is not there yet, unless it is too much."""
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
    """A prompt, and the sentences in it by their numbers from 1."""

    community: Community
    prompt: Prompt
    passages: tuple[Passage, ...]
    names: tuple[str, ...]

    @cached_property
    def name_stems(self) -> frozenset[str]:
        """Words that a report on the community may well use: its members' names."""
        return stem_set(" ".join(self.names))


class Part(NamedTuple):
    """A sub-community, and the report on it that can stand for its members."""

    community: Community
    report: CommunityReport


class Viewer:
    """Makes the prompts; reports already written stand for what does not fit."""

    def __init__(self, lines: Lines, max_tokens: int, hint: str, language: str | None) -> None:
        self._lines, self._hint, self._language = lines, hint, language
        blank = (Line("", 0),)
        empty = self._prompt(blank, blank, blank, blank)
        self._room = max_tokens - count_tokens(empty.system) - count_tokens(empty.user)

    def whole(self, community: Community) -> View | None:
        """Return all there is of a community, which rests on no other report; None where it does not fit."""
        shown = self._if_it_fits((), list(self._bundles(community)))
        return self._view(community, shown) if shown else None

    def view(self, community: Community, written: Mapping[str, Part]) -> View:
        """Return what is shown of a community; `written` has the reports there are, by community id."""
        bundles = list(self._bundles(community))
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
        largest = sorted(parts, key=lambda part: (-self._size(part, bundles), part.community.id))
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

    def _size(self, part: Part, bundles: Sequence[Bundle]) -> int:
        """Return the tokens of what stands in a part alone."""
        members = frozenset(part.community.entity_ids)
        return sum(b.tokens(self._lines) for b in bundles if members.issuperset(b.members))

    def _bundles(self, community: Community) -> Iterator[Bundle]:
        """Yield relationships with their ends, and then the members alone, the most central first."""
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

        for r in sorted(inside, key=central):
            yield Bundle((r.source_id, r.target_id), r.id, passages=lines.best(r.id))
        for id_ in sorted(self._members(community), key=lambda id_: (-weights[id_], id_)):
            yield Bundle((id_,), passages=lines.best(id_))

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
