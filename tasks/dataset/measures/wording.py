"""Measures of a unit's text: how long, how varied, how hard, and which words it uses."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import TableDataset, Variable
from corpusgraph.tasks.dataset.measures import diversity, syllables
from corpusgraph.tasks.dataset.measures.counts import count, listed
from corpusgraph.tasks.dataset.measures.measured import Measured, named
from corpusgraph.tasks.dataset.reading import Reading, Sentence, cue_pattern
from corpusgraph.tasks.dataset.units import SCOPES, Unit

_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,]\d+)*")
_QUESTION = re.compile(r"[?？؟՞፧][\"'”’»」』)\]!.…]*$")
_PARAGRAPH = re.compile(r"\n\s*\n")
_QUOTATION = re.compile(r"„[^“”]*[“”]?|“[^”]*”?|«[^»]*»?|「[^」]*」?|『[^』]*』?|\"[^\"]*\"?")
_ENGLISH = re.compile(r"(?:en|eng|english)(?:[-_ ].*)?", re.IGNORECASE)


def words(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Count all words, or those in `of`."""
    of = _cues(reading, variable) if variable.of else reading.words
    return count(reading, units, dataset, "words", of, listed(variable, ": "))


def sentences(_: Reading, dataset: TableDataset, units: Sequence[Unit], __: Variable) -> Measured:
    """Count the unit's sentences."""
    values = [len(unit.sentences) for unit in units]
    return Measured(values, "integer", f"number of {SCOPES[dataset.unit]}", "Sentences", "sentences")


def characters(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Count the characters of the unit's sentences, with the spaces in them."""
    made = count(reading, units, dataset, "characters", lambda sentence: len(reading.text(sentence)))
    return replace(made, formula=f"{made.formula}, spaces included")


def numbers(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Count numbers written in digits; 1,854.5 is one."""
    found = count(reading, units, dataset, "numbers", lambda s: len(_NUMBER.findall(reading.text(s))))
    return replace(found, formula=f"{found.formula}, written in digits")


def questions(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Count sentences that end in a question mark."""
    found = count(
        reading, units, dataset, "questions", lambda s: int(bool(_QUESTION.search(reading.text(s))))
    )
    return replace(found, formula=f"{found.formula}: they end in a question mark")


def quotations(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Count quotations that begin in the unit's sentences, in double marks or guillemets."""
    begun = reading.once("quotations", lambda: _quotations(reading))
    made = count(reading, units, dataset, "quotations", lambda sentence: begun[sentence])
    return replace(made, formula=f"{made.formula}: they begin there, in double marks or guillemets")


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


def share(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return the share of sentences with a cue; missing for a unit without sentences."""
    of = _cues(reading, variable)
    values = [_mean([of(sentence) > 0 for sentence in unit.sentences]) for unit in units]
    cues = ", ".join(named(variable))
    formula = f"share of {SCOPES[dataset.unit]} with one of: {cues}; missing without a sentence"
    return Measured(values, "numeric", formula, f"Share of sentences with {cues}", "0 to 1")


def word_share(
    reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable
) -> Measured:
    """Return how often cues come for each word; missing for a unit without words."""
    of = _cues(reading, variable)
    cues = ", ".join(named(variable))

    def ratio(unit: Unit) -> float | None:
        total = sum(reading.words(sentence) for sentence in unit.sentences)
        return sum(of(sentence) for sentence in unit.sentences) / total if total else None

    formula = f"occurrences of {cues}, divided by words, in {SCOPES[dataset.unit]}; missing without words"
    return Measured([ratio(unit) for unit in units], "numeric", formula, f"Share of words: {cues}", "0 to 1")


def _cues(reading: Reading, variable: Variable) -> Callable[[Sentence], int]:
    pattern = cue_pattern(named(variable))
    found: dict[Sentence, int] = {}

    def cues(sentence: Sentence) -> int:
        if sentence not in found:
            found[sentence] = sum(1 for _ in pattern.finditer(reading.text(sentence)))
        return found[sentence]

    return cues


def sentence_length(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return the mean number of words in a sentence; missing for a unit without sentences."""
    values = [_mean([reading.words(sentence) for sentence in unit.sentences]) for unit in units]
    formula = f"mean number of words in {SCOPES[dataset.unit]}; missing without a sentence"
    return Measured(values, "numeric", formula, "Mean sentence length", "words")


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def type_token_ratio(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return different words divided by words, which falls with length; missing for a unit without words."""
    values = [len(set(tokens)) / len(tokens) if tokens else None for tokens in _tokens(reading, units)]
    formula = (
        f"different words divided by words, case apart, in {SCOPES[dataset.unit]}; missing without words"
    )
    return Measured(values, "numeric", formula, "Type-token ratio", "0 to 1")


def mtld(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return lexical diversity by MTLD (McCarthy & Jarvis 2010); missing for fewer than 50 words."""
    values = [diversity.mtld(tokens) for tokens in _tokens(reading, units)]
    formula = (
        "mean number of words over which the type-token ratio stays at 0.72 or above, forward and backward"
        f" (McCarthy & Jarvis 2010), in {SCOPES[dataset.unit]}; missing for fewer than"
        f" {diversity.LEAST} words, or where none comes twice"
    )
    return Measured(values, "numeric", formula, "Lexical diversity (MTLD)", "words")


def mattr(reading: Reading, dataset: TableDataset, units: Sequence[Unit], variable: Variable) -> Measured:
    """Return lexical diversity by MATTR (Covington & McFall 2010); missing for text shorter than a window."""
    given = (named(variable) or (str(diversity.LEAST),))[0]
    if not given.isdecimal() or not int(given):
        raise InvalidInputError(
            f"Variable {variable.name!r}: window {given!r} is no number of words.", hint='Write of: "100".'
        )
    values = [diversity.mattr(tokens, int(given)) for tokens in _tokens(reading, units)]
    formula = (
        f"mean type-token ratio of all windows of {given} words (Covington & McFall 2010), in"
        f" {SCOPES[dataset.unit]}; missing for fewer words"
    )
    return Measured(values, "numeric", formula, f"Lexical diversity (MATTR, {given} words)", "0 to 1")


def _tokens(reading: Reading, units: Sequence[Unit]) -> Sequence[list[str]]:
    return [[word for sentence in unit.sentences for word in reading.tokens(sentence)] for unit in units]


def reading_ease(reading: Reading, dataset: TableDataset, units: Sequence[Unit], _: Variable) -> Measured:
    """Return reading ease (Flesch 1948) of English text; missing where the metadata name another language."""
    english = {id_ for id_, document in reading.documents.items() if _is_english(document)}
    values = []
    for unit in units:
        kept = [reading.tokens(sentence) for sentence in unit.sentences if sentence[0] in english]
        tokens = [word for sentence in kept for word in sentence]
        spoken = sum(syllables.syllables(word) for word in tokens)
        spans = sum(1 for sentence in kept if sentence)
        values.append(syllables.reading_ease(len(tokens), spans, spoken) if tokens else None)
    formula = (
        "206.835 - 1.015 words / sentences - 84.6 syllables / words (Flesch 1948), in"
        f" {SCOPES[dataset.unit]}, of documents whose metadata give English or no language; {syllables.RULE};"
        " missing without words"
    )
    return Measured(values, "numeric", formula, "Reading ease (Flesch)", "score, 100 is very easy")


def _is_english(document: Document) -> bool:
    told = document.language or document.metadata.get("language") or "en"
    return bool(_ENGLISH.fullmatch(str(told).strip()))
