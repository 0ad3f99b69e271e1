"""Answer a question about the whole: the telling findings of the weightiest communities."""

import re
from collections.abc import Collection, Sequence

import numpy as np

from corpusgraph.schemas.answer import Answer
from corpusgraph.tasks.answer.coverage import COVERED, covered, rarity
from corpusgraph.tasks.answer.extractive import alike, cited
from corpusgraph.tasks.answer.pieces import Draft
from corpusgraph.tasks.answer.sentences import Sentence
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.words import STOP_WORDS, words
from corpusgraph.tasks.index.rules.wordlist import wordset

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
