"""From context to answer: by a language model where there is one, else by sentences taken word for word."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.answer.context import Draft, Fitted, Piece
from corpusgraph.tasks.answer.coverage import COVERED, covered, rarity
from corpusgraph.tasks.answer.extractive import (
    MAX_SENTENCES,
    EntityOf,
    StatedOf,
    alike,
    cited,
    extract_from,
    rated,
    unanswered,
)
from corpusgraph.tasks.answer.sentences import Sentence, distinct
from corpusgraph.tasks.answer.support import no_answer, supporting
from corpusgraph.tasks.answer.written import (
    SOURCES,
    LeftOut,
    SourceNumbers,
    Sources,
    WrittenText,
    by_number,
    composed,
    write,
)
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_all,
    fenced,
    llm_failed,
    no_llm,
    numbered,
    prompt,
    question,
)
from corpusgraph.tasks.text.tokens import count_tokens
from corpusgraph.tasks.text.wordlist import wordset
from corpusgraph.tasks.text.words import STOP_WORDS, words

MAX_THEMES = 5
SAME_MEMBERS = 0.5
"""A community that shares so much of its members with those chosen tells of the same thing."""
SAME_WORDS = 0.5
"""A finding so like one already chosen says nothing new (Jaccard index of stems)."""

_ASKED = re.compile(
    r"\b(themes?|topics?|overview|summar(y|ise|ize|ies)|gist|takeaways?|storylines?|outline"
    r"|(main|key|central|major|important) "
    r"(ideas?|points?|issues?|subjects?|questions?|arguments?|findings?|events?)"
    r"|what (is|are|was|were) .{0,40}\babout)\b"
    r"|th[èe]mes?\b|\btemas?\b|\bThem(a|en)\b|chủ đề|主题|主題|テーマ|الموضوعات",
    re.IGNORECASE,
)
_SAYS_NOTHING = wordset("""
    theme themes topic topics overview summary summaries summarise summarize gist takeaway takeaways storyline
    storylines outline main major key central top important overall general common broad recurring idea ideas
    point points issue issues subject subjects question questions argument arguments finding findings event
    events corpus corpora collection dataset data document documents text texts file files article articles
    paper papers book books whole entire across throughout give list tell describe explain discuss discussed
    discusses cover covered covers covering mentioned appear appears please different various principaux quels
    sont les des thème thèmes tema temas principales cuáles son los las die der das wichtigsten themen thema
    welche sind các chủ đề chính là gì الموضوعات الرئيسية ما هي
""")
"""Words that ask for themes without saying of what."""
_CHINESE = re.compile("[主要题題是什么甚麼哪些有的呢吗嗎文档集テーマは何ですか]")
"""The same in scripts without spaces between words."""


def asks_for_themes(query: str) -> bool:
    """Tell whether a question is about the whole: "What are the main themes?", "Give an overview"."""
    return bool(_ASKED.search(query))


def matter(query: str) -> str:
    """Return the words of a question about the whole that say what about: "… of the debate on slavery"."""
    return " ".join(
        w for w in words(_CHINESE.sub(" ", query)) if w not in _SAYS_NOTHING and w not in STOP_WORDS
    )


def told_by(draft: Draft) -> Sequence[Sentence]:
    """Return the sentences of a piece that may be an answer: outside passages, those that a mark ends."""
    if draft.kind == "chunk":
        return draft.sentences
    return [sentence for sentence in draft.sentences if sentence.ends]


def theme_answer(
    query: str, drafts: Sequence[Draft], names: Sequence[Collection[str]] = (), n: int = MAX_THEMES
) -> Answer | None:
    """Return the best finding of up to `n` communities that share few members, cited; None without support.

    Communities rank by rating, then size; where the question says about what, by its words too, and without
    enough of them there is no answer.
    """
    reports = [draft for draft in drafts if draft.kind == "community" and draft.sentences]
    strict = any(told_by(draft) for draft in reports)  # not every language ends its sentences with a mark
    findings = [told_by(draft) if strict else draft.sentences for draft in reports]
    sentences = [sentence for told in findings for sentence in told]
    if not sentences or (names and not any(s.names(list(n)) for s in sentences for n in names)):
        return None
    about = matter(query)
    bm25 = Bm25([sentence.text for sentence in sentences])
    scores = bm25.scores(about)
    if about:
        read = (f"{' '.join(draft.names)} {draft.text}" for draft in reports)
        if covered(about, read, rarity(bm25)) < COVERED:
            return None
    scores = scores / (scores.max() or 1.0)
    by_report = np.split(scores, np.cumsum([len(told) for told in findings])[:-1])
    chosen = _chosen(reports, findings, by_report, n)
    return cited(query, chosen) if chosen else None


def _chosen(
    reports: Sequence[Draft], findings: Sequence[Sequence[Sentence]], scores: Sequence[Doubles], n: int
) -> list[tuple[Sentence, float]]:
    """Take one finding of each community in turn, those that tell of the same members last."""
    worth = [
        draft.rating / 10 + (float(s.max()) if len(s) else 0.0)
        for draft, s in zip(reports, scores, strict=True)
    ]
    order = sorted(range(len(reports)), key=lambda i: (-worth[i], -len(reports[i].members), reports[i].id))
    apart, again = _apart(reports, order)
    chosen: list[tuple[Sentence, float]] = []
    for at in [*apart, *again]:
        # Findings come best first: of equals the first is taken.
        best_first = sorted(zip(findings[at], scores[at], strict=True), key=_preference)
        for finding, _ in best_first:
            if all(alike(finding, other) < SAME_WORDS for other, _ in chosen):
                chosen.append((finding, worth[at]))
                break
        if len(chosen) == n:
            break
    return chosen


def _preference(found: tuple[Sentence, float]) -> tuple[bool, bool, float]:
    """Put first what can be understood alone, then what shares most words with the question."""
    finding, score = found
    return finding.is_fragment, finding.leans, -float(score)


def _apart(reports: Sequence[Draft], order: Sequence[int]) -> tuple[list[int], list[int]]:
    """Divide communities, best first, into those with members of their own and those without."""
    apart: list[int] = []
    again: list[int] = []
    seen: set[str] = set()
    for at in order:
        members = reports[at].members
        shared = len(members & seen) / len(members) if members else 0.0
        (again if shared > SAME_MEMBERS else apart).append(at)
        seen |= members
    return apart, again


MAP_TASK = (
    "You read one part of a collection to answer a question about the whole of it. List the points of this "
    "part that help to answer, each one sentence with a `score` from 0 (does not help) to 100 (answers it). "
    f"{SOURCES} A part that does not help has no points."
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def _points(value: Any) -> Any:
    """Read a score as models write it: 80, "80", "80/100"; below 0 is 0, above 100 is 100."""
    if isinstance(value, str):
        found = _NUMBER.search(value)
        value = float(found[0]) if found else 0.0
    if isinstance(value, int | float):
        return min(max(float(value), 0.0), 100.0) if math.isfinite(value) else 0.0
    return value


class RatedPoint(Said):
    """Something a part of the collection says to the question."""

    text: str
    score: Annotated[float, BeforeValidator(_points)] = Field(default=0.0, description="from 0 to 100")
    sources: SourceNumbers = ()


class RatedPoints(Said):
    """The points of one part."""

    points: tuple[RatedPoint, ...]


@dataclass(frozen=True)
class Point:
    """A point with a score above 0 and the pieces that say it."""

    text: str
    score: float
    pieces: tuple[Piece, ...]

    @property
    def line(self) -> str:
        """How the point is read when the answer is written."""
        return f"{' '.join(self.text.split())} (importance {self.score:.0f})"


@dataclass(frozen=True)
class Mapped:
    """The points of all groups, best first; the errors of calls that failed; what no source says."""

    points: tuple[Point, ...]
    errors: tuple[str, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)


def map_points(llm: LanguageModel, query: str, groups: Sequence[Fitted]) -> Mapped:
    """Let the model rate what each group says to the question."""
    prompts = [prompt(MAP_TASK, fenced("Passages", g.text), question(query)) for g in groups]
    replies = ask_all(llm, prompts, RatedPoints, _citing(groups, query))
    found: list[Point] = []
    errors: list[str] = []
    lost: dict[str, list[str]] = {"uncited": [], "unsupported": [], "unchecked": []}
    for group, reply in zip(groups, replies, strict=True):
        if reply.value is None:
            errors.append(reply.error or "no reply")
            continue
        for point in _telling(reply.value):
            pieces, verdict = _pieces(point, group, query)
            if verdict != "supported":
                lost[verdict].append(point.text)
            if pieces:
                found.append(Point(point.text, point.score, tuple(pieces)))
    ordered = sorted(found, key=lambda point: -point.score)  # stable: of equals the first group's
    once = {point.text.casefold(): point for point in reversed(ordered)}
    left_out = LeftOut(**{what: tuple(texts) for what, texts in lost.items()})
    return Mapped(tuple(p for p in ordered if once[p.text.casefold()] is p), tuple(errors), left_out)


def _telling(said: RatedPoints) -> list[RatedPoint]:
    return [point for point in said.points if point.score > 0 and point.text.strip()]


def _pieces(point: RatedPoint, group: Fitted, query: str) -> tuple[list[Piece], str]:
    """Return the pieces of the group that the point rests on: it hands them on to the answer's citations."""
    by_numbers = {piece.number: piece for piece in group.pieces if piece.sources}
    named = [by_numbers[n] for n in dict.fromkeys(point.sources) if n in by_numbers]
    pieces, verdict = supporting(point.text, named, query)
    return pieces, verdict if named else "uncited"


def _citing(groups: Sequence[Fitted], query: str) -> Accept[RatedPoints]:
    """Accept points of which one at least rests on a passage of its group, or that there is none."""

    def wrong(place: int, said: RatedPoints) -> str | None:
        points = _telling(said)
        if not points or any(_pieces(point, groups[place], query)[0] for point in points):
            return None
        numbers = ", ".join(str(piece.number) for piece in groups[place].pieces[:50])
        return f"No point names in `sources` a passage that says so; their numbers are {numbers}."

    return wrong


def within(points: Sequence[Point], max_tokens: int) -> tuple[list[Point], list[Point]]:
    """Return the best points whose numbered lines fit into the tokens, and the rest."""
    left = max_tokens
    for place, point in enumerate(points):
        left -= count_tokens(f"{place + 1}. {point.line}")
        if left < 0:
            return list(points[:place]), list(points[place:])
    return list(points), []


TASK = (
    "You answer a question from passages of a collection and from nothing else. "
    f"{SOURCES} Where the passages do not answer, there are no sentences and `supported` is false."
)
ALONE = "You answer a question from what you know. Where you do not know, `supported` is false."
INSTEAD = "the answer is made of sentences of the passages"
SENTENCES_PER_GROUP = 5
"""Sentences that each group hands on, without a language model."""


@dataclass(frozen=True)
class Asked:
    """The question, its names in all their spellings, and how long the answer may be."""

    query: str
    names: Sequence[Collection[str]] = ()
    max_sentences: int | None = None
    entity_of: EntityOf | None = None
    stated_of: StatedOf | None = None


@dataclass(frozen=True)
class Told:
    """An answer and what there is to say about how it was made."""

    answer: Answer
    warnings: tuple[ToolWarning, ...] = ()


def answer_from(asked: Asked, context: Fitted, llm: LanguageModel | None) -> Told:
    """Answer from one context."""
    if llm is None or not context.pieces:
        return Told(extracted(asked, [context]))
    sources = by_number(context.pieces)
    passages = fenced("Passages", context.text)
    made = write(llm, prompt(TASK, passages, question(asked.query)), sources, asked.query)
    return _told(asked, made, sources, llm, [context])


def answer_alone(query: str, llm: LanguageModel | None) -> Told:
    """Let the model answer without any passage: nothing is cited, so nothing is supported."""
    if llm is None:
        return Told(unanswered(query), (no_llm("nothing was read, so there is no answer"),))
    made = write(llm, prompt(ALONE, question(query)))
    if isinstance(made, str):
        return Told(unsupported(query, llm), (llm_failed(made, "there is no answer"),))
    text = " ".join(" ".join(sentence.text.split()) for sentence in made.sentences).strip()
    message = "The model answers from its own knowledge: no document was read, and nothing is cited."
    answer = unsupported(query, llm).model_copy(update={"text": text} if text else {})
    return Told(answer, (ToolWarning(code="no_sources", message=message),))


def answer_from_groups(
    asked: Asked, groups: Sequence[Fitted], llm: LanguageModel | None, max_tokens: int
) -> Told:
    """Answer from the best points, or sentences, of each group, as many as fit into `max_tokens`."""
    if llm is None or not groups:
        return Told(extracted(asked, groups, max_tokens))
    mapped = map_points(llm, asked.query, groups)
    warnings = mapped.left_out.warnings()
    if mapped.errors:
        instead = INSTEAD if len(mapped.errors) == len(groups) else "their part of the context was not read"
        warnings += (llm_failed(mapped.errors[0], instead, failed=len(mapped.errors), calls=len(groups)),)
    if len(mapped.errors) == len(groups):
        return Told(extracted(asked, groups, max_tokens), warnings)
    points, lost = within(mapped.points, max_tokens)
    if lost:
        message = (
            f"{len(lost)} points did not fit into {max_tokens} tokens; the least important were left out."
        )
        warnings += (ToolWarning(code="context_cut", message=message, records=tuple(p.text for p in lost)),)
    if not points:
        return Told(unsupported(asked.query, llm), warnings)
    lines = fenced("Passages", numbered(point.line for point in points))
    sources = {n: point.pieces for n, point in enumerate(points, start=1)}
    made = write(llm, prompt(TASK, lines, question(asked.query)), sources, asked.query)
    told = _told(asked, made, sources, llm, groups)
    return Told(told.answer, warnings + told.warnings)


def _told(
    asked: Asked, made: WrittenText | str, sources: Sources, llm: LanguageModel, groups: Sequence[Fitted]
) -> Told:
    """Cite what the model wrote; where it failed, answer without it."""
    if isinstance(made, str):
        return Told(extracted(asked, groups), (llm_failed(made, INSTEAD),))
    told = composed(made.sentences, sources, asked.query)
    if not made.supported or not told.citations:
        return Told(unsupported(asked.query, llm), told.warnings())
    answer = Answer(
        query=asked.query, text=told.text, method=llm.name, citations=told.citations, supported=True
    )
    return Told(answer, told.warnings())


def unsupported(query: str, llm: LanguageModel) -> Answer:
    """Say, in the question's language where it can be, that the model found no answer in the passages."""
    return unanswered(query, llm.name).model_copy(update={"text": no_answer(query)})


def extracted(asked: Asked, groups: Sequence[Fitted], max_tokens: int | None = None) -> Answer:
    """Answer with sentences of the context; a question about the whole with findings of its communities."""
    drafts = [piece.draft for group in groups for piece in group.pieces]
    if asks_for_themes(asked.query):
        themes = theme_answer(asked.query, drafts, asked.names, asked.max_sentences or MAX_THEMES)
        if themes is not None:
            return themes
    told = [sentence for draft in drafts for sentence in told_by(draft)]
    sentences = distinct(told or [sentence for draft in drafts for sentence in draft.sentences])
    if max_tokens is not None:
        sentences = _best_of_groups(asked, groups, sentences, max_tokens)
    n = asked.max_sentences or MAX_SENTENCES
    return extract_from(
        asked.query,
        sentences,
        names=asked.names,
        entity_of=asked.entity_of,
        stated_of=asked.stated_of,
        max_sentences=n,
    )


def _best_of_groups(
    asked: Asked, groups: Sequence[Fitted], sentences: Sequence[Sentence], max_tokens: int
) -> list[Sentence]:
    """Return the best sentences of each group, the best of all first, until the tokens are spent."""
    candidates = rated(asked.query, sentences, asked.names, asked.entity_of, asked.stated_of)
    if candidates is None:
        return []
    score = {s: float(value) for s, value in zip(sentences, candidates.scores, strict=True) if value > 0}
    chosen: dict[Sentence, float] = {}
    for group in groups:
        inside = {s for piece in group.pieces for s in piece.draft.sentences if s in score}
        best = sorted(inside, key=lambda s: (-score[s], s.passage, s.place, s.chunk.id, s.start))
        chosen.update((s, score[s]) for s in best[:SENTENCES_PER_GROUP])
    kept, left = [], max_tokens
    for sentence in sorted(chosen, key=lambda s: (-score[s], s.passage, s.place, s.chunk.id, s.start)):
        left -= count_tokens(sentence.text)
        if left < 0:
            break
        kept.append(sentence)
    return sorted(kept, key=lambda s: (s.passage, s.place))
