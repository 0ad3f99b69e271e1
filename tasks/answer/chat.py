"""Which turns of a chat answer a question: by what was said before them, and to which question they reply.

A turn is short and leans on the talk around it. It has the words of its speaker's name and of the turns just
before it on the same day; what follows a question asked in the chat is its reply.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum, log
from typing import NamedTuple

import numpy as np

from corpusgraph.tasks.answer.question import DAYS, HELD, MONTHS, NUMBERS, Expected, expected, topic_of
from corpusgraph.tasks.answer.sentences import Sentence, stems_of
from corpusgraph.tasks.answer.turns import Utterance, utterances_of
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.text.words import STOP_WORDS, words

FEATURES = ("own", "context", "kind", "reply", "speaker", "bridge", "substance")
"""What the score of a turn is made of, each from 0 to 1.

Words of the question, by rarity, in it alone, and with the turns before; the kind of thing asked for, in it
or in a question it replies to; `context`, where it replies to a question; whether the question names the
speaker; words of the question in another turn that shares a rare word; and new words, up to three.
"""
WEIGHTS = (1.25, 4.6, 2.6, 2.22, 1.18, 0.82, 1.56)
"""Of each of FEATURES, as they most probably draw a turn with the answer: of chats flat, team and told in
benchmarks/answers."""
LEAST = 7.25
"""From which fit on a question is answered."""
NO_KIND = 1.5
"""What is added to the fit where the question does not say what kind of thing it asks for."""
CITED = 3
"""Turns that an answer cites."""
BACK = (1.0, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
"""What a word counts in a turn itself, and in those before, the nearest first."""
REPLY = (0.0, 1.0, 0.7, 0.4)
"""How far a turn replies to what was asked in itself, and in those before."""
SAME_KIND, ANY_KIND, OTHER_KIND = 1.0, 0.6, 0.3
"""How far a reply counts: to a question of the kind asked for, where either tells none, to another."""
FEW = range(2, 5)
"""Turns with a word that ties them, as a rare one."""
SUBSTANCE = 3
"""New words of a turn that says enough."""
SKIPPED = 200
"""Characters between two turns that follow each other, at most: more were not read."""

_NUMBERS = rf"(?:{NUMBERS}|half|couple)"
_NUMBER = re.compile(rf"(?<![:.\d])\d+(?!\d*(?:st|nd|rd|th|:)\b)(?!:)|\b{_NUMBERS}\b", re.IGNORECASE)
_DATE = re.compile(
    rf"\d(?:st|nd|rd|th)\b|\b(?:{MONTHS})\b|\b\d May\b|\bMay \d|\b\d\d?[:.]\d\d\b|\b(?:{DAYS})s?\b"
    rf"|\b\d\d?\s?[ap]m\b|\b\d{{4}}-|\b(?i:half (?:past )?(?:{_NUMBERS}|\d)|quarter (?:to|past)"
    rf"|(?:at|before|after|by|until|till|from|around|since) "
    rf"(?:{_NUMBERS}|\d\d?|noon|midnight|lunch|breakfast|dinner)\b"
    r"|(?:today|tomorrow|tonight|yesterday|noon|midnight|weekend|first thing)\b"
    rf"|(?:next|last|this|in (?:a|two|three|\d+)) "
    r"(?:day|week|month|year|spring|summer|autumn|winter|weekend|morning|night|evening))"
)
_SUM = re.compile(
    rf"[£€$]|\b(?:\d+|{_NUMBERS})[\d.,-]*(?: \w+)? "
    r"(?:pounds?|quid|euros?|dollars?|bucks|pence|p|grand|each|per"
    r"|an? (?:month|year|week|day|head|night|person))\b",
    re.IGNORECASE,
)
_SPAN = re.compile(
    rf"(?:\d+|\b(?:{_NUMBERS}|an?|few))\W+(?:\w+\W+)?(?:second|minute|hour|day|night|week|month|year|decade)s?\b",
    re.IGNORECASE,
)
_AT = re.compile(
    r"\b(?i:in|at|on|behind|under|above|below|next to|near|outside|inside|opposite|between|beside|over|from"
    r"|to|into|by) (?:(?:the|my|our|your|his|her|their|an?|this|that) \w+(?: \w+)?|[A-Z]\w+)"
    r"|\b(?:up|down)stairs\b|\bat home\b"
)
_NAMED = re.compile(
    r"(?<!^)(?<![.!?,;] )\b[A-Z][a-z]\w+|\b(?:brother|sister|mother|mum|father|dad|uncle|aunt|cousin"
    r"|colleague|friend|wife|husband|neighbour|woman|man|guy|girl|boy)s?\b"
)
_MYSELF = re.compile(r"\bI(?:['’]\w+)?\b|\b(?:that|it)(?: was|['’]s| is) me\b|^me\b|\bmine\b", re.IGNORECASE)
_MAY_BE_WHY = re.compile(
    r"\b(?:so|too|(?:ca|could|wo|did)n['’]t|cannot|no|not|never|(?:have|has|needs?) to|must|broke\w*|had)\b",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_BESIDE = re.compile(r"(?<=\w),? (?:when|after|before|since|while|because|if|until|as)\b", re.IGNORECASE)
"""How a clause begins that says of when the question is."""
_WHAT_IS_WRONG = re.compile(
    r"\bwhat happened\b|\bwhat(?:['’]s| is| was) wrong\b|\bhow come\b|\bwhat made\b", re.IGNORECASE
)
_HOW_MUCH, _HOW_LONG = (re.compile(rf"\bhow {how}\b", re.IGNORECASE) for how in ("much", "(?:long|old)"))
_WHICH = re.compile(r"\b(?:which|what) (\w+)", re.IGNORECASE)
"""Which bus: bus 44."""
_CLOCK = re.compile(r"\d\d?:\d\d.*")

Kind = Expected | None


_WRITTEN: Mapping[Kind, tuple[re.Pattern[str], re.Pattern[str] | None]] = {
    "date": (_DATE, None),
    "reason": (HELD["reason"], _MAY_BE_WHY),
    "place": (_AT, None),
    "person": (_NAMED, None),
    "organisation": (_NAMED, None),
}
"""How what is asked for is written: well, and so-so."""


class Wanted(NamedTuple):
    """What a question asks for: the kind of thing, how a text writes it well, and so-so."""

    kind: Kind
    well: re.Pattern[str] | None = None
    half: re.Pattern[str] | None = None


class RatedTurns(NamedTuple):
    """Turns as candidates for an answer."""

    features: Doubles
    """One row a turn, one column each of FEATURES (n, 7)."""
    scores: Doubles
    """0 for what is no candidate (n,)."""
    fit: float
    """How well the best answers, and how far it is ahead of what is not cited: declined under LEAST."""


def is_turn(sentence: Sentence) -> bool:
    """Tell whether a sentence is a turn of a chat, with those before it in its passage.

    Parameters
    ----------
    sentence : Sentence
        A sentence.

    Returns
    -------
    bool
        False for a sentence without a speaker.

    """
    return bool(sentence.speaker) and any(said.tells for said in utterances_of(sentence.chunk.content))


@lru_cache(maxsize=10_000)
def wanted_by(query: str) -> Wanted:
    """Return what a question asks for in its main clause.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    Wanted
        Kind of answer, and how it is written.

    """
    asking = _QUESTION_WORD.search(query)
    if asking and (beside := _BESIDE.search(query, asking.end())):
        query = query[: beside.start()]
    if _WHAT_IS_WRONG.search(query):
        return Wanted("reason", *_WRITTEN["reason"])
    kind = expected(query)
    if kind == "number":
        counted = _SUM if _HOW_MUCH.search(query) else _SPAN if _HOW_LONG.search(query) else _NUMBER
        return Wanted(kind, counted, _NUMBER)
    if kind in _WRITTEN:
        return Wanted(kind, *_WRITTEN[kind])
    which = _WHICH.search(query)
    if which is None or which[1].casefold() in STOP_WORDS:
        return Wanted(None)
    return Wanted(None, re.compile(rf"\b(?i:{re.escape(which[1])}) (?:\d|[A-Z])"))


def holds(wanted: Wanted, text: str, asked: frozenset[str], people: frozenset[str] = frozenset()) -> float:
    """Tell from 0 to 1 whether a turn holds what is asked for, and no words that the question has itself.

    Who did it may be the speaker: "I will".

    Parameters
    ----------
    wanted : Wanted
        Made by `wanted_by`.
    text : str
        What is said.
    asked : frozenset of str
        Words of the question.
    people : frozenset of str, optional
        Words of the names of speakers.

    Returns
    -------
    float
        0, 0.5 or 1.

    """
    if wanted.well is None:
        return 0.0
    if wanted.well is _NAMED and (_MYSELF.search(text) or not people.isdisjoint({*words(text)} - asked)):
        return 1.0
    if any(asked.isdisjoint(words(match[0])[-1:]) for match in wanted.well.finditer(text)):
        return 1.0
    return 0.5 if wanted.half and wanted.half.search(text) else 0.0


class Talk:
    """What was read of chats, turn by turn: questions and greetings too.

    Parameters
    ----------
    sentences : sequence of Sentence
        Turns of chats; the whole of their passages is read.

    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.stems: list[frozenset[str]] = []
        self.speakers: list[str] = []
        self.questions: list[list[Wanted]] = []
        """What is asked for in each turn."""
        self.follows: list[bool] = []
        """Whether each turn goes on with the one before: on the same day, and nothing between them unread."""
        self.turn_at: dict[tuple[str, int], int] = {}
        """Document, and where a stretch begins in it -> place of its turn."""
        for source, said in _read(sentences).items():
            self._add(source, said)

    def _add(self, source: str, said: Mapping[int, tuple[int, Utterance, str]]) -> None:
        day, last, end = "", -1, 0
        for start, (turn, utterance, text) in sorted(said.items()):
            if turn != last:
                today = _CLOCK.sub("", utterance.said_at)
                self.follows.append(last >= 0 and today == day and turn - end <= SKIPPED)
                self.stems.append(stems_of(utterance.speaker))
                self.speakers.append(utterance.speaker)
                self.questions.append([])
                day, last = today, turn
            self.turn_at[source, start] = len(self.stems) - 1
            self.stems[-1] |= stems_of(text)
            if utterance.asks:
                self.questions[-1].append(wanted_by(text))
            end = start + len(text)

    def thread(self, turn: int, most: int) -> list[int]:
        """Return the places of a turn and those before that it goes on with, the nearest first.

        Parameters
        ----------
        turn : int
            Its place.
        most : int
            Turns of a thread, at most.

        Returns
        -------
        list of int
            At most `most`, the turn itself first.

        """
        places = [turn]
        while len(places) < most and self.follows[places[-1]]:
            places.append(places[-1] - 1)
        return places


def _read(sentences: Sequence[Sentence]) -> Mapping[str, Mapping[int, tuple[int, Utterance, str]]]:
    """Return document -> where a stretch begins -> where its turn does, and the longest reading of it.

    Passages overlap, and cut what stands at their ends.
    """
    read: dict[str, dict[int, tuple[int, Utterance, str]]] = defaultdict(dict)
    for sentence in {s.chunk.id: s for s in sentences}.values():
        chunk, said = sentence.chunk, read[sentence.source]
        for utterance in utterances_of(chunk.content):
            text, start = chunk.content[utterance.start : utterance.end], chunk.start + utterance.start
            if start not in said or len(text) > len(said[start][2]):
                said[start] = (chunk.start + utterance.turn, utterance, text)
    return read


def rated_turns(query: str, sentences: Sequence[Sentence]) -> RatedTurns:
    """Return how well each turn of a chat may answer.

    Parameters
    ----------
    query : str
        The question.
    sentences : sequence of Sentence
        n turns.

    Returns
    -------
    RatedTurns

    """
    talk, wanted = Talk(sentences), wanted_by(query)
    people = frozenset(word for speaker in talk.speakers for word in words(speaker))
    spelled, asked = frozenset(words(query)), stems_of(topic_of(query))
    turns_with = Counter(word for stems in talk.stems for word in stems)
    n = len(talk.stems)
    worth = {word: log(1 + (n - (df := turns_with[word]) + 0.5) / (df + 0.5)) for word in sorted(asked)}
    total = fsum(worth.values()) or 1.0
    held = [stems & asked for stems in talk.stems]
    alone = [fsum(worth[word] for word in stems) / total for stems in held]
    context = [_in_context(talk.thread(turn, len(BACK)), held, worth) / total for turn in range(n)]
    few = {word for word, n_turns in turns_with.items() if n_turns in FEW} - asked
    holders = grouped((word, turn) for turn, stems in enumerate(talk.stems) for word in stems & few)
    rows = []
    for sentence in sentences:
        turn, own = talk.turn_at[sentence.source, sentence.start], stems_of(sentence.text)
        elsewhere = (
            alone[other] for word in own & holders.keys() for other in holders[word] if other != turn
        )
        reply, of_kind = _replies(talk, turn, wanted)
        rows.append(
            (
                fsum(worth[word] for word in own & asked) / total,
                context[turn],
                max(of_kind, holds(wanted, sentence.text, spelled, people)),
                reply * context[turn],
                float(not spelled.isdisjoint(words(sentence.speaker))),
                max(elsewhere, default=0.0),
                min(1.0, len(own - asked) / SUBSTANCE),
            )
        )
    features = np.array(rows)
    tied = features[:, FEATURES.index("context")] + features[:, FEATURES.index("bridge")] > 0
    scores = np.where(tied, features @ np.array(WEIGHTS), 0.0)
    return RatedTurns(features, scores, _fit(wanted, features, scores))


def _fit(wanted: Wanted, features: Doubles, scores: Doubles) -> float:
    """Return how well the best turn answers; that its speaker is named says nothing of that."""
    order = np.argsort(-scores, kind="stable")
    best, rest = order[0], order[CITED:]
    if not scores[best]:
        return 0.0
    speaker = FEATURES.index("speaker")
    alone = scores[best] - WEIGHTS[speaker] * features[best, speaker]
    ahead = scores[best] - scores[rest[0]] if len(rest) else 0.0
    return float(alone + ahead + (NO_KIND if wanted.kind is None else 0.0))


def _in_context(thread: Sequence[int], held: Sequence[frozenset[str]], worth: Mapping[str, float]) -> float:
    """Return what the question's words in a turn are worth, and in those before it that it goes on with."""
    shares: dict[str, float] = {}
    for share, turn in zip(BACK, thread, strict=False):
        for word in held[turn]:
            shares.setdefault(word, share)
    return fsum(share * worth[word] for word, share in shares.items())


def _replies(talk: Talk, turn: int, wanted: Wanted) -> tuple[float, float]:
    """Return how far a turn replies to somebody else's question, and to one for the kind of thing wanted."""
    any_kind = same_kind = 0.0
    for share, other in zip(REPLY, talk.thread(turn, len(REPLY)), strict=False):
        for question in talk.questions[other] if talk.speakers[other] != talk.speakers[turn] else ():
            same = wanted.kind is not None and question.kind == wanted.kind
            fits = SAME_KIND if same else OTHER_KIND if question.kind and wanted.kind else ANY_KIND
            any_kind, same_kind = max(any_kind, share * fits), max(same_kind, share * same)
    return any_kind, same_kind
