"""Dated events: what happened when, where, to whom, by whom.

An event is a predicate that a date modifies in the tree: a verb, a nominal predicate ("was president"), or
a noun that names something that happens ("the election of 1860"). A date that only names a thing ("the Act
of 1833"), or stands in brackets after it, makes no event; nor does a predicate that is denied, asked,
conditional, wished, due or to come. Of a verb that only reports or describes, the date is that of what it
reports: "history tells of the siege in 1850". `activities` says what an event is called.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.evidence import Event, Mention
from corpusgraph.tasks.extract.activities import (
    CONCLUDED,
    EVENTIVE,
    INTRANSITIVE,
    NAMING,
    OF_PERSON,
    VERB_OF,
    Arguments,
    activity_of,
    is_copular,
    is_fixed,
    is_light,
    is_time,
    noun_lemma,
)
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.roles import (
    RELATIVE,
    antecedent,
    expanded,
    is_passive,
    objects,
    surface_subjects,
)
from corpusgraph.tasks.extract.rules.known_names import SAYING
from corpusgraph.tasks.extract.rules.relative_dates import find_relative
from corpusgraph.tasks.extract.tree import NOMINAL, Tree, squeezed
from corpusgraph.tasks.text.dates import FoundDate, find_dates, narrowed
from corpusgraph.tasks.text.wordlist import words, wordset

_TARGET = wordset("of on upon to against")
_GIVING = words("events.giving")
_TOOLS = words("events.tools")


def verb_participants(tree: Tree, predicate: int) -> Arguments:
    """Return who does what to whom, subjects of coordinated and reduced clauses filled in."""
    passive = _undergoes(tree, predicate)
    subjects = _nominal(tree, _subjects(tree, predicate))
    undergone = [] if passive else _nominal(tree, _objects(tree, predicate))
    arguments = Arguments(passive=passive)
    if passive:
        arguments.patients = subjects
        by = [o for o in tree.dependents(predicate, "obl") if tree.case_of(o) == "by"]
        arguments.agents = [
            member for agent in by if not is_time(tree, agent) for member in tree.conjuncts(agent)
        ]
    else:
        arguments.agents, arguments.patients = subjects, undergone
    arguments.recipients = expanded(tree, tree.dependents(predicate, "iobj"))
    for oblique in [
        *tree.dependents(predicate, "obl"),
        *(n for o in undergone for n in tree.dependents(o, "nmod")),
    ]:
        case = tree.case_of(oblique)
        if case == "to" and tree.lemmas[predicate] in _GIVING:
            arguments.recipients += tree.conjuncts(oblique)
        elif case == "by means of" or (case == "with" and tree.lemmas[oblique] in _TOOLS):
            arguments.instruments += tree.conjuncts(oblique)
    return arguments


def _nominal(tree: Tree, tokens: list[int]) -> list[int]:
    return [token for token in tokens if tree.upos[token] in NOMINAL and not is_time(tree, token)]


def _subjects(tree: Tree, predicate: int) -> list[int]:
    """Return the subject, of several the nearest and what it is set beside: "the album, Thriller, was"."""
    head = tree.heads[predicate]
    several = [s for s in tree.dependents(predicate, "nsubj") if s < predicate and not is_time(tree, s)]
    while len(several) > 1 and tree.upos[min(tree.subtree(several[-1], ("punct",))) - 1] != "PUNCT":
        several.pop(-2)
    own = expanded(tree, [antecedent(tree, s) for s in several]) or surface_subjects(tree, predicate)
    reduced = tree.relations[predicate] in ("acl", "appos", "parataxis", "amod")
    if head == predicate or (own and not (reduced and own == [head])):
        return own
    if reduced and tree.upos[head] in NOMINAL:
        return expanded(tree, [antecedent(tree, head)])
    return surface_subjects(tree, head) if tree.relations[predicate] in ("advcl", "parataxis") else []


_PARTICIPIAL = wordset("appos parataxis root advcl amod")


def _undergoes(tree: Tree, predicate: int) -> bool:
    """Tell a passive, also without auxiliary and noun: "Released in 1850, it …", "(founded 1850)"."""
    if is_passive(tree, predicate):
        return tree.lemmas[predicate] not in INTRANSITIVE or tree.dependent(predicate, "aux:pass") is not None
    if (
        tree.dependent(predicate, "aux", "nsubj", "cop", "obj") is not None
        or tree.lemmas[predicate] in INTRANSITIVE
        or tree.upos[predicate] not in ("VERB", "ADJ")
        or tree.lows[predicate].endswith("ing")
        or tree.mark_of(predicate) == "to"
    ):
        return False
    relation, finite = tree.deprels[predicate], tree.feature(predicate, "VerbForm") == "Fin"
    if relation == "conj":
        but = tree.has_word(predicate, ("but",), "cc")
        return not but and not finite and _undergoes(tree, tree.heads[predicate])
    past = not finite and tree.lows[predicate][-1] in "dnt"
    return relation.startswith("acl") or (past and relation in _PARTICIPIAL)


def _objects(tree: Tree, predicate: int) -> list[int]:
    """Return the objects of a verb; of a light verb those of the noun that carries the meaning."""
    noun = tree.dependent(predicate, "obj")
    if tree.dependent(predicate, "expl") is not None or tree.upos[predicate] != "VERB":
        return []
    if noun is None:
        clause = tree.dependent(predicate, "ccomp", "xcomp") is not None
        if clause or tree.lemmas[predicate] in INTRANSITIVE:
            return []
        head = tree.heads[predicate]
        relative = not RELATIVE.isdisjoint(tree.lows[head:predicate])  # "the book that he wrote of"
        return [token for token in objects(tree, predicate) if token != head or not relative]
    if is_fixed(tree, predicate, noun):
        return []
    if is_light(tree, predicate, noun):
        of_noun = [m for m in tree.dependents(noun, "nmod") if tree.case_of(m) in _TARGET]
        beside = tree.dependents(predicate, "obl")
        return of_noun + [o for o in beside if tree.case_of(o) in _TARGET - {"of"}]
    named = tree.lemmas[predicate] in NAMING
    return expanded(tree, [antecedent(tree, noun)]) if named else objects(tree, predicate)


def noun_participants(tree: Tree, noun: int) -> Arguments:
    """Return who does what to whom in what a noun names."""
    lemma = noun_lemma(tree, noun)
    verb = VERB_OF.get(lemma, "")
    near = [n for n in tree.dependents(noun, "nmod") if not is_time(tree, n)]
    owners = tree.dependents(noun, "nmod:poss")
    of = [n for n in near if tree.case_of(n) == "of"]
    cases = ("by", "between") if verb else ("by", "between", "with", "against")
    sides = [n for n in near if tree.case_of(n) in cases and n not in owners]
    done = bool(verb) and verb not in INTRANSITIVE
    if done and not of and verb in OF_PERSON:
        of, owners = owners, []
    doers = [*owners, *(of if verb in INTRANSITIVE else []), *sides]
    return Arguments(
        agents=expanded(tree, doers),
        patients=expanded(tree, of if done else []),
        recipients=expanded(tree, [n for n in near if lemma in CONCLUDED and tree.case_of(n) == "to"]),
    )


_OPEN = wordset("since until till before after by prior")
_BEFORE_OPEN = wordset("the about around early late year to end of circa at least")
_REACH = 8
"""Sentences after which a date no longer tells what "the next day" is."""
_YEARLY = re.compile(r"\s+(?:of\s+)?(?:each|every)\s+year\b")
_STAMP = re.compile(r"(?:^|\n)\[$")
_HEAD, _LINE = 300, 90
"""Characters in which a dateline may stand, and of its line."""
_SMALL = wordset("of the for and in from at on to de la le von van")
_ANY = FoundDate(0, 0, "2000-06-15")
"""A day, for finding where relative dates stand."""
_COARSE = ("second", "minute", "day", "month", "year")
_BETWEEN = re.compile(
    r"\s*,?\s*(?:up\s+)?(?:to|until|till|through|[-–—])\s*(?:the\s+)?(?:(?:end|close|spring|year)\s+(?:of\s+)?)?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+and\s+(?:the\s+)?", re.IGNORECASE)
_STARTS_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?(?:years?\s+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Time:
    """A date of a sentence: `first` to `last` are its tokens, `head` the topmost of them.

    `opening` is the preposition that leaves a side of it open ("since", "until", "by"), `bracket` the
    characters of the brackets it stands in.
    """

    date: FoundDate
    head: int
    first: int
    last: int
    relative: bool = False
    opening: str = ""
    bracket: tuple[int, int] | None = None

    def cue(self, text: str) -> str:
        """Return the words that tell the time, marked where they are reckoned from an earlier date."""
        words = squeezed(text[self.date.start : self.date.end])
        words = words if words.startswith(self.opening) else f"{self.opening} {words}"
        return f"relative: {words}" if self.relative else words


def times_of(context: Context) -> Iterator[tuple[int, list[Time]]]:
    """Yield the sentences that tell a time, with the times."""
    text = context.document.text
    written = _written(context)
    anchor: FoundDate | None = None
    since = 0
    for sentence, tree in enumerate(context.trees):
        since += 1
        if written and sentence == 0:
            anchor = written
        dates = [date for date in context.reading.dates[sentence] if _is_single(text, date)]
        stamp = next((date for date in dates if _is_stamp(text, date)), None)
        if stamp:
            written = anchor = replace(stamp, first=(stamp.first or "")[:10], granularity="day")
            since = 0
        dates = [_not_after(date, written) for date in dates if not _is_stamp(text, date)]
        dates = _joined(text, tree.start, [narrowed(text, tree.start, date) for date in dates])
        known = anchor if since <= _REACH else None
        moved = _relative(text, tree, dates, known, written)
        times = [_time(text, tree, date) for date in dates]
        times += [replace(_time(text, tree, date), relative=True) for date in moved]
        times = sorted((time for time in times if time.date != written), key=lambda time: time.date.start)
        for time in times:
            if time.bracket is None:
                anchor, since = time.date, 0
        if times:
            yield sentence, times


def _is_stamp(text: str, date: FoundDate) -> bool:
    """Tell the time that a message was sent: "[2023-01-16 07:42] Ruth: …"."""
    return date.granularity in ("day", "minute", "second") and bool(_STAMP.search(text, 0, date.start))


def _not_after(date: FoundDate, written: FoundDate | None) -> FoundDate:
    """Return a date without a year as that of the year before where it would come after the writing."""
    if written is None or not date.year_inferred or date.last or (date.first or "") <= (written.first or ""):
        return date
    if (date.first or "")[:7] == (written.first or "")[:7]:
        return date
    return replace(date, first=f"{int((date.first or '')[:4]) - 1:04}{(date.first or '')[4:]}")


def _is_single(text: str, date: FoundDate) -> bool:
    """Tell a date of a known year from one of every year: "each 5 May", "in October of every year"."""
    before = text[max(0, date.start - 8) : date.start]
    yearly = _YEARLY.match(text, date.end) or re.search(r"\b(?:each|every)\s+$", before)
    return bool(date.first) and not (date.first or "").startswith("--") and yearly is None


def _written(context: Context) -> FoundDate | None:
    """Return the date of the document itself: that of its metadata, else of its dateline."""
    said = str(context.document.metadata.get("date", ""))
    dates = [date for date in find_dates(said, 0, len(said)) if date.first and not date.first.startswith("-")]
    return dates[0] if dates else _dateline(context.document.text)


def _dateline(text: str) -> FoundDate | None:
    """Return a day that ends a short line, or a field between tabs, at the head of a text."""
    for date in find_dates(text, 0, min(len(text), _HEAD)):
        begin = max(text.rfind("\n", 0, date.start), text.rfind("\t", 0, date.start)) + 1
        line_end = r"[.,;]?[^\S\n\t]*[\n\t]"
        rest = re.match(line_end if begin else rf"{line_end}|\. ", text[date.end :])
        words = [word for word in re.findall(r"[^\W\d_]+", text[begin : date.start]) if word not in _SMALL]
        title = date.end - begin <= _LINE and all(word[0].isupper() for word in words)
        if date.granularity == "day" and (date.first or "-")[0] != "-" and rest and title:
            return date
    return None


def _relative(
    text: str, tree: Tree, dates: list[FoundDate], known: FoundDate | None, written: FoundDate | None
) -> list[FoundDate]:
    """Return the relative dates of a sentence, each reckoned from the date before it."""
    moved: list[FoundDate] = []
    for place in find_relative(text, tree.start, tree.end, _ANY, _ANY):
        earlier = [date for date in (*dates, *moved) if date.end <= place.start]
        before = [date for date in earlier if not _bracket(text, tree, date.start)]
        anchor = max(before, key=lambda date: date.end, default=known)
        if not any(date.start < place.end and place.start < date.end for date in dates):
            moved += find_relative(text, place.start, place.end + 2, anchor, written)[:1]
    return moved


def _joined(text: str, start: int, dates: list[FoundDate]) -> list[FoundDate]:
    """Join "from 1929 to 1941", "between 1929 and 1941" and "the 1950s and 1960s" into one."""
    joined: list[FoundDate] = []
    for date in dates:
        before = joined[-1] if joined else None
        if before and _is_range(text, start, before, date):
            joined[-1] = replace(
                before,
                end=date.end,
                last=date.last or date.first,
                granularity=max(before.granularity, date.granularity, key=_COARSE.index),
                year_inferred=before.year_inferred or date.year_inferred,
                approximate=before.approximate or date.approximate,
            )
        else:
            joined.append(date)
    return joined


def _is_range(text: str, start: int, before: FoundDate, date: FoundDate) -> bool:
    between = text[before.end : date.start]
    first, last = before.first or "", date.last or date.first or ""
    bound = _STARTS_BETWEEN.search(text[start : before.start])
    if _AND.fullmatch(between) and before.last and date.last and not bound:
        years = date.granularity == "year" and before.last.isdigit()
        return years and int(date.first or 0) == int(before.last) + 1
    if not (first.startswith("-") or first <= last):
        return False
    if _AND.fullmatch(between):
        return bool(bound)
    return (not before.last or before.approximate) and bool(_BETWEEN.fullmatch(between))


def _time(text: str, tree: Tree, date: FoundDate) -> Time:
    first, last = tree.range_of(date.start, date.end)
    head = tree.position_at(date.start, date.end)
    head = first if head is None else head
    opening, bracket = _opening(tree, first, head), _bracket(text, tree, date.start)
    return Time(date, head, first, last, opening=opening, bracket=bracket)


def _opening(tree: Tree, first: int, head: int) -> str:
    for word in reversed(tree.lows[max(0, first - 3) : first]):
        if word in _OPEN:
            return word
        if word not in _BEFORE_OPEN:
            break
    return next((tree.lows[case] for case in tree.dependents(head, "case") if tree.lows[case] in _OPEN), "")


def _bracket(text: str, tree: Tree, place: int) -> tuple[int, int] | None:
    """Return the characters of the brackets around a place of the sentence."""
    for opening, closing in ("()", "[]"):
        start = text.rfind(opening, tree.start, place)
        if start >= 0 and text.find(closing, start, place) < 0:
            end = text.find(closing, place, tree.end)
            return start, end if end >= 0 else tree.end
    return None


_TEMPORAL = words("events.temporal")
_NO_DATE = wordset("for than to like per despite about_to")
"""Prepositions of a noun phrase that holds a date and dates nothing: "the budget for 1850"."""
_RANGE = wordset("to from until")
_MODAL = wordset("can could may might must shall should will ought 'll ca wo cannot")
_IF = wordset("if unless lest whether") | {"than", "as if", "as though", "in case", "even if", "as long as"}
_NOT_FACT = words("events.not_fact")
_DUE = wordset("schedule expect suppose plan intend hope project slate")
"""What these say is done later was only meant to be, whenever they are dated."""
_SUPPOSED = wordset("would could might")
_TO_COME = wordset("upcoming next planned proposed future forthcoming scheduled coming no")
_NOTHING_DONE = wordset("be have do")
"""Frames that do not say what happened: "the population was 300,000 in 2013"."""
_AT = words("events.at")
_BEFORE_OPENING = words("events.before_opening")
_NEAR = 10
"""Tokens from a time that opens a clause to the subject of the clause."""
_TAKING_PART = words("events.taking_part")
_OF_NOUN = frozenset({"nmod", "nummod", "compound", "appos", "flat", "amod", "dep", "list"})
_PASSED_ON = frozenset({"obj", "obl", "nmod", "nsubj", "xcomp"})
"""Of a noun after its verb a time with a preposition dates the verb: "was wounded at the battle in 1854"."""
_SET_BY = wordset("since after before until till following upon during prior")
_LISTING = wordset(", and or in again on the")
_LINKING = ("ADV", "ADP", "SCONJ", "PART", "NUM", "DET", "CCONJ", "PUNCT")


def find_events(context: Context) -> list[Event]:
    """Return the events of a document in text order."""
    events: list[Event] = []
    for sentence, times in times_of(context):
        tree = context.trees[sentence]
        lives = list(_lives(context, sentence, times))
        events += [_life_event(context, sentence, name, time, activity) for time, activity, name in lives]
        alive = {time.date.start for time, *_ in lives}
        for predicate, time in _dated(tree, [time for time in times if time.date.start not in alive]):
            if _is_noun(tree, predicate):  # not "the planned invasion" and "no election"
                happened = not tree.has_word(predicate, _TO_COME, "amod", "det")
                arguments = noun_participants(tree, predicate)
            else:
                happened = is_factual(tree, predicate, time.opening)
                arguments = verb_participants(tree, predicate)
            if happened:
                events.append(_event(context, sentence, predicate, time, arguments))
    return [event for event in events if event.activity not in _NOTHING_DONE]


# Which predicate a time belongs to


def _dated(tree: Tree, times: list[Time]) -> list[tuple[int, Time]]:
    """Return the predicates of a sentence with their times: several where coordinated dates say so."""
    direct: dict[int, list[Time]] = defaultdict(list)
    for time in times:
        governor = _opens_clause(tree, time) or _governor(tree, time)
        if governor is not None:
            direct[_told(tree, time, governor)].append(time)
    given: dict[int, list[Time]] = defaultdict(list)
    for predicate, own in direct.items():
        for time in own:
            for member in _sharing(tree, predicate, time, direct):
                given[member].append(time)
    return [(predicate, time) for predicate in sorted(given) for time in _chosen(tree, given[predicate])]


def _opens_clause(tree: Tree, time: Time) -> int | None:
    """Return the predicate of the clause whose first words are a time: "and in 1850 the king died"."""
    first = time.first
    while first and tree.lows[first - 1] in _BEFORE_OPENING:
        first -= 1
    after_mark = first and tree.upos[first - 1] != "CCONJ" and tree.lows[first - 1] not in ";:"
    if time.bracket is not None or after_mark or _is_no_adjunct(tree, time):
        return None
    following = time.last + (time.last < len(tree) and tree.lows[time.last] == ",")
    for subject in range(following, min(following + _NEAR, len(tree))):
        predicate = tree.heads[subject]
        if tree.relations[subject] in ("nsubj", "expl") and predicate > subject:
            opens = min(tree.subtree(subject)) == following and _is_predicate(tree, predicate)
            return predicate if opens else None
    return None


def _governor(tree: Tree, time: Time) -> int | None:
    """Return the predicate or noun of an event that a time modifies, climbing from it."""
    position, case = time.head, ""
    if _is_no_adjunct(tree, time):
        return None
    for _ in range(len(tree)):
        head = tree.heads[position]
        own = tree.case_of(position)
        case = own if own and (not case or own.split()[0] in _TEMPORAL) else case
        if head == position:
            return None
        of_time = time.first <= head < time.last or (is_time(tree, head) and not is_copular(tree, head))
        if not of_time and tree.upos[head] not in _LINKING:
            return _accepted(tree, time, position, head, case)
        position = head
    return None


def _is_no_adjunct(tree: Tree, time: Time) -> bool:
    """Tell a time that only compares or measures: "the first since 1990", "than in 1990", "as of 1990"."""
    before = tree.lows[max(0, time.first - 5) : time.first]
    if time.opening == "since":
        return "time" in before[-3:] or any(low == "first" or low.endswith("est") for low in before)
    than = any(pair[1] == "than" and pair[0] not in ("less", "more") for pair in pairwise(["", *before]))
    doer = time.relative and time.opening == "by"  # "gladdened by this day", which did it
    return than or doer or ["as", "of"] in (before[-2:], before[-3:-1])


def _is_verb(tree: Tree, position: int) -> bool:
    """Tell a verb, and what is tagged otherwise but has an auxiliary, from what only modifies a noun."""
    if tree.dependent(position, "aux") is not None:
        return True
    if tree.upos[position] == "ADJ":
        return tree.dependent(position, "obj") is not None
    modifies = tree.relations[position] in ("amod", "compound", "case", "mark", "fixed", "nmod")
    own = not modifies or tree.dependent(position, "nsubj", "obl") is not None
    return own and tree.upos[position] == "VERB"


def _is_predicate(tree: Tree, position: int) -> bool:
    return _is_verb(tree, position) or is_copular(tree, position) or tree.upos[position] == "AUX"


def _is_noun(tree: Tree, position: int) -> bool:
    """Tell a noun that names what happened from a predicate."""
    set_by = tree.case_of(position) in _SET_BY  # "it was not till the revolution in 1688"
    return tree.upos[position] in ("NOUN", "PROPN") and (set_by or not is_copular(tree, position))


def _names_event(tree: Tree, token: int) -> bool:
    title = sum(word in ('"', "“", "”", "«", "»") for word in tree.words[:token]) % 2 == 1
    return tree.upos[token] in ("NOUN", "PROPN") and noun_lemma(tree, token) in EVENTIVE and not title


def _accepted(tree: Tree, time: Time, position: int, head: int, case: str) -> int | None:
    """Return what a time that hangs on `head` by `position` dates."""
    words = case.split()
    if words and words[0] in _NO_DATE and not _RANGE.issuperset(words):
        return None
    temporal = words[0] in _TEMPORAL if words else time.relative
    for _ in range(len(tree)):
        if tree.upos[head] == "AUX" and tree.relations[head] in ("aux", "cop"):
            head = tree.heads[head]
        names = tree.relations[position] in _OF_NOUN and not temporal and tree.upos[head] in ("NOUN", "PROPN")
        if _is_predicate(tree, head) and not names:
            inside = time.bracket is None or time.bracket[0] <= tree.starts[head] < time.bracket[1]
            return _of_clause(tree, position, head) if inside else None
        above = tree.heads[head]
        if names and time.bracket is None and _takes_part(tree, head, above):
            return above
        higher = temporal and time.bracket is None and above != head
        own = tree.case_of(head).split()[:1]
        dates_noun = bool(own) and own[0] in _SET_BY  # "since his debut in 1988"
        passed_on = higher and above < head and tree.deprels[head] in _PASSED_ON and not dates_noun
        if _names_event(tree, head) and not passed_on:
            return head
        if not higher:
            break
        position, head = head, above
    return None


def _takes_part(tree: Tree, noun: int, verb: int) -> bool:
    """Tell who wins, loses or plays in what a year belongs to: "won the 1936 election"."""
    taking = tree.lemmas[verb] in _TAKING_PART and _is_verb(tree, verb) and verb < noun
    return taking and (tree.relations[noun] == "obj" or tree.case_of(noun) in ("in", "at"))


def _of_clause(tree: Tree, position: int, head: int) -> int:
    """Return the predicate; "began to publish" is one."""
    while tree.relations[head] == "xcomp" and _is_verb(tree, head) and _is_verb(tree, tree.heads[head]):
        if tree.lemmas[tree.heads[head]] in _NOT_FACT and position > head:
            return head  # which is then no fact
        if tree.dependent(head, "aux") is not None:
            break  # "is said to have died"
        head = tree.heads[head]
    purpose = tree.relations[head] == "advcl" and tree.mark_of(head) in ("to", "in order to")
    return tree.heads[head] if purpose and _is_verb(tree, tree.heads[head]) else head


def _told(tree: Tree, time: Time, predicate: int) -> int:
    """Return what happened, of a predicate that only tells of it or that a date beside its noun hangs on.

    "History tells of the siege in 1850", "her death in 1901 shocked us", "he ruled until his death in 1850".
    """
    things = tree.dependents(predicate, "obj", "obl") if tree.lemmas[predicate] in SAYING else []
    before = min(tree.subtree(time.head)) - 1
    set_by = tree.case_of(before) in _SET_BY or tree.relations[before] == "nsubj"
    if before >= 0 and tree.heads[before] == predicate and set_by:
        things = [before]
    return next((thing for thing in things if thing < time.first and _names_event(tree, thing)), predicate)


def _sharing(tree: Tree, predicate: int, time: Time, direct: dict[int, list[Time]]) -> list[int]:
    """Return the coordinated predicates that a time dates: all after it, else the last before it."""
    following = [member for member in tree.conjuncts(predicate)[1:] if _is_predicate(tree, member)]
    if time.head < predicate:
        return [predicate, *(m for m in following if m not in direct and _goes_on(tree, time, m))]
    before = [predicate, *(member for member in following if member < time.head)]
    return [predicate if before[-1] in direct else before[-1]]


def _goes_on(tree: Tree, time: Time, member: int) -> bool:
    """Tell whether what is coordinated happened at the time too: "In 1939 it began and the king fled"."""
    if tree.dependent(member, "nsubj", "expl") is None:
        return True
    past = tree.feature(member, "Tense") == "Past" and tree.feature(member, "VerbForm") == "Fin"
    apart = not {";", ":"}.isdisjoint(tree.lows[time.last : member])
    return time.first <= 3 and past and not apart and tree.lemmas[member] not in _NOTHING_DONE


def _chosen(tree: Tree, times: list[Time]) -> list[Time]:
    """Return the times of a predicate: the best of them, and those that are coordinated with it."""
    best = min(times, key=lambda t: (bool(t.opening), t.relative, -len(t.date.first or ""), t.first))
    others = (time for time in times if time is not best and not time.opening)
    beside = [time for time in others if _coordinated(tree, best, time)]
    return sorted([best, *beside], key=lambda time: time.first)


def _coordinated(tree: Tree, one: Time, other: Time) -> bool:
    early, late = sorted((one, other), key=lambda time: time.first)
    between = range(early.last, late.first)
    listed = {tree.lows[at] for at in between if not tree.lows[at].isdigit()}
    return bool(listed & {",", "and", "or"}) and listed <= _LISTING


# Life dates in brackets


_BORN = re.compile(r"(?:\bborn\b|\bb\.|\*)(?:(?!\bdied\b)[^()\d]){0,60}$", re.IGNORECASE)
_DIED = re.compile(r"(?:\bdied\b|\bd\.|†)(?:(?!\bborn\b)[^;()\d]){0,60}$", re.IGNORECASE)
_WAS = re.compile(r"[)\]],?\s+was\s")
_RULER = re.compile(r"\b(?:King|Queen|Emperor|Empress|Pope|[IVX]+)\b")
_TITLE = 12
"""Characters between a name and the bracket with its dates: ", Jr. (1850"."""
_SHORTEST_LIFE, _LONGEST_LIFE = 10, 115
_LIFELESS = frozenset({"date", "quantity", "place"})


def _lives(context: Context, sentence: int, times: list[Time]) -> Iterator[tuple[Time, str, Mention]]:
    """Yield births and deaths that brackets tell: "(born 5 May 1950)", "(5 May 1850 – 3 June 1910)".

    With each comes its activity, and the name before the bracket. Two bare years are left alone but for those
    of a person who "was": they may be those of a reign or an office.
    """
    text = context.document.text
    for time in times:
        name = None if time.bracket is None else _named_before(context, sentence, time.bracket[0])
        if time.bracket is None or name is None:
            continue
        was = name.type == "person" and _WAS.match(text, time.bracket[1]) and not _RULER.search(name.surface)
        date, before = time.date, text[time.bracket[0] + 1 : time.date.start]
        born = _BORN.search(before)
        if _DIED.search(before):
            yield time, "die", name
        elif date.last and _is_life(date.first, date.last, bare=bool(was or born)):
            yield replace(time, date=replace(date, last=None)), "be born", name
            yield replace(time, date=replace(date, first=date.last, last=None)), "die", name
        elif born:
            yield time, "be born", name


def _is_life(first: str | None, last: str, *, bare: bool) -> bool:
    """Tell whether two dates are far enough apart, and one of them so exact, that they bound a life."""
    if not first or not (first[:4].isdigit() and last[:4].isdigit()):
        return False
    exact = bare or max(len(first), len(last)) >= len("1850-05-01")
    return exact and _SHORTEST_LIFE <= int(last[:4]) - int(first[:4]) <= _LONGEST_LIFE


def _named_before(context: Context, sentence: int, place: int) -> Mention | None:
    """Return the longest name that ends right before a bracket, whatever title stands between."""
    names = context.names_in(sentence, max(0, place - _TITLE - 60), place)
    near = [name for name in names if place - name.end <= _TITLE and name.type not in _LIFELESS]
    return max(near, key=lambda name: (name.type == "person", name.end - name.start), default=None)


def _life_event(context: Context, sentence: int, name: Mention, time: Time, activity: str) -> Event:
    start, end = time.bracket or (time.date.start, time.date.end)
    place = start + (activity == "die")
    roles: JsonDict = {name.id: "patient" if activity == "be born" else "agent"}
    span = (place, name.start, min(end + 1, context.trees[sentence].end))
    return _made(context, sentence, time, span, activity=activity, roles=roles, actors=(name.id,))


# Whether it happened


def is_factual(tree: Tree, predicate: int, opening: str = "") -> bool:
    """Tell whether the text says that something happened: not denied, asked, conditional, due or to come.

    `opening` is the preposition of its time: what did not end until 1945 ended then.
    """
    until = opening in ("until", "till", "before") and tree.mark_of(predicate) != "that"
    denied = tree.is_negated(predicate) and not until
    due = tree.lemmas[predicate] in _DUE and tree.dependent(predicate, "xcomp") is not None
    nobody = tree.has_word(predicate, ("nobody", "none", "nothing"), "nsubj")
    if denied or due or nobody or "?" in tree.words[-2:]:
        return False
    above = tree.heads[predicate]
    unmarked = tree.relations[predicate] == "advcl" and tree.mark_of(predicate) in ("", "to")
    reported = unmarked or tree.relations[predicate] in ("ccomp", "xcomp")
    if reported and (tree.lemmas[above] in _NOT_FACT or not _may_hold(tree, above)):
        return False
    return _may_hold(tree, predicate)


def _may_hold(tree: Tree, position: int) -> bool:
    """Tell whether nothing in a clause itself makes it other than a fact."""
    auxiliaries = tree.dependents(position, "aux", "cop")
    words = {word for aux in auxiliaries for word in (tree.lemmas[aux], tree.lows[aux])}
    if tree.upos[position] == "AUX":
        words.add(tree.lemmas[position])
    subject = tree.dependent(position, "nsubj")
    let = tree.lemmas[position] == "let" and subject is None
    commanded = let or tree.feature(position, "Mood") == "Imp"
    opens = tree.lows[min(tree.subtree(position))]
    conditional = not _IF.isdisjoint((tree.mark_of(position), tree.case_of(position), opens))
    if commanded or conditional or not _MODAL.isdisjoint(words):
        return False
    near = range(max(0, position - 3), min(position + 2, len(tree) - 2))
    if any(tree.lows[at] == "due" and tree.upos[at + 2] == "VERB" for at in near):
        return False  # "is due to open"
    before = [aux for aux in auxiliaries if subject is not None and aux < subject]
    inverted = any(tree.lows[aux] in ("had", "were", "should") for aux in before)
    supposed = tree.relations[position] == "advcl" or not _SUPPOSED.isdisjoint(tree.lows)
    return not (inverted and supposed and not tree.mark_of(position))


# Who and where


_NAMING = frozenset({"PRON", "NUM", "ADJ"})
"""Classes of words that stand for something where it is known what."""


def _mention(context: Context, sentence: int, token: int) -> Mention | None:
    """Return what a token stands for; None for a pronoun that nothing is known of, a date or a quantity."""
    tree = context.trees[sentence]
    known = (sentence, token) in context.references or context.name_at(sentence, token) is not None
    nominal = tree.upos[token] in ("NOUN", "PROPN", "X") or (known and tree.upos[token] in _NAMING)
    if not nominal or is_time(tree, token):
        return None
    # of "four knights in 1170" the knights
    named = {child: context.name_at(sentence, child) for child in tree.children[token]}
    times = [child for child, name in named.items() if name is not None and name.type == "date"]
    mention = context.mention_of(sentence, context.end(sentence, token, others=times))
    return None if mention.type == "date" else mention


def _places(context: Context, sentence: int, predicate: int, patients: list[Mention]) -> list[str]:
    """Return the places that the clause is in, at or near, and those that undergo what happens."""
    tree = context.trees[sentence]
    clause = tree.subtree(predicate, ("acl", "advcl", "ccomp", "parataxis", "acl:relcl", "csubj"))
    clause = [token for token in clause if not _in_other_conjunct(tree, predicate, token)]
    inside = set(clause)
    places = [mention.id for mention in patients if mention.type == "place"]
    for mention in context.names_in(sentence, *tree.span(clause)):
        token = tree.position_at(mention.start, mention.end) if mention.type == "place" else None
        if token is not None and token in inside and _is_where(tree, predicate, token):
            places.append(mention.id)
    return list(dict.fromkeys(places))


def _in_other_conjunct(tree: Tree, predicate: int, token: int) -> bool:
    above = (token, *tree.ancestors(token))
    return any(tree.heads[at] == predicate and tree.relations[at] == "conj" for at in above)


_OF_PLACE = wordset("conj appos flat compound list nmod obl dep nummod")


def _is_where(tree: Tree, predicate: int, token: int) -> bool:
    """Tell whether a name, or what it is coordinated with or set beside, has a preposition of place."""
    of_noun = _is_noun(tree, predicate) and tree.heads[token] == predicate
    while token != predicate and not tree.case_of(token):
        if tree.relations[token] not in _OF_PLACE:
            return False
        token = tree.heads[token]
    if token == predicate or tree.relations[token] not in ("obl", "nmod"):
        return False
    case = tree.case_of(token)
    return tree.deprels[token] != "obl:agent" and (case.split()[0] in _AT or (of_noun and case == "of"))


# The event


def _event(context: Context, sentence: int, predicate: int, time: Time, arguments: Arguments) -> Event:
    tree = context.trees[sentence]
    roles, agents, patients = _roles(context, sentence, arguments)
    start, end = tree.span(_clause(tree, predicate, time))
    acting = list(filter(_acts, agents)) or list(filter(_acts, patients))
    return _made(
        context,
        sentence,
        time,
        (tree.starts[predicate], start, end),
        activity=activity_of(context, sentence, predicate, arguments),
        roles=roles,
        actors=tuple(dict.fromkeys(m.id for m in acting)),
        places=tuple(_places(context, sentence, predicate, patients)),
    )


def _made(context: Context, sentence: int, time: Time, span: tuple[int, int, int], **fields: Any) -> Event:
    """Return an event; `span` is the place of its predicate, and the characters of its clause."""
    text = context.document.text
    place, start, end = span
    return Event.model_validate(
        {
            "id": stable_id("evt", context.document.id, place, time.date.start),
            "case": context.document.id,
            "text": squeezed(text[start:end]),
            "timestamp": time.date.first,
            "timestamp_end": time.date.last,
            "granularity": time.date.granularity,
            "approximate": time.date.approximate,
            "confidence": 0.6 if time.date.year_inferred or time.relative else 0.75,
            "cue": time.cue(text),
            **fields,
            **context.findings.where(start, end, context.reading.sentences[sentence]),
        }
    )


def _acts(mention: Mention) -> bool:
    return mention.type in ("person", "organisation")


def _roles(
    context: Context, sentence: int, arguments: Arguments
) -> tuple[JsonDict, list[Mention], list[Mention]]:
    """Return mention ids with their roles, and the mentions that act and undergo."""
    mentions = {
        role: [m for token in getattr(arguments, f"{role}s") if (m := _mention(context, sentence, token))]
        for role in ("agent", "patient", "recipient", "instrument")
    }
    mentions["recipient"] = list(filter(_acts, mentions["recipient"]))
    roles: JsonDict = {}
    for role, members in mentions.items():
        for mention in members:
            roles.setdefault(mention.id, role)
    return roles, mentions["agent"], mentions["patient"]


def _clause(tree: Tree, predicate: int, time: Time) -> list[int]:
    """Return the tokens of an event: its clause without coordinated ones, a participle with its noun."""
    clause = [predicate]
    for child in tree.children[predicate]:
        relation = tree.relations[child]
        joined = relation == "conj" and (_is_verb(tree, child) or is_copular(tree, child))
        opening = relation in ("cc", "punct") and child < predicate
        if not joined and not opening and relation != "parataxis":
            clause += tree.subtree(child, ("parataxis",))
    if tree.relations[predicate] == "acl" and tree.deprels[predicate] != "acl:relcl":
        clause.append(tree.heads[predicate])
    clause.sort()
    while len(clause) > 1 and tree.upos[clause[-1]] == "PUNCT" and clause[-1] >= time.last:
        clause.pop()
    return clause
