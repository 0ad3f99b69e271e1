"""Dated events: what happened when, where, to whom, by whom.

An event is a predicate that a date modifies in the tree: a verb, a nominal predicate ("was president"), or
a noun that names something that happens ("the election of 1860"). A date that only names a thing ("the Act
of 1833"), or stands in brackets after it, makes no event; nor does a predicate that is denied, asked,
conditional, wished, due or to come.

The activity of an event is a frame, short and alike wherever the same is done:

- the lemma of the verb with its particle, then the class of its object: the lemma of a common noun, the
  entity type of a name or pronoun ("remove handle", "marry person", "visit place"). The passive has the
  frame of the active: "the handle was removed" is "remove handle". What says nothing of the object (a name
  of type concept, a number) is left out.
- an office or a result stands in place of the object: "elect president" for "was elected president" and
  "they elected him president"; "become king", "serve as governor". A clause is named by its verb: "begin to
  publish".
- a copula goes with its complement: "be president", "be ill". Birth is "be born".
- light verbs give way to the noun that carries the meaning: "the battle took place", "a meeting was held",
  "there was an outbreak" are "battle", "meeting", "outbreak"; "made an attack on Boston" is "attack place".
- an event that a noun names is the lemma of the noun: "election".
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.evidence import Event, Mention
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.tree import Tree, squeezed
from corpusgraph.tasks.index.rules.dates import FoundDate, find_dates, narrowed
from corpusgraph.tasks.index.rules.relative_dates import find_relative
from corpusgraph.tasks.index.rules.wordlist import wordset

EVENTIVE = wordset(
    "abdication abolition accession accident acquisition adoption affair agreement ambush annexation "
    "appearance appointment armistice arrest arrival assassination assault assembly attack attempt "
    "auction award bankruptcy battle birth blockade bombardment bombing boycott break-up campaign "
    "capitulation capture celebration census ceremony championship clash closure collapse collision "
    "commission competition concert conference conflict conquest contest convention conversion "
    "coronation coup crash crisis crusade cyclone dance death debate debut decision declaration defeat "
    "demolition demonstration departure deportation destruction disaster discovery dispute dissolution "
    "division drought duel earthquake eclipse election emancipation emigration engagement epidemic "
    "eruption establishment evacuation excavation execution exhibition exodus expedition explosion "
    "expulsion fair famine festival fight final fire flight flood formation foundation founding funeral "
    "genocide hearing hijacking hurricane immigration impeachment inauguration incident independence "
    "inquest inquiry installation insurrection interview introduction invasion invention investigation "
    "journey killing landing launch lecture liberation marriage massacre match meeting merger migration "
    "mission murder mutiny negotiation occupation olympics opening outbreak overthrow pandemic panic "
    "parade partition performance petition pilgrimage plague plebiscite pogrom poll premiere première "
    "presentation proclamation production promotion protest publication purchase purge race raid rally "
    "ratification rebellion recession reconstruction referendum reform release reopening resignation "
    "restoration retirement retreat return reunion revolt revolution riot rising robbery sack sale "
    "scandal secession session settlement shooting siege signing skirmish speech spill storm strike "
    "summit surrender survey tornado tour tournament transfer trial tsunami unification union uprising "
    "vaccination victory visit volcano vote voyage war wedding withdrawal workshop"
)
"""Nouns of what happens."""
_TIME = wordset(
    "day night morning afternoon evening noon midnight dawn dusk hour moment week weekend fortnight "
    "month year decade century spring summer autumn fall winter season beginning start end close middle "
    "mid half part quarter period time date eve days years months weeks early late latter"
)
_TEMPORAL = wordset(
    "in on at from since until till during between before after by around about towards toward circa "
    "throughout within through as over upon onwards prior ago"
)
_OPEN = wordset("since until till before after by prior")
_NO_DATE = wordset("for than to like per despite about_to")
"""Prepositions of a noun phrase that holds a date and dates nothing: "the budget for 1850"."""
_MODAL = wordset("can could may might must shall should will ought 'll ca wo cannot")
_IF = wordset("if unless lest whether") | {"than", "as if", "as though", "in case", "even if", "as long as"}
_NOT_FACT = wordset(
    "want wish hope intend plan expect schedule suppose propose promise threaten demand deny doubt fear "
    "pretend refuse aim prepare desire prefer urge recommend request order ask forbid prohibit advise "
    "slate set due project predict anticipate forecast need require"
)
"""What these govern did not, by what the text says, happen."""
_FIRST = wordset("first second third last only next youngest oldest")
_OCCUR = wordset("happen occur")
_HELD = wordset("hold stage conduct fight wage")
_LIGHT_VERBS = wordset(
    "make take have give do hold conduct launch pay deliver commit undertake stage perform mount"
)
_VERB_OF = {
    "decision": "decide", "speech": "speak", "appearance": "appear", "contribution": "contribute",
    "discovery": "discover", "agreement": "agree", "announcement": "announce", "investigation": "investigate",
    "choice": "choose", "proposal": "propose", "departure": "depart", "arrival": "arrive", "payment": "pay",
    "performance": "perform", "invasion": "invade", "declaration": "declare",
    "application": "apply", "donation": "donate", "recommendation": "recommend", "reference": "refer",
    "statement": "state", "complaint": "complain", "recording": "record",
    "purchase": "purchase", "attack": "attack", "visit": "visit", "attempt": "attempt", "offer": "offer",
    "request": "request", "appeal": "appeal", "change": "change", "debut": "debut", "tour": "tour",
    "journey": "travel", "trip": "travel", "voyage": "travel", "assault": "attack", "raid": "raid",
    "escape": "escape", "promise": "promise", "effort": "attempt", "search": "search", "study": "study",
    "survey": "survey", "lecture": "lecture", "interview": "interview", "murder": "murder", "war": "war",
    "use": "use", "claim": "claim", "marriage": "marry", "campaign": "campaign", "protest": "protest",
    "fight": "fight",
}  # fmt: skip
"""What is done when somebody makes, takes, gives or holds it."""
_TARGET = wordset("of on upon to against")
_NAMING = wordset(
    "elect appoint name make crown declare proclaim nominate designate choose call re-elect reelect ordain"
)
"""Verbs with an object and what it is made."""
_INTRANSITIVE = wordset(
    "die come go arrive fall become remain return live rise occur happen serve move retire resign "
    "emerge disappear graduate depart collapse travel work stay sit stand appear succumb attend"
)
_FIXED = {("give", "birth"), ("take", "part"), ("take", "place"), ("take", "office"), ("take", "power")}
_PERSONAL = wordset("he him she her himself herself i me us who whom")
_RELATIVE_PRONOUN = wordset("who whom which that")
_QUANTIFIER = wordset(
    "number group series kind part member majority couple pair hundred thousand million score set lot "
    "sort one"
)
_MANNER = re.compile(r".{2,}(?:ness|ty|tion|sion|ment|ence|ance|cy|asure|ship|hood)$")
_NO_TOOL = wordset(
    "help aid support love joy ease care success difficulty regard respect effect people man woman wife "
    "husband family friend brother sister son daughter father mother child team army troop force group "
    "band company colleague result"
)
_AT = wordset(
    "in at near on to from into off outside inside around through across over within along towards "
    "toward between upon by beside beyond throughout via under below above against for"
)
_REACH = 8
"""Sentences after which a date no longer tells what "the next day" is."""

_BETWEEN = re.compile(
    r"\s*,?\s*(?:up\s+)?(?:to|until|till|through|[-–—])\s*(?:the\s+)?(?:(?:end|close|spring|year)\s+(?:of\s+)?)?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+and\s+(?:the\s+)?", re.IGNORECASE)
_STARTS_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?(?:years?\s+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Time:
    """A date of a sentence: `first` to `last` are its tokens, `head` the topmost of them."""

    date: FoundDate
    head: int
    first: int
    last: int
    relative: bool = False
    opening: str = ""
    bracket: tuple[int, int] | None = None


@dataclass(slots=True)
class _Arguments:
    """Tokens of who does what to whom; `passive` where the subject undergoes it."""

    agents: list[int] = field(default_factory=list)
    patients: list[int] = field(default_factory=list)
    recipients: list[int] = field(default_factory=list)
    instruments: list[int] = field(default_factory=list)
    passive: bool = False


def find_events(context: Context) -> list[Event]:
    """Return the events of a document in text order."""
    events: list[Event] = []
    for sentence, times in _times(context):
        tree = context.trees[sentence]
        life = [(time, dates) for time in times if (dates := _life_dates(context, sentence, time))]
        for time, dates in life:
            events += [
                _life_event(context, sentence, replace(time, date=date), activity) for activity, date in dates
            ]
        others = [time for time in times if all(time is not other for other, _ in life)]
        for predicate, time in _dated(tree, others):
            if tree.upos[predicate] in ("NOUN", "PROPN") and not _is_copular(tree, predicate):
                events.append(_event(context, sentence, predicate, time, _Arguments()))
            elif is_factual(tree, predicate, time.opening):
                events.append(_event(context, sentence, predicate, time, _arguments(tree, predicate)))
    return events


# Times


def _times(context: Context) -> Iterator[tuple[int, list[_Time]]]:
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
        dates = _joined(text, tree.start, [narrowed(text, tree.start, date) for date in dates])
        known = anchor if since <= _REACH else None
        moved = _relative(text, tree, dates, known, written)
        times = [_time(text, tree, date) for date in dates] + [
            replace(_time(text, tree, date), relative=True) for date in moved
        ]
        times.sort(key=lambda time: time.date.start)
        times = [time for time in times if time.date != written]
        for time in times:
            if time.bracket is None:
                anchor, since = time.date, 0
        if times:
            yield sentence, times


def _is_single(text: str, date: FoundDate) -> bool:
    """Tell a date of a known year from one of every year: "each 5 May", "in October of every year"."""
    before = text[max(0, date.start - 8) : date.start]
    yearly = _YEARLY.match(text, date.end) or re.search(r"\b(?:each|every)\s+$", before)
    return bool(date.first) and not (date.first or "").startswith("--") and yearly is None


_YEARLY = re.compile(r"\s+(?:of\s+)?(?:each|every)\s+year\b")


def _written(context: Context) -> FoundDate | None:
    """Return the date of the document itself: that of its metadata, else of its dateline."""
    said = str(context.document.metadata.get("date", ""))
    dates = [date for date in find_dates(said, 0, len(said)) if date.first and not date.first.startswith("-")]
    return dates[0] if dates else _dateline(context.document.text)


def _dateline(text: str) -> FoundDate | None:
    """Return a day that ends a short line, or a field between tabs, at the head of a text."""
    for date in find_dates(text, 0, min(len(text), _HEAD)):
        begin = max(text.rfind("\n", 0, date.start), text.rfind("\t", 0, date.start)) + 1
        rest = re.match(r"[.,;]?[^\S\n\t]*[\n\t]", text[date.end :])
        words = [word for word in re.findall(r"[^\W\d_]+", text[begin : date.start]) if word not in _SMALL]
        title = date.end - begin <= _LINE and all(word[0].isupper() for word in words)
        if date.granularity == "day" and (date.first or "-")[0] != "-" and rest and title:
            return date
    return None


_HEAD, _LINE = 300, 90
"""Characters in which a dateline may stand, and of its line."""
_SMALL = wordset("of the for and in from at on to de la le von van")


def _relative(
    text: str, tree: Tree, dates: list[FoundDate], known: FoundDate | None, written: FoundDate | None
) -> list[FoundDate]:
    """Return the relative dates of a sentence, each reckoned from the date before it."""
    moved: list[FoundDate] = []
    for place in find_relative(text, tree.start, tree.end, _ANY, _ANY):
        before = [
            date
            for date in [*dates, *moved]
            if date.end <= place.start and not _bracket(text, tree, date.start)
        ]
        anchor = max(before, key=lambda date: date.end, default=known)
        if any(date.start < place.end and place.start < date.end for date in dates):
            continue
        moved += find_relative(text, place.start, place.end + 2, anchor, written)[:1]
    return moved


_ANY = FoundDate(0, 0, "2000-06-15")
"""A day, for finding where relative dates stand."""


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


_COARSE = ("second", "minute", "day", "month", "year")


def _is_range(text: str, start: int, before: FoundDate, date: FoundDate) -> bool:
    between = text[before.end : date.start]
    if _AND.fullmatch(between) and before.last and date.last:
        return (
            date.granularity == "year"
            and before.last.isdigit()
            and int(date.first or 0) == int(before.last) + 1
        )
    if before.last and not before.approximate:
        return False
    if not _in_order(before.first or "", date.last or date.first or ""):
        return False
    if _AND.fullmatch(between):
        return bool(_STARTS_BETWEEN.search(text[start : before.start]))
    return bool(_BETWEEN.fullmatch(between))


def _in_order(first: str, last: str) -> bool:
    return first.startswith("-") or first <= last


def _time(text: str, tree: Tree, date: FoundDate) -> _Time:
    first, last = tree.range_of(date.start, date.end)
    head = tree.position_at(date.start, date.end)
    head = first if head is None else head
    return _Time(
        date, head, first, last, opening=_opening(tree, first, head), bracket=_bracket(text, tree, date.start)
    )


def _opening(tree: Tree, first: int, head: int) -> str:
    """Return the preposition that leaves a side of the time open: "since", "until", "by"; else ""."""
    before = [tree.lows[position] for position in range(max(0, first - 3), first)]
    for word in reversed(before):
        if word in _OPEN:
            return word
        if word not in (
            "the",
            "about",
            "around",
            "early",
            "late",
            "year",
            "to",
            "end",
            "of",
            "circa",
            "at",
            "least",
        ):
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


# Which predicate a time belongs to


def _dated(tree: Tree, times: list[_Time]) -> list[tuple[int, _Time]]:
    """Return the predicates of a sentence with their times: several where coordinated dates say so."""
    direct: dict[int, list[_Time]] = defaultdict(list)
    for time in times:
        governor = _governor(tree, time)
        if governor is None and _is_adjunct(tree, time):
            governor = _nearest(tree, time)
        if governor is not None:
            direct[governor].append(time)
    given: dict[int, list[_Time]] = defaultdict(list)
    for predicate, own in direct.items():
        for time in own:
            for member in _sharing(tree, predicate, time, direct):
                given[member].append(time)
    return [(predicate, time) for predicate in sorted(given) for time in _chosen(tree, given[predicate])]


def _governor(tree: Tree, time: _Time) -> int | None:
    """Return the predicate or noun of an event that a time modifies, climbing from it."""
    position, case = time.head, ""
    if _is_no_adjunct(tree, time):
        return None
    for _ in range(len(tree)):
        head = tree.heads[position]
        case = tree.case_of(position) or case
        if head == position:
            return None
        if time.first <= head < time.last or (_is_time(tree, head) and not _is_copular(tree, head)):
            position = head
            continue
        if tree.upos[head] in (
            "ADV",
            "ADP",
            "SCONJ",
            "PART",
            "NUM",
            "DET",
            "CCONJ",
            "PUNCT",
        ) or _is_adverbial(tree, head):
            position = head
            continue
        return _accepted(tree, time, position, head, case)
    return None


def _is_no_adjunct(tree: Tree, time: _Time) -> bool:
    """Tell "for the first time since 1990", when it was not, and "gladdened by this day", which did it."""
    if time.opening == "since":
        return "time" in tree.lows[max(0, time.first - 3) : time.first]
    return time.relative and time.opening == "by"


def _is_adjunct(tree: Tree, time: _Time) -> bool:
    """Tell a time that must date a predicate, by its own preposition, wherever the tree hangs it."""
    if time.bracket is not None or _is_no_adjunct(tree, time):
        return False
    before = time.first - 1
    following = tree.upos[time.last] if time.last < len(tree) else ""
    if following in ("NOUN", "ADJ") and tree.relations[time.head] in (
        "compound",
        "amod",
        "nummod",
        "nmod",
    ):
        return False
    if time.relative and (before < 0 or tree.lows[before] not in _NO_DATE | {"of"}):
        return not (tree.relations[time.head] == "nsubj" and _is_copular(tree, tree.heads[time.head]))
    if time.date.granularity == "day" and (before < 0 or tree.words[before] == "," or _is_verb(tree, before)):
        return True
    while before >= 0 and (tree.lows[before] in _BESIDE_TIME or _is_time(tree, before)):
        before -= 1
    return before >= 0 and tree.lows[before] in ("in", "on", "since", "from", "between", "until")


_BESIDE_TIME = wordset("the early late mid year years of about around")


def _nearest(tree: Tree, time: _Time) -> int | None:
    """Return the predicate before a time, or the first with a subject where the time opens the sentence."""
    predicates = [
        position for position in range(len(tree)) if _is_verb(tree, position) or _is_copular(tree, position)
    ]
    before = [position for position in predicates if position < time.first]
    if before:
        return before[-1] if time.first - before[-1] <= _NEAR else None
    after = [position for position in predicates if position >= time.last]
    return after[0] if after and time.first <= 3 else None


_NEAR = 10
"""Words between a predicate and a time that the tree does not join."""


def _is_time(tree: Tree, position: int) -> bool:
    return tree.upos[position] in ("NOUN", "PROPN", "ADJ") and tree.lemmas[position] in _TIME


def _is_adverbial(tree: Tree, position: int) -> bool:
    return (
        tree.upos[position] == "ADJ"
        and tree.relations[position] in ("advmod", "amod")
        and not _is_copular(tree, position)
        and not _is_verb(tree, position)
    )


def _is_copular(tree: Tree, position: int) -> bool:
    return tree.dependent(position, "cop") is not None and tree.upos[position] != "VERB"


def _is_verb(tree: Tree, position: int) -> bool:
    """Tell a verb, and what is tagged otherwise but has an auxiliary, from what only modifies a noun."""
    if tree.dependent(position, "aux") is not None:
        return True
    if tree.upos[position] == "ADJ":
        return tree.dependent(position, "obj") is not None
    modifies = tree.relations[position] in ("amod", "compound", "case", "mark", "fixed", "nmod")
    return tree.upos[position] == "VERB" and not (
        modifies and tree.dependent(position, "nsubj", "obl") is None
    )


def _accepted(tree: Tree, time: _Time, position: int, head: int, case: str) -> int | None:
    """Return what a time that hangs on `head` by `position` dates."""
    words = case.split()
    if words and words[0] in _NO_DATE and not _PREPOSITIONS_OF_RANGE.issuperset(words):
        return None
    temporal = words[0] in _TEMPORAL if words else time.relative
    for _ in range(len(tree)):
        if tree.upos[head] == "AUX" and tree.relations[head] in ("aux", "cop"):
            head = tree.heads[head]
        nominal = tree.upos[head] in ("NOUN", "PROPN")
        names = tree.relations[position] in _OF_NOUN and not temporal and nominal
        if (_is_predicate(tree, head) or tree.upos[head] == "AUX") and not names:
            inside = time.bracket is None or time.bracket[0] <= tree.starts[head] < time.bracket[1]
            return _of_verb(tree, time, position, head) if inside else None
        above = tree.heads[head]
        higher = temporal and time.bracket is None and above != head
        eventive = (tree.lemmas[head] in EVENTIVE or _plural(tree.lows[head])) and not _is_quoted(tree, head)
        if eventive and not (higher and above < head and tree.deprels[head] in _PASSED_ON):
            return head
        if not higher:
            break
        position, head = head, above
    return None


_OF_NOUN = frozenset({"nmod", "nummod", "compound", "appos", "flat", "amod", "dep", "list"})


def _is_predicate(tree: Tree, position: int) -> bool:
    return _is_verb(tree, position) or _is_copular(tree, position)


def _is_quoted(tree: Tree, position: int) -> bool:
    """Tell whether a word stands in a title: after an odd number of quotation marks."""
    return sum(word in ('"', "“", "”", "«", "»") for word in tree.words[:position]) % 2 == 1


_PASSED_ON = frozenset({"obj", "obl", "nmod", "nsubj", "xcomp"})
"""Of a noun after its verb a time with a preposition dates the verb: "was wounded at the battle in 1854"."""
_PREPOSITIONS_OF_RANGE = wordset("to from until")


def _plural(word: str) -> bool:
    return word.endswith("s") and word[:-1] in EVENTIVE


def _of_verb(tree: Tree, time: _Time, position: int, head: int) -> int | None:
    """Return the predicate, unless the time is its subject or object; "began to publish" is one."""
    if _is_argument(tree, time, position, head):
        return None
    since = tree.lows[head] in _FROM_THEN_ON and tree.dependent(head, "nsubj", "obj", "xcomp") is None
    if since or (time.last <= head and _is_cut_off(tree, time, head)):
        return _main(tree, time, head)
    while tree.relations[head] == "xcomp" and _is_verb(tree, head) and _is_verb(tree, tree.heads[head]):
        if tree.lemmas[tree.heads[head]] in _NOT_FACT and position > head:
            return head  # which is then no fact
        head = tree.heads[head]
    purpose = tree.relations[head] == "advcl" and tree.mark_of(head) in ("to", "in order to")
    return tree.heads[head] if purpose and _is_verb(tree, tree.heads[head]) else head


def _is_argument(tree: Tree, time: _Time, position: int, head: int) -> bool:
    """Tell whether a time is what a verb is about: its only subject, or the object of an active verb."""
    if not (time.first <= position < time.last or _is_time(tree, position)):
        return False
    relation = tree.relations[position]
    if relation == "nsubj":
        return all(child == position for child in tree.dependents(head, "nsubj"))
    is_object = relation == "obj" and position > head and not time.relative
    return relation == "csubj" or (is_object and not _by_deprel(tree, head))


_FROM_THEN_ON = wordset("beginning starting commencing")
"""Participles that stand before a time as "since" does."""


def _is_cut_off(tree: Tree, time: _Time, head: int) -> bool:
    """Tell a participle between an opening time and its clause: "On this day, marked by joy, we …"."""
    reduced = tree.dependent(head, "nsubj", "aux", "mark") is None and not _is_copular(tree, head)
    return reduced and tree.words[time.last] == "," and head - time.last <= 2 and time.first <= 3


def _main(tree: Tree, time: _Time, head: int) -> int | None:
    """Return the predicate above a participle, else the next with a subject."""
    above = tree.heads[head]
    if above != head and (_is_verb(tree, above) or _is_copular(tree, above)):
        return above
    later = range(max(time.last, head + 1), len(tree))
    return next((at for at in later if tree.dependent(at, "nsubj", "expl") is not None), None)


def _sharing(tree: Tree, predicate: int, time: _Time, direct: dict[int, list[_Time]]) -> list[int]:
    """Return the coordinated predicates that a time dates: all after it, else the last before it."""
    following = [
        member
        for member in tree.conjuncts(predicate)[1:]
        if _is_verb(tree, member) or _is_copular(tree, member)
    ]
    if time.head < predicate:
        return [
            predicate,
            *(m for m in following if m not in direct and tree.dependent(m, "nsubj", "expl") is None),
        ]
    before = [member for member in following if member < time.head]
    if before and before[-1] not in direct:
        return [before[-1]]
    return [predicate]


def _chosen(tree: Tree, times: list[_Time]) -> list[_Time]:
    """Return the times of a predicate: the best of them, and those that are coordinated with it."""
    best = min(times, key=lambda t: (bool(t.opening), t.relative, -len(t.date.first or ""), t.first))
    others = [
        time for time in times if time is not best and not time.opening and _coordinated(tree, best, time)
    ]
    return sorted([best, *others], key=lambda time: time.first)


def _coordinated(tree: Tree, one: _Time, other: _Time) -> bool:
    early, late = sorted((one, other), key=lambda time: time.first)
    words = [tree.lows[position] for position in range(early.last, late.first)]
    return all(word in (",", "and", "or", "in", "again", "on") or word.isdigit() for word in words)


# Life dates in brackets


_BORN = re.compile(r"(?:\bborn\b|\bb\.|\*)(?:(?!\bdied\b)[^;()\d]){0,60}$", re.IGNORECASE)
_DIED = re.compile(r"(?:\bdied\b|\bd\.|†)(?:(?!\bborn\b)[^;()\d]){0,60}$", re.IGNORECASE)


def _life_dates(context: Context, sentence: int, time: _Time) -> list[tuple[str, FoundDate]]:
    """Return birth and death from "(born 5 May 1950)", "(d. 1093)", "(5 May 1850 – 3 June 1910)".

    Two bare years are left alone: they may be those of a reign or an office.
    """
    if time.bracket is None or _named_before(context, sentence, time.bracket[0]) is None:
        return []
    date = time.date
    before = context.document.text[time.bracket[0] + 1 : date.start]
    if _BORN.search(before) or (
        date.last and _DIED.search(before) is None and _is_span(context, sentence, time)
    ):
        first = ("be born", replace(date, last=None))
        return [first, ("die", replace(date, first=date.last, last=None))] if date.last else [first]
    return [("die", date)] if _DIED.search(before) else []


def _is_span(context: Context, sentence: int, time: _Time) -> bool:
    name = _named_before(context, sentence, time.bracket[0] if time.bracket else 0)
    date = time.date
    exact = (
        date.granularity == "day" and int((date.last or "0")[:4] or 0) - int((date.first or "0")[:4] or 0) > 9
    )
    return exact and name is not None and name.type == "person"


def _named_before(context: Context, sentence: int, place: int) -> Mention | None:
    """Return the name before a bracket; at most a title stands between."""
    names = [
        name
        for name in context.names_in(sentence, context.trees[sentence].start, place)
        if name.type not in ("date", "quantity")
    ]
    near = [name for name in names if place - name.end <= _TITLE]
    return max(near, key=lambda name: name.end - name.start, default=None)


_TITLE = 12
"""Characters between a name and the bracket with its dates: ", Jr. (1850"."""


def _life_event(context: Context, sentence: int, time: _Time, activity: str) -> Event:
    bracket = time.bracket or (time.date.start, time.date.end)
    name = _named_before(context, sentence, bracket[0])
    roles: JsonDict = {name.id: "patient" if activity == "be born" else "agent"} if name else {}
    span = (name.start if name else bracket[0], min(bracket[1] + 1, context.trees[sentence].end))
    place = bracket[0] + (activity == "die")
    return _made(context, sentence, time, activity, (place, *span), roles, tuple(roles), ())


# Whether it happened


def is_factual(tree: Tree, predicate: int, opening: str = "") -> bool:
    """Tell whether the text says that something happened: not denied, asked, conditional, due or to come.

    `opening` is the preposition of its time: what did not end until 1945 ended then.
    """
    denied = tree.is_negated(predicate) and opening not in ("until", "till")
    nobody = any(tree.lows[s] in ("nobody", "none", "nothing") for s in tree.dependents(predicate, "nsubj"))
    if denied or nobody or "?" in tree.words[-2:]:
        return False
    position = predicate
    for _ in range(len(tree)):
        if not _may_hold(tree, position):
            return False
        if tree.relations[position] == "conj" and _is_finite(tree, position):
            position = _above_conjuncts(tree, position)
            if tree.mark_of(position) in _IF:
                return False
        head = tree.heads[position]
        if head == position or not _leaves_fact(tree, position, head):
            return head == position and tree.mark_of(position) != "to"
        stands_alone = tree.relations[position] == "advcl" and tree.mark_of(position) not in ("", "to")
        if stands_alone or tree.relations[position] not in ("ccomp", "xcomp", "conj", "advcl", "csubj"):
            break
        position = head
    return True


def _above_conjuncts(tree: Tree, position: int) -> int:
    while tree.relations[position] == "conj" and tree.heads[position] != position:
        position = tree.heads[position]
    return position


def _is_finite(tree: Tree, position: int) -> bool:
    return tree.feature(position, "VerbForm") == "Fin" or any(
        tree.feature(aux, "VerbForm") == "Fin" for aux in tree.dependents(position, "aux", "cop")
    )


def _may_hold(tree: Tree, position: int) -> bool:
    """Tell whether nothing in a clause itself makes it other than a fact."""
    auxiliaries = tree.dependents(position, "aux", "cop")
    words = {tree.lemmas[aux] for aux in auxiliaries} | {tree.lows[aux] for aux in auxiliaries}
    if tree.upos[position] == "AUX":
        words.add(tree.lemmas[position])
    subject = tree.dependent(position, "nsubj")
    commanded = tree.feature(position, "Mood") == "Imp" or (
        tree.lemmas[position] == "let" and subject is None
    )
    conditional = tree.mark_of(position) in _IF or tree.case_of(position) in _IF
    if commanded or conditional or not _MODAL.isdisjoint(words) or _is_would(tree, position, words):
        return False
    near = range(max(0, position - 3), min(position + 2, len(tree) - 2))
    if any(tree.lows[at] == "due" and tree.upos[at + 2] == "VERB" for at in near):
        return False  # "is due to open"
    inverted = subject is not None and any(
        tree.lows[aux] in ("had", "were", "should") and aux < subject for aux in auxiliaries
    )
    return not (tree.relations[position] == "advcl" and inverted and not tree.mark_of(position))


def _is_would(tree: Tree, position: int, words: set[str]) -> bool:
    """Tell "would" of a condition or of what is expected from that of later times: "he would win in 1860"."""
    if "would" not in words and ("'d" not in words or "have" in words):
        return False
    conditional = any(tree.mark_of(clause) in _IF for clause in tree.dependents(position, "advcl"))
    return conditional or "have" in words or tree.relations[position] == "ccomp"


def _leaves_fact(tree: Tree, position: int, head: int) -> bool:
    """Tell whether what governs a clause leaves it a fact."""
    relation, infinitive = tree.relations[position], tree.mark_of(position) == "to"
    if relation in ("ccomp", "xcomp", "csubj"):
        if tree.lemmas[head] in _NOT_FACT or tree.is_negated(head):
            return False
        return not (infinitive and relation == "csubj")
    if relation == "acl" and infinitive and tree.deprels[position] != "acl:relcl":
        words = {tree.lemmas[head], *(tree.lemmas[child] for child in tree.children[head])}
        return not _FIRST.isdisjoint(words)
    return not infinitive or relation in ("acl", "advcl")


# Who and where


def _arguments(tree: Tree, predicate: int) -> _Arguments:
    """Return who does what to whom, subjects of coordinated and reduced clauses filled in."""
    own = next((s for s in tree.dependents(predicate, "nsubj") if not _is_time(tree, s)), None)
    subjects = [own] if own is not None else _borrowed(tree, predicate)
    passive = _is_passive(tree, predicate)
    arguments = _Arguments(passive=passive)
    subjects = [token for subject in subjects for token in tree.conjuncts(_antecedent(tree, subject))]
    objects = _objects(tree, predicate)
    if own is not None and not objects and not passive and _lacks_object(tree, predicate, own):
        objects = [tree.heads[predicate]]
    if passive:
        arguments.patients = subjects
        by = [
            o
            for o in tree.dependents(predicate, "obl")
            if tree.deprels[o] == "obl:agent" or tree.case_of(o) == "by"
        ]
        arguments.agents = [token for agent in by for token in tree.conjuncts(agent)]
    else:
        arguments.agents = subjects
        arguments.patients = objects
    arguments.recipients = [t for i in tree.dependents(predicate, "iobj") for t in tree.conjuncts(i)]
    for oblique in [
        *tree.dependents(predicate, "obl"),
        *(n for o in objects for n in tree.dependents(o, "nmod")),
    ]:
        case = tree.case_of(oblique)
        if case == "to":
            arguments.recipients += tree.conjuncts(oblique)
        elif case == "by means of" or (case == "with" and _is_tool(tree, oblique)):
            arguments.instruments += tree.conjuncts(oblique)
    return arguments


def _objects(tree: Tree, predicate: int) -> list[int]:
    """Return the objects of a verb; of a light verb those of the noun that carries the meaning."""
    noun = tree.dependent(predicate, "obj")
    if noun is None or tree.dependent(predicate, "expl") is not None:
        return []
    lemma, what = tree.lemmas[predicate], _lemma(tree, noun)
    if (lemma, what) in _FIXED:
        return []
    if lemma in _LIGHT_VERBS and what in _VERB_OF and tree.upos[noun] == "NOUN":
        return _targets(tree, predicate, noun)
    return [
        token
        for obj in tree.dependents(predicate, "obj")
        if obj == noun or lemma not in _NAMING
        for token in tree.conjuncts(_antecedent(tree, obj))
    ]


def _targets(tree: Tree, predicate: int, noun: int) -> list[int]:
    return [m for m in tree.dependents(noun, "nmod") if tree.case_of(m) in _TARGET] + [
        o for o in tree.dependents(predicate, "obl") if tree.case_of(o) in _TARGET - {"of"}
    ]


def _borrowed(tree: Tree, predicate: int) -> list[int]:
    """Return the subject that a clause without one shares with what governs it."""
    relation, head = tree.relations[predicate], tree.heads[predicate]
    if head == predicate:
        return []
    if relation in ("acl", "appos", "amod") or (
        relation == "parataxis" and tree.upos[head] in ("NOUN", "PROPN")
    ):
        return [head] if tree.upos[head] in ("NOUN", "PROPN", "PRON") else []
    if relation in ("conj", "advcl", "xcomp", "parataxis"):
        controlled = tree.dependent(head, "obj") if relation == "xcomp" else None
        own = controlled if controlled is not None else tree.dependent(head, "nsubj")
        return [own] if own is not None else _borrowed(tree, head) if relation != "parataxis" else []
    return []


def _is_passive(tree: Tree, predicate: int) -> bool:
    if _by_deprel(tree, predicate):
        return True
    active = tree.lows[predicate].endswith("ing") or tree.mark_of(predicate) == "to"
    if active or tree.dependent(predicate, "aux", "nsubj", "cop") is not None:
        return False
    if tree.lemmas[predicate] in _INTRANSITIVE or tree.upos[predicate] not in ("VERB", "ADJ"):
        return False
    participle = tree.feature(predicate, "VerbForm") == "Part"
    if tree.relations[predicate] == "conj":
        return participle and _is_passive(tree, tree.heads[predicate])
    reduced = participle and tree.relations[predicate] in ("advcl", "appos", "parataxis", "root", "amod")
    return reduced or tree.relations[predicate] == "acl"


def _by_deprel(tree: Tree, predicate: int) -> bool:
    return any(tree.deprels[child] in ("nsubj:pass", "aux:pass") for child in tree.children[predicate])


def _antecedent(tree: Tree, token: int) -> int:
    """Return what a relative pronoun stands for, any other token as it is."""
    if tree.upos[token] in ("PRON", "DET", "SCONJ") and tree.lows[token] in _RELATIVE_PRONOUN:
        clause = tree.heads[token]
        if tree.relations[clause] == "acl":
            return tree.heads[clause]
        nouns = [before for before in range(token) if tree.upos[before] in ("NOUN", "PROPN")]
        if tree.lows[token] == "who" and nouns:
            noun = nouns[-1]
            while tree.relations[noun] in ("flat", "compound") and tree.heads[noun] < token:
                noun = tree.heads[noun]
            return noun
    return token


def _lacks_object(tree: Tree, predicate: int, subject: int) -> bool:
    """Tell whether a relative clause is about its missing object: "the book he wrote in 1850"."""
    head = tree.heads[predicate]
    return (
        tree.deprels[predicate] == "acl:relcl"
        and tree.lows[subject] not in _RELATIVE_PRONOUN
        and not _is_time(tree, head)
        and not any(tree.lows[child] in ("where", "when", "why", "how") for child in tree.children[predicate])
        and tree.dependent(predicate, "ccomp", "xcomp", "obl") is None
    )


def _is_tool(tree: Tree, token: int) -> bool:
    lemma = tree.lemmas[token]
    return (
        tree.upos[token] == "NOUN"
        and not _MANNER.match(lemma)
        and lemma not in _NO_TOOL
        and lemma not in EVENTIVE
    )


def _mention(context: Context, sentence: int, token: int) -> Mention | None:
    """Return what a token stands for; None for a pronoun that nothing is known of, a date or a quantity."""
    tree = context.trees[sentence]
    if tree.upos[token] not in ("NOUN", "PROPN", "PRON", "X", "NUM", "ADJ") or (
        tree.upos[token] in ("PRON", "NUM", "ADJ")
        and (sentence, token) not in context.references
        and context.name_at(sentence, token) is None
    ):
        return None
    if _is_time(tree, token):
        return None
    mention = context.mention_of(sentence, context.end(sentence, token))
    return None if mention.type == "date" else mention


def _places(context: Context, sentence: int, predicate: int, patients: list[Mention]) -> list[str]:
    """Return the places that the clause is in, at or near, and those that undergo what happens."""
    tree = context.trees[sentence]
    clause = tree.subtree(predicate, ("acl", "advcl", "ccomp", "parataxis", "acl:relcl", "csubj"))
    clause = [token for token in clause if not _in_other_conjunct(tree, predicate, token)]
    inside = set(clause)
    places = [mention.id for mention in patients if mention.type == "place"]
    for mention in context.names_in(sentence, *tree.span(clause)):
        token = tree.position_at(mention.start, mention.end)
        if (
            mention.type == "place"
            and token in inside
            and token is not None
            and _is_where(tree, predicate, token)
        ):
            places.append(mention.id)
    return list(dict.fromkeys(places))


def _in_other_conjunct(tree: Tree, predicate: int, token: int) -> bool:
    while token != predicate:
        head = tree.heads[token]
        if head == predicate:
            return tree.relations[token] == "conj"
        if head == token:
            return False
        token = head
    return False


def _is_where(tree: Tree, predicate: int, token: int) -> bool:
    """Tell whether a name, or what it is coordinated with or set beside, has a preposition of place."""
    while token != predicate and not tree.case_of(token):
        if tree.relations[token] not in (
            "conj",
            "appos",
            "flat",
            "compound",
            "list",
            "nmod",
            "obl",
            "dep",
            "nummod",
        ):
            return False
        token = tree.heads[token]
    return (
        token != predicate
        and tree.relations[token] in ("obl", "nmod")
        and tree.case_of(token).split()[0] in _AT
        and tree.deprels[token] != "obl:agent"
    )


# What happened


def activity_of(context: Context, sentence: int, predicate: int, arguments: _Arguments) -> str:
    """Return the frame of a predicate, as the module says."""
    tree = context.trees[sentence]
    lemma = _lemma(tree, predicate)
    if _is_copular(tree, predicate):
        return f"be {_complement(context, sentence, predicate)}".strip()
    if tree.upos[predicate] in ("NOUN", "PROPN"):
        return lemma
    if lemma == "be":
        subject = tree.dependent(predicate, "nsubj")
        noun = (
            _lemma(tree, subject)
            if subject is not None and tree.dependent(predicate, "expl") is not None
            else ""
        )
        return noun if noun in EVENTIVE else f"be {noun}".strip()
    if tree.lows[predicate] == "born":
        return "be born"
    particle = tree.dependent(predicate, "compound:prt")
    verb = f"{lemma} {tree.lows[particle]}" if particle is not None else lemma
    return (
        _light(context, sentence, predicate, arguments, lemma)
        or _with_complement(tree, predicate, verb, arguments)
        or f"{verb} {_object_class(context, sentence, arguments)}".strip()
    )


def _light(context: Context, sentence: int, predicate: int, arguments: _Arguments, lemma: str) -> str:
    """Return the frame of a verb that leaves the meaning to a noun, "" for any other verb."""
    tree = context.trees[sentence]
    obj = tree.dependent(predicate, "obj")
    noun = _lemma(tree, obj) if obj is not None and tree.upos[obj] == "NOUN" else ""
    subject = (arguments.patients if arguments.passive else arguments.agents)[:1]
    what = _lemma(tree, subject[0]) if subject and tree.upos[subject[0]] in ("NOUN", "PROPN") else ""
    if (lemma in _OCCUR or (lemma, noun) == ("take", "place")) and what:
        return what if what in EVENTIVE or tree.upos[subject[0]] == "NOUN" else f"{lemma} {noun}".strip()
    if arguments.passive and lemma in _HELD and what in EVENTIVE:
        return what
    if (lemma, noun) in _FIXED:
        return f"{lemma} {noun}"
    if lemma in _HELD and noun in EVENTIVE:
        return noun
    if lemma in _LIGHT_VERBS and noun in _VERB_OF:
        return f"{_VERB_OF[noun]} {_object_class(context, sentence, arguments)}".strip()
    return ""


def _with_complement(tree: Tree, predicate: int, verb: str, arguments: _Arguments) -> str:
    """Return the frame of a verb with an office, a result or a clause, "" for any other."""
    clause = tree.dependent(predicate, "xcomp")
    role = next(
        (
            o
            for o in tree.dependents(predicate, "obl", "advcl")
            if tree.case_of(o) == "as" or tree.mark_of(o) == "as"
        ),
        None,
    )
    objects = tree.dependents(predicate, "obj")
    named = None
    if arguments.passive:
        named = objects[0] if objects else None
    elif tree.lemmas[predicate] in _NAMING and len(objects) + len(tree.dependents(predicate, "iobj")) > 1:
        named = objects[-1]
    if clause is not None and tree.upos[clause] == "VERB":
        if tree.mark_of(clause) != "to" and not tree.lows[clause].endswith("ing"):
            return verb
        return f"{verb} to {_lemma(tree, clause)}"
    for token in (clause, named):
        if token is not None and tree.upos[token] in ("NOUN", "ADJ") and tree.lemmas[token] not in _TIME:
            return f"{verb} {_lemma(tree, token)}"
    if role is not None and tree.upos[role] == "NOUN" and tree.lemmas[role] not in _QUANTIFIER:
        if arguments.passive or tree.lemmas[predicate] in _NAMING:
            return f"{verb} {_lemma(tree, role)}"
        return "" if arguments.patients else f"{verb} as {_lemma(tree, role)}"
    return ""


def _object_class(context: Context, sentence: int, arguments: _Arguments) -> str:
    classes = [c for token in arguments.patients[:1] if (c := _class(context, sentence, token))]
    return classes[0] if classes else ""


def _complement(context: Context, sentence: int, predicate: int) -> str:
    tree = context.trees[sentence]
    if tree.case_of(predicate) or tree.upos[predicate] not in ("NOUN", "ADJ") or _is_quoted(tree, predicate):
        return ""
    return _lemma(tree, predicate)


def _class(context: Context, sentence: int, token: int) -> str:
    """Return what kind of thing a token stands for, "" where that says nothing."""
    tree = context.trees[sentence]
    reference = context.references.get((sentence, token))
    mention = reference.mention if reference is not None else context.name_at(sentence, token)
    if mention is not None and mention.type in ("person", "organisation", "place"):
        return mention.type
    if tree.upos[token] == "PRON":
        return "person" if tree.lows[token] in _PERSONAL else ""
    if (mention is not None and mention.type == "date") or _is_time(tree, token):
        return ""
    lemma = _lemma(tree, token)
    if lemma in _QUANTIFIER:
        inner = next((n for n in tree.dependents(token, "nmod") if tree.case_of(n) == "of"), None)
        return _class(context, sentence, inner) if inner is not None else ""
    return lemma if tree.upos[token] == "NOUN" or lemma in EVENTIVE else ""


def _lemma(tree: Tree, token: int) -> str:
    """Return the lemma of a token, of a plural that names an event the singular."""
    lemma = tree.lemmas[token]
    return lemma[:-1] if _plural(lemma) and lemma not in EVENTIVE else lemma


# The event


def _event(context: Context, sentence: int, predicate: int, time: _Time, arguments: _Arguments) -> Event:
    tree = context.trees[sentence]
    roles, agents, patients = _roles(context, sentence, arguments)
    start, end = tree.span(_clause(tree, predicate, time))
    acting = [m for m in agents if m.type in ("person", "organisation")] or [
        m for m in patients if m.type in ("person", "organisation")
    ]
    return _made(
        context,
        sentence,
        time,
        activity_of(context, sentence, predicate, arguments),
        (tree.starts[predicate], start, end),
        roles,
        tuple(dict.fromkeys(m.id for m in acting)),
        tuple(_places(context, sentence, predicate, patients)),
    )


def _made(
    context: Context,
    sentence: int,
    time: _Time,
    activity: str,
    span: tuple[int, int, int],
    roles: JsonDict,
    actors: tuple[str, ...],
    places: tuple[str, ...],
) -> Event:
    """Return an event; `span` is the place of its predicate, and the characters of its clause."""
    text = context.document.text
    place, start, end = span
    return Event.model_validate(
        {
            "id": stable_id("evt", context.document.id, place, time.date.start),
            "case": context.document.id,
            "activity": activity,
            "text": squeezed(text[start:end]),
            "timestamp": time.date.first,
            "timestamp_end": time.date.last,
            "granularity": time.date.granularity,
            "approximate": time.date.approximate,
            "roles": roles,
            "actors": actors,
            "places": places,
            "confidence": 0.6 if time.date.year_inferred or time.relative else 0.75,
            "cue": _cue(text, time),
            **context.findings.where(start, end, context.reading.sentences[sentence]),
        }
    )


def _roles(
    context: Context, sentence: int, arguments: _Arguments
) -> tuple[JsonDict, list[Mention], list[Mention]]:
    """Return mention ids with their roles, and the mentions that act and undergo."""
    mentions = {
        role: [m for token in tokens if (m := _mention(context, sentence, token))]
        for role, tokens in (
            ("agent", arguments.agents),
            ("patient", arguments.patients),
            ("recipient", arguments.recipients),
            ("instrument", arguments.instruments),
        )
    }
    mentions["recipient"] = [m for m in mentions["recipient"] if m.type in ("person", "organisation")]
    roles: JsonDict = {}
    for role, members in mentions.items():
        for mention in members:
            roles.setdefault(mention.id, role)
    return roles, mentions["agent"], mentions["patient"]


def _clause(tree: Tree, predicate: int, time: _Time) -> list[int]:
    """Return the tokens of an event: its clause without coordinated ones, a participle with its noun."""
    clause = [predicate]
    for child in tree.children[predicate]:
        if tree.relations[child] == "parataxis" or (
            tree.relations[child] == "conj" and (_is_verb(tree, child) or _is_copular(tree, child))
        ):
            continue
        if tree.relations[child] in ("cc", "punct") and child < predicate:
            continue
        clause += tree.subtree(child, ("parataxis",))
    if tree.relations[predicate] == "acl" and tree.deprels[predicate] != "acl:relcl":
        clause.append(tree.heads[predicate])
    clause.sort()
    while len(clause) > 1 and tree.upos[clause[-1]] == "PUNCT" and clause[-1] >= time.last:
        clause.pop()
    return clause


def _cue(text: str, time: _Time) -> str:
    """Return the words that tell the time, marked where they are reckoned from an earlier date."""
    words = squeezed(text[time.date.start : time.date.end])
    if time.opening:
        words = f"{time.opening} {words}"
    return f"relative: {words}" if time.relative else words
