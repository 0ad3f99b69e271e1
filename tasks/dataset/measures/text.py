"""Measures of a unit's text: how long, how varied, how hard, and which words it uses."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import TableDataset
from corpusgraph.tasks.dataset.measures.measured import (
    Measured,
    Request,
    asserted,
    entities_named,
    known_categories,
    known_kinds,
    known_types,
    unknown,
)
from corpusgraph.tasks.dataset.measures.units import Reading, Sentence, Unit, cue_pattern

_GRAPH_UNITS = {"entity", "pair", "community"}
_OF_ENTITIES = {*_GRAPH_UNITS, "entity_period"}


def count(
    ask: Request,
    what: str,
    of: Callable[[Sentence], int],
    more: str = "",
    *,
    told: str = "",
    warnings: tuple[ToolWarning, ...] = (),
) -> Measured:
    """Sum a count over each unit's sentences; `more` ends formula and label, `told` the formula alone.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.
    what : str
        What is counted, in the plural.
    of : callable
        Counts in a sentence.
    more : str, default ""
        Ends formula and label.
    told : str, default ""
        Ends the formula.
    warnings : tuple of ToolWarning, optional
        What to know about it.

    Returns
    -------
    Measured
        A cell a unit.

    """
    once = cache(of)  # units share sentences
    values = [sum(map(once, unit.sentences)) for unit in ask.units]
    formula, label = f"number of {what}{more} in {ask.scope}{told}", f"{what.capitalize()}{more}"
    return Measured(values, "integer", formula, label, what, warnings=warnings)


def mentions(ask: Request) -> Measured:
    """Count mentions: of the entities in `of`, else of the unit's own entities, else all.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    UnknownEntityError
        Where the corpus has none of the names in `of`.
    AmbiguousEntityError
        Where one of them means several entities.

    """
    ids = ask.reading.entity_ids
    groups, warnings = entities_named(ask)
    wanted = frozenset[str]().union(*groups)
    values = []
    for unit in ask.units:
        own = wanted if ask.variable.of else frozenset(unit.entities)
        everyone = not ask.variable.of and (ask.dataset.unit == "event" or not unit.entities)
        spoken = (m for sentence in unit.sentences for m in ask.reading.mentions.get(sentence, ()))
        values.append(sum(1 for m in spoken if everyone or ids.get(m.id) in own))
    own_entities = not ask.variable.of and ask.dataset.unit in _OF_ENTITIES
    whose = " of the unit's entities" if own_entities else ask.listed()
    return Measured(
        values,
        "integer",
        f"number of mentions{whose} in {ask.scope}",
        f"Mentions{ask.listed()}",
        "mentions",
        warnings=warnings,
    )


def entities(ask: Request) -> Measured:
    """Count distinct entities, of the types in `of`, other than the unit's own.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    types = {name.casefold() for name in ask.of}
    ids = ask.reading.entity_ids
    kind = {entity.id: (entity.type or "").casefold() for entity in ask.reading.corpus.graph.entities}
    values = []
    for unit in ask.units:
        own = set() if ask.dataset.unit == "event" else set(unit.entities)
        found = {ids[m.id] for s in unit.sentences for m in ask.reading.mentions.get(s, ()) if m.id in ids}
        values.append(sum(1 for one in found - own if not types or kind.get(one) in types))
    other = "other " if ask.dataset.unit in _OF_ENTITIES else ""
    formula = f"number of different {other}entities{ask.listed(' of type ')} in {ask.scope}"
    warnings = known_kinds(ask.reading, ask.variable.name, ask.of)
    label = f"Entities{ask.listed(': ')}"
    return Measured(values, "integer", formula, label, "entities", warnings=warnings)


def quantities(ask: Request) -> Measured:
    """Count quantities, of the units of measurement in `of`.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    kinds = {name.casefold() for name in ask.of}

    def found(sentence: Sentence) -> int:
        stated = (m for m in ask.reading.mentions.get(sentence, ()) if m.type == "quantity")
        return sum(1 for m in stated if not kinds or str(m.attributes.get("unit", "")).casefold() in kinds)

    numbers = (m for m in ask.reading.corpus.mentions if m.type == "quantity")
    stated = {str(m.attributes["unit"]) for m in numbers if m.attributes.get("unit")}
    warnings = known_categories(ask.variable.name, "quantity in", unknown(ask.of, stated), stated)
    return count(ask, "quantities", found, ask.listed(" in "), warnings=warnings)


def claims(ask: Request) -> Measured:
    """Count claims.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    return count(ask, "claims", lambda s: len(ask.reading.claims.get(s, ())))


def events(ask: Request) -> Measured:
    """Count dated events, of the activities in `of`.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    kinds = {name.casefold() for name in ask.of}

    def found(sentence: Sentence) -> int:
        return sum(
            1 for e in ask.reading.events.get(sentence, ()) if not kinds or e.activity.casefold() in kinds
        )

    told = {event.activity for event in ask.reading.corpus.events}
    warnings = known_categories(ask.variable.name, "event of activity", unknown(ask.of, told), told)
    return count(ask, "dated events", found, ask.listed(), warnings=warnings)


def documents(ask: Request) -> Measured:
    """Count the documents of the unit's sentences.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [len({document for document, _ in unit.sentences}) for unit in ask.units]
    formula = f"number of different documents among {ask.scope}"
    return Measured(values, "integer", formula, "Documents", "documents")


def chunks(ask: Request) -> Measured:
    """Count the chunks behind the row, which its provenance lists.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [len(unit.chunks) for unit in ask.units]
    return Measured(values, "integer", "number of chunks behind the row", "Chunks", "chunks")


def co_occurrence(ask: Request) -> Measured:
    """Count the unit's sentences that name every entity in `of`; for a pair, those that name both.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    UnknownEntityError
        Where the corpus has none of the names in `of`.
    AmbiguousEntityError
        Where one of them means several entities.

    """
    wanted, warnings = entities_named(ask)
    ids = ask.reading.entity_ids

    def found(sentence: Sentence) -> int:
        present = {ids.get(m.id) for m in ask.reading.mentions.get(sentence, ())}
        return int(all(present & group for group in wanted))

    values = [sum(found(sentence) for sentence in unit.sentences) for unit in ask.units]
    together = ask.listed(" and name ")
    return Measured(
        values,
        "integer",
        f"number of {ask.scope}{together}",
        f"Co-occurrence{ask.listed(' with ')}",
        "sentences",
        warnings=warnings,
    )


def relations(ask: Request) -> Measured:
    """Count relationships.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    return _relations(ask, causal=False)


def causal_relations(ask: Request) -> Measured:
    """Count causal relationships.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    return _relations(ask, causal=True)


def _relations(ask: Request, *, causal: bool) -> Measured:
    types, unit, warnings = set(ask.of), ask.dataset.unit, known_types(ask)
    kind = "causal " if causal else ""
    label = f"{kind}relations".capitalize() + ask.listed(": ")
    if unit in _GRAPH_UNITS:
        edges = ask.reading.corpus.graph.relationships
        counted = [r for r in edges if (r.is_causal or not causal) and asserted(r, types)]
        where = {
            "entity": "in or out of the entity",
            "pair": "between the two",
            "community": "between members",
        }
        formula = f"number of {kind}relationships{ask.listed()} {where[unit]}"
        values = _in_graph(counted, ask.dataset, ask.units)
        return Measured(values, "integer", formula, label, "relationships", "graph", warnings)
    ids, in_period, values = ask.reading.entity_ids, unit == "entity_period", []
    for one in ask.units:
        own = set(one.entities)
        stated = (a for sentence in one.sentences for a in ask.reading.assertions.get(sentence, ()))
        fits = (a for a in stated if (a.is_causal or not causal) and (not types or a.type in types))
        values.append(
            sum(
                1
                for a in fits
                if not in_period or {ids.get(a.source_mention), ids.get(a.target_mention)} & own
            )
        )
    about = " by or of the entity" if in_period else ""
    formula = f"number of {kind}assertions{ask.listed()}{about} in {ask.scope}"
    return Measured(values, "integer", formula, label, "assertions", warnings=warnings)


def _in_graph(kept: Iterable[Relationship], dataset: TableDataset, units: Sequence[Unit]) -> list[int]:
    """Count relationships at an entity (a loop once), between the two of a pair, among members."""
    if dataset.unit == "entity":
        ends = Counter(end for r in kept for end in {r.source_id, r.target_id})
        return [ends[unit.id] for unit in units]
    targets: dict[str, Counter[str]] = defaultdict(Counter)
    for r in kept:
        targets[r.source_id][r.target_id] += 1
    nothing = Counter[str]()
    if dataset.unit == "pair":
        pairs = (unit.entities for unit in units)
        return [targets.get(a, nothing)[b] + targets.get(b, nothing)[a] for a, b in pairs]
    members = (frozenset(unit.entities) for unit in units)
    return [
        sum(n for one in own for to, n in targets.get(one, nothing).items() if to in own) for own in members
    ]


FACTOR = 0.72
"""Where the type-token ratio of a stretch falls below this, a factor is complete (McCarthy & Jarvis 2010)."""
LEAST = 50
"""Shorter texts have no stable value (Zenker & Kyle 2021)."""


def mtld_of(words: Sequence[str]) -> float | None:
    """Return the measure of textual lexical diversity (McCarthy & Jarvis 2010), mean of both directions.

    None for fewer than 50 words, and where no word comes twice: then no factor ever begins.

    Parameters
    ----------
    words : sequence of str
        In order.

    Returns
    -------
    float or None

    References
    ----------
    McCarthy & Jarvis 2010.

    """
    if len(words) < LEAST:
        return None
    found = factors(words), factors(words[::-1])
    return sum(len(words) / number for number in found) / 2 if all(found) else None


def factors(words: Sequence[str]) -> float:
    """Count stretches in which the type-token ratio falls below the threshold; the rest counts in part.

    Parameters
    ----------
    words : sequence of str
        In order.

    Returns
    -------
    float

    References
    ----------
    McCarthy & Jarvis 2010.

    """
    complete, types, tokens = 0.0, set[str](), 0
    for word in words:
        types.add(word)
        tokens += 1
        if len(types) / tokens < FACTOR:
            complete, types, tokens = complete + 1, set(), 0
    return complete + ((1 - len(types) / tokens) / (1 - FACTOR) if tokens else 0.0)


def mattr_of(words: Sequence[str], window: int = LEAST) -> float | None:
    """Return the mean type-token ratio of all windows of so many words (Covington & McFall 2010).

    None for a text shorter than the window.

    Parameters
    ----------
    words : sequence of str
        In order.
    window : int, optional
        Words.

    Returns
    -------
    float or None
        From 0 to 1.

    References
    ----------
    Covington & McFall 2010.

    """
    if len(words) < window:
        return None
    inside = Counter(words[:window])
    total = len(inside)
    for out, new in zip(words, words[window:], strict=False):
        inside[new] += 1
        inside[out] -= 1
        if not inside[out]:
            del inside[out]
        total += len(inside)
    return total / window / (len(words) - window + 1)


_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(
    r"(?:(?:[^aeiouyl]|[aeiouyl]l)e"
    r"|(?:[^aeiouytdl]|[aeiouyl]l)ed"
    r"|(?:[^aeiouysxzcghl]|[^cs]h|[aeiouyl]l)es)$"
)
_APART = re.compile(r"(?<![cglnstx])i[aou](?!ge)|[aeiouy]ing")
RULE = "syllables are runs of vowels: a silent e, es, ed at the end is none; ia, io, iu mostly are two"


@lru_cache(maxsize=100_000)
def syllables(word: str) -> int:
    """Count the syllables of a lower-case English word by its spelling.

    A run of vowels (a, e, i, o, u, y) is one. A final `e` is silent after a consonant, but for `le` after
    one (ta-ble); so are `ed` and `es` that add no sound (jumped, times; not wanted, boxes, settled). In
    `ia`, `io`, `iu` (mi-asma, not na-tion) and before `ing` (go-ing) two vowels are two. Parts joined by a
    hyphen are counted apart; every part, and so a number, has at least one.

    Parameters
    ----------
    word : str
        In lower case.

    Returns
    -------
    int

    """
    return sum(max(_of_part(part), 1) for part in re.split(r"[-–]", word))


def _of_part(word: str) -> int:
    letters = re.sub(r"['’]s?$", "", word)
    silent = 1 if _SILENT.search(letters) else 0
    return len(_VOWELS.findall(letters)) + len(_APART.findall(letters)) - silent


def reading_ease_of(words: int, sentences: int, syllables: int) -> float:
    """Return reading ease (Flesch 1948): about 100 for very easy text, below 30 for very hard.

    Parameters
    ----------
    words : int
        How many.
    sentences : int
        How many.
    syllables : int
        How many.

    Returns
    -------
    float

    References
    ----------
    Flesch 1948.

    """
    return 206.835 - 1.015 * words / sentences - 84.6 * syllables / words


_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,]\d+)*")
_QUESTION = re.compile(r"[?？؟՞፧][\"'”’»」』)\]!.…]*$")
_PARAGRAPH = re.compile(r"\n\s*\n")
_QUOTATION = re.compile(r"„[^“”]*[“”]?|“[^”]*”?|«[^»]*»?|「[^」]*」?|『[^』]*』?|\"[^\"]*\"?")
_ENGLISH = re.compile(r"(?:en|eng|english)(?:[-_ ].*)?", re.IGNORECASE)


def words(ask: Request) -> Measured:
    """Count all words, or those in `of`.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    of = _cues(ask) if ask.variable.of else ask.reading.words
    return count(ask, "words", of, ask.listed(": "))


def sentences(ask: Request) -> Measured:
    """Count the unit's sentences.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [len(unit.sentences) for unit in ask.units]
    return Measured(values, "integer", f"number of {ask.scope}", "Sentences", "sentences")


def characters(ask: Request) -> Measured:
    """Count the characters of the unit's sentences, with the spaces in them.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    return count(ask, "characters", lambda s: len(ask.reading.text(s)), told=", spaces included")


def numbers(ask: Request) -> Measured:
    """Count numbers written in digits; 1,854.5 is one.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    found = _NUMBER.findall
    return count(ask, "numbers", lambda s: len(found(ask.reading.text(s))), told=", written in digits")


def questions(ask: Request) -> Measured:
    """Count sentences that end in a question mark.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    ends = _QUESTION.search
    told = ": they end in a question mark"
    return count(ask, "questions", lambda s: int(bool(ends(ask.reading.text(s)))), told=told)


def quotations(ask: Request) -> Measured:
    """Count quotations that begin in the unit's sentences, in double marks or guillemets.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    begun = ask.reading.once("quotations", lambda: _quotations(ask.reading))
    told = ": they begin there, in double marks or guillemets"
    return count(ask, "quotations", lambda sentence: begun[sentence], told=told)


def _quotations(reading: Reading) -> Counter[Sentence]:
    """Count by sentence where quotations begin; none goes beyond its paragraph."""
    found: Counter[Sentence] = Counter()
    for document in reading.documents.values():
        for start, paragraph in _paragraphs(document.text):
            for match in _QUOTATION.finditer(paragraph):
                found[reading.at(document.id, start + match.start())] += 1
    return found


def _paragraphs(text: str) -> Sequence[tuple[int, str]]:
    breaks = [match.end() for match in _PARAGRAPH.finditer(text)]
    return [(a, text[a:b]) for a, b in zip([0, *breaks], [*breaks, len(text)], strict=True)]


def share(ask: Request) -> Measured:
    """Return the share of sentences with a cue; missing for a unit without sentences.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    of = _cues(ask)
    values = [_mean([of(sentence) > 0 for sentence in unit.sentences]) for unit in ask.units]
    cues = ", ".join(ask.of)
    formula = f"share of {ask.scope} with one of: {cues}; missing without a sentence"
    return Measured(values, "numeric", formula, f"Share of sentences with {cues}", "0 to 1")


def word_share(ask: Request) -> Measured:
    """Return how often cues come for each word; missing for a unit without words.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    of = _cues(ask)
    cues = ", ".join(ask.of)

    def ratio(unit: Unit) -> float | None:
        total = sum(ask.reading.words(sentence) for sentence in unit.sentences)
        return sum(of(sentence) for sentence in unit.sentences) / total if total else None

    formula = f"occurrences of {cues}, divided by words, in {ask.scope}; missing without words"
    return Measured(
        [ratio(unit) for unit in ask.units], "numeric", formula, f"Share of words: {cues}", "0 to 1"
    )


def _cues(ask: Request) -> Callable[[Sentence], int]:
    pattern = cue_pattern(ask.of)
    return cache(lambda sentence: sum(1 for _ in pattern.finditer(ask.reading.text(sentence))))


def sentence_length(ask: Request) -> Measured:
    """Return the mean number of words in a sentence; missing for a unit without sentences.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [_mean([ask.reading.words(sentence) for sentence in unit.sentences]) for unit in ask.units]
    formula = f"mean number of words in {ask.scope}; missing without a sentence"
    return Measured(values, "numeric", formula, "Mean sentence length", "words")


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def type_token_ratio(ask: Request) -> Measured:
    """Return different words divided by words, which falls with length; missing for a unit without words.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    """
    values = [len(set(tokens)) / len(tokens) if tokens else None for tokens in _tokens(ask)]
    formula = f"different words divided by words, case apart, in {ask.scope}; missing without words"
    return Measured(values, "numeric", formula, "Type-token ratio", "0 to 1")


def mtld(ask: Request) -> Measured:
    """Return lexical diversity by MTLD (McCarthy & Jarvis 2010); missing for fewer than 50 words.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    References
    ----------
    McCarthy & Jarvis 2010.

    """
    values = [mtld_of(tokens) for tokens in _tokens(ask)]
    formula = (
        "mean number of words over which the type-token ratio stays at 0.72 or above, forward and backward"
        f" (McCarthy & Jarvis 2010), in {ask.scope}; missing for fewer than"
        f" {LEAST} words, or where none comes twice"
    )
    return Measured(values, "numeric", formula, "Lexical diversity (MTLD)", "words")


def mattr(ask: Request) -> Measured:
    """Return lexical diversity by MATTR (Covington & McFall 2010); missing for text shorter than a window.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    Raises
    ------
    InvalidInputError
        For a window that is no number of words.

    References
    ----------
    Covington & McFall 2010.

    """
    given = (ask.of or (str(LEAST),))[0]
    if not given.isdecimal() or not int(given):
        raise InvalidInputError(
            f"Variable {ask.variable.name!r}: window {given!r} is no number of words.",
            hint='Write of: "100".',
        )
    values = [mattr_of(tokens, int(given)) for tokens in _tokens(ask)]
    formula = (
        f"mean type-token ratio of all windows of {given} words (Covington & McFall 2010), in"
        f" {ask.scope}; missing for fewer words"
    )
    return Measured(values, "numeric", formula, f"Lexical diversity (MATTR, {given} words)", "0 to 1")


def _tokens(ask: Request) -> Sequence[list[str]]:
    return [[word for s in unit.sentences for word in ask.reading.tokens(s)] for unit in ask.units]


def reading_ease(ask: Request) -> Measured:
    """Return reading ease (Flesch 1948) of English text; missing where the metadata name another language.

    Parameters
    ----------
    ask : Request
        The variable to measure, and of which units.

    Returns
    -------
    Measured
        A cell a unit.

    References
    ----------
    Flesch 1948.

    """
    english = {id_ for id_, document in ask.reading.documents.items() if _is_english(document)}
    values = []
    for unit in ask.units:
        kept = [ask.reading.tokens(sentence) for sentence in unit.sentences if sentence[0] in english]
        tokens = [word for sentence in kept for word in sentence]
        spoken = sum(syllables(word) for word in tokens)
        spans = sum(1 for sentence in kept if sentence)
        values.append(reading_ease_of(len(tokens), spans, spoken) if tokens else None)
    formula = (
        "206.835 - 1.015 words / sentences - 84.6 syllables / words (Flesch 1948), in"
        f" {ask.scope}, of documents whose metadata give English or no language; {RULE};"
        " missing without words"
    )
    return Measured(values, "numeric", formula, "Reading ease (Flesch)", "score, 100 is very easy")


def _is_english(document: Document) -> bool:
    told = document.language or document.metadata.get("language") or "en"
    return bool(_ENGLISH.fullmatch(str(told).strip()))
