"""From context to answer: by a language model where there is one, each sentence cited, else by sentences.

What a model writes names the numbers of the pieces that say so; what they do not say is left out.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from corpusgraph.schemas.answer import Answer, Citation
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.schemas.results import Noted, ToolWarning, warned
from corpusgraph.tasks.answer.context import Fitted, Piece
from corpusgraph.tasks.answer.extractive import MAX_THEMES, Asked, extract_from, theme_answer, unanswered
from corpusgraph.tasks.answer.question import asks_for_themes
from corpusgraph.tasks.answer.sentences import distinct
from corpusgraph.tasks.answer.support import Verdict, no_answer, supporting
from corpusgraph.tasks.extract.llm.prompts import Numbers
from corpusgraph.tasks.llm.prompting import (
    Said,
    ask_all,
    ask_or_warn,
    fenced,
    llm_failed,
    no_llm,
    numbered,
    prompt,
    question,
)
from corpusgraph.tasks.text.tokens import count_tokens

SOURCES = (
    "The passages are numbered. Each sentence names in `sources` the numbers of the passages that say so, "
    "and holds no numbers of passages itself. What no passage says is no part of the answer."
)
_MARKS = re.compile(r"\s*(?:\[\d+(?:\s*[,;–-]\s*\d+)*\]|\(importance \d+\))")
"""What passages and points are marked with, and models copy."""
_WORD = re.compile(r"\w")
Sources = Mapping[int, Sequence[Piece]]
"""Number in the prompt -> the pieces it stands for."""


class WrittenSentence(Said):
    """A sentence and the numbers of the passages that say so."""

    text: str
    sources: Numbers = ()


class WrittenText(Said):
    """Sentences; `supported` is false where the passages do not answer."""

    sentences: tuple[WrittenSentence, ...]
    supported: bool = Field(default=True, description="whether the passages answer the question")


LeftOut = Mapping[str, Sequence[str]]
"""Sentences that are no part of an answer, or that nothing was found against, by what was wrong with them."""
_WRONG = {
    "uncited": "named no passage that it was shown; they are left out",
    "unsupported": "say what the passages they name do not: no word, or a number or name; left out",
    "unchecked": "are in another language than the passages they name, and were not checked",
}


def left_out_warnings(left_out: LeftOut) -> tuple[ToolWarning, ...]:
    """Say what was left out and what could not be checked.

    Parameters
    ----------
    left_out : mapping of str to sequence of str
        `uncited`, `unsupported` or `unchecked` -> sentences.

    Returns
    -------
    tuple of ToolWarning
        `uncited_sentences`, `unsupported_sentences` and `unchecked_sentences`, as far as there are any.

    """
    warnings: tuple[ToolWarning, ...] = ()
    for what, why in _WRONG.items():
        records = tuple(dict.fromkeys(left_out.get(what, ())))
        message = f"{len(records)} sentences of the model {why}."
        warnings += warned(f"{what}_sentences", message, records, when=records)
    return warnings


@dataclass(frozen=True)
class Composed:
    """A text with [n] after each sentence, the citations that n counts, and what was left out.

    Attributes
    ----------
    text : str
        One line.
    citations : tuple of Citation
        In the order of their numbers.
    left_out : mapping of str to sequence of str
        What was wrong -> sentences.

    """

    text: str
    citations: tuple[Citation, ...]
    left_out: LeftOut

    def answer(self, query: str, llm: LanguageModel) -> Answer:
        """Return the text as the answer of a language model.

        Parameters
        ----------
        query : str
            The question.
        llm : LanguageModel
            Who wrote it.

        Returns
        -------
        Answer
            Supported.

        """
        return Answer(query=query, text=self.text, method=llm.name, citations=self.citations, supported=True)

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Return warnings of what was left out and what could not be checked.

        Returns
        -------
        tuple of ToolWarning
            Empty where nothing was.

        """
        return left_out_warnings(self.left_out)


def by_number(pieces: Sequence[Piece]) -> dict[int, list[Piece]]:
    """Return each piece under its own number.

    Parameters
    ----------
    pieces : sequence of Piece
        Each with a number of its own.

    Returns
    -------
    dict of int to list of Piece
        For `composed`.

    """
    return {piece.number: [piece] for piece in pieces}


def citing(sources: Sources, query: str = "") -> Accept[WrittenText]:
    """Accept a text that says it is not supported, or of which a sentence is.

    Parameters
    ----------
    sources : mapping of int to sequence of Piece
        What the numbers in the prompt stand for.
    query : str, default ""
        The question.

    Returns
    -------
    callable
        Returns what is wrong with a text, or None.

    """

    def wrong(_place: int, said: WrittenText) -> str | None:
        made = composed(said.sentences, sources, query)
        if made.citations or not said.supported:
            return None
        if made.left_out.get("unsupported"):
            return (
                "No sentence shares a word with the passages that it names, and holds only numbers and names "
                "that stand there: write only what they say."
            )
        numbers = f"from {min(sources)} to {max(sources)}" if sources else "of a passage"
        return f"No sentence names in `sources` a number {numbers}; if none answers, `supported` is false."

    return wrong


def composed(sentences: Sequence[WrittenSentence], sources: Sources, query: str = "") -> Composed:
    """Put sentences together, citations numbered by first use.

    A sentence is left out where it cites nothing, shares no word with what it cites, holds a number or a name
    that neither that nor the question holds, or was said before.

    Parameters
    ----------
    sentences : sequence of WrittenSentence
        As the model wrote them.
    sources : mapping of int to sequence of Piece
        What their numbers stand for.
    query : str, default ""
        The question.

    Returns
    -------
    Composed
        Text with marks [n], its citations, and what was left out.

    """
    citations: dict[tuple[str, str, int, int], Citation] = {}
    lines: dict[str, str] = {}
    left_out: dict[str, list[str]] = defaultdict(list)
    for sentence in sentences:
        text = " ".join(_MARKS.sub("", sentence.text).split())
        if not _WORD.search(text) or text in lines:
            continue
        pieces, verdict = grounds(text, sentence.sources, sources, query)
        found = [citation for piece in pieces if (citation := piece.cite(text)) is not None]
        if verdict != "supported":
            left_out[verdict].append(text)
        if not found:
            continue
        keys = [(c.document_id, c.chunk_id, c.start, c.end) for c in found]
        for key, citation in zip(keys, found, strict=True):
            citations.setdefault(key, citation)
        order = list(citations)
        numbers = sorted({order.index(key) + 1 for key in keys})
        lines[text] = f"{text} {''.join(f'[{n}]' for n in numbers)}"
    return Composed(" ".join(lines.values()), tuple(citations.values()), left_out)


def grounds(
    text: str, numbers: Sequence[int], sources: Sources, query: str = ""
) -> tuple[list[Piece], Verdict | Literal["uncited"]]:
    """Return the pieces with a source that numbers stand for and that speak of a text, and what to say of it.

    Parameters
    ----------
    text : str
        A sentence.
    numbers : sequence of int
        What the model says it is from.
    sources : mapping of int to sequence of Piece
        Number -> pieces.
    query : str, optional
        The question, whose numbers and names a text may repeat.

    Returns
    -------
    pieces : list of Piece
        Each once.
    verdict : str
        `uncited` where no number stands for a piece with a source; else see `supporting`.

    """
    named = [p for number in dict.fromkeys(numbers) for p in sources.get(number, ()) if p.sources]
    pieces, verdict = supporting(text, named, query)
    return pieces, verdict if named else "uncited"


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
    sources: Numbers = ()


class RatedPoints(Said):
    """The points of one part."""

    points: tuple[RatedPoint, ...]

    @property
    def telling(self) -> list[RatedPoint]:
        """The points that help."""
        return [point for point in self.points if point.score > 0 and point.text.strip()]


class Point(NamedTuple):
    """A point with a score above 0 and the pieces that say it.

    Attributes
    ----------
    text : str
        As the model wrote it.
    score : float
        Above 0, up to 100.
    pieces : sequence of Piece
        Those it rests on.

    """

    text: str
    score: float
    pieces: Sequence[Piece]

    @property
    def line(self) -> str:
        """How the point is read when the answer is written."""
        return f"{' '.join(self.text.split())} (importance {self.score:.0f})"


def map_points(
    llm: LanguageModel, query: str, groups: Sequence[Fitted]
) -> tuple[list[Point], list[str], LeftOut]:
    """Let the model rate what each group says to the question.

    Returns the points of all groups, best first, the errors of calls that failed, and what no source says.

    Parameters
    ----------
    llm : LanguageModel
        The model.
    query : str
        The question.
    groups : sequence of Fitted
        A prompt each.

    Returns
    -------
    (list of Point, list of str, mapping of str to sequence of str)
        Points of one score in the order of the groups.

    """

    def wrong(place: int, said: RatedPoints) -> str | None:
        """Accept points of which one at least rests on a passage of its group, or that there is none."""
        sources = by_number(groups[place].pieces)
        if not said.telling or any(grounds(p.text, p.sources, sources, query)[0] for p in said.telling):
            return None
        numbers = ", ".join(map(str, list(sources)[:50]))
        return f"No point names in `sources` a passage that says so; their numbers are {numbers}."

    prompts = [prompt(MAP_TASK, fenced("Passages", g.text), question(query)) for g in groups]
    replies = ask_all(llm, prompts, RatedPoints, wrong)
    points: list[Point] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for group, reply in zip(groups, replies, strict=True):
        for point in reply.value.telling if reply.value is not None else ():
            pieces, verdict = grounds(point.text, point.sources, by_number(group.pieces), query)
            if verdict != "supported":
                left_out[verdict].append(point.text)
            if pieces:
                points.append(Point(point.text, point.score, pieces))
    ordered = sorted(points, key=lambda point: -point.score)  # stable: of equals the first group's
    once = {point.text.casefold(): point for point in reversed(ordered)}
    errors = [reply.error or "no reply" for reply in replies if reply.value is None]
    return [point for point in ordered if once[point.text.casefold()] is point], errors, left_out


def within(points: Sequence[Point], max_tokens: int) -> tuple[list[Point], list[Point]]:
    """Return the best points whose numbered lines fit into the tokens, and the rest.

    Parameters
    ----------
    points : sequence of (float, float)
        Best first.
    max_tokens : int
        Room.

    Returns
    -------
    (list of (float, float), list of (float, float))
        Both in order.

    """
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


def answer_from(asked: Asked, context: Fitted, llm: LanguageModel | None) -> Noted[Answer]:
    """Answer a question from one context, by a language model where there is one.

    Parameters
    ----------
    asked : Asked
        The question.
    context : Fitted
        What was retrieved.
    llm : LanguageModel or None
        The model; without one, the answer is made of sentences of the context.

    Returns
    -------
    Noted[Answer]
        With warnings of what the model wrote and nothing supports, or of a call that failed.

    """
    if llm is None or not context.pieces:
        return Noted(data=extracted(asked, [context]))
    return _answer(asked, context.text, by_number(context.pieces), llm, [context])


def answer_alone(query: str, llm: LanguageModel | None) -> Noted[Answer]:
    """Let the model answer without any passage: nothing is cited, so nothing is supported.

    Parameters
    ----------
    query : str
        The question.
    llm : LanguageModel or None
        The model.

    Returns
    -------
    Noted[Answer]
        Never supported; warning `no_sources` where the model answered.

    """
    if llm is None:
        return Noted(data=unanswered(query), warnings=(no_llm("nothing was read, so there is no answer"),))
    written, failed = ask_or_warn(llm, prompt(ALONE, question(query)), WrittenText, "there is no answer")
    if written is None:
        return Noted(data=unsupported(query, llm), warnings=tuple(failed))
    text = " ".join(" ".join(sentence.text.split()) for sentence in written.sentences).strip()
    message = "The model answers from its own knowledge: no document was read, and nothing is cited."
    answer = unsupported(query, llm).model_copy(update={"text": text} if text else {})
    return Noted(data=answer, warnings=(ToolWarning(code="no_sources", message=message),))


def answer_from_groups(
    asked: Asked, groups: Sequence[Fitted], llm: LanguageModel | None, max_tokens: int
) -> Noted[Answer]:
    """Answer from the best points of each group, as many as fit into `max_tokens`; or from all sentences.

    Parameters
    ----------
    asked : Asked
        The question.
    groups : sequence of Fitted
        What was retrieved, a prompt each.
    llm : LanguageModel or None
        The model; without one, the answer is made of sentences of the groups.
    max_tokens : int
        Of the points that the answer is written from.

    Returns
    -------
    Noted[Answer]
        With a warning `context_cut` where points did not fit.

    """
    if llm is None or not groups:
        return Noted(data=extracted(asked, groups))
    points, errors, left_out = map_points(llm, asked.query, groups)
    warnings = left_out_warnings(left_out)
    if errors:
        instead = INSTEAD if len(errors) == len(groups) else "their part of the context was not read"
        warnings += (llm_failed(errors[0], instead, failed=len(errors), calls=len(groups)),)
    if len(errors) == len(groups):
        return Noted(data=extracted(asked, groups), warnings=warnings)
    points, lost = within(points, max_tokens)
    message = f"{len(lost)} points did not fit into {max_tokens} tokens; the least important were left out."
    warnings += warned("context_cut", message, (point.text for point in lost), when=lost)
    if not points:
        return Noted(data=unsupported(asked.query, llm), warnings=warnings)
    sources = {n: point.pieces for n, point in enumerate(points, start=1)}
    noted = _answer(asked, numbered(point.line for point in points), sources, llm, groups)
    return noted.model_copy(update={"warnings": warnings + noted.warnings})


def _answer(
    asked: Asked, passages: str, sources: Sources, llm: LanguageModel, groups: Sequence[Fitted]
) -> Noted[Answer]:
    """Let the model write, and cite it; where it fails, answer without it."""
    query = asked.query
    task = prompt(TASK, fenced("Passages", passages), question(query))
    written, failed = ask_or_warn(llm, task, WrittenText, INSTEAD, citing(sources, query))
    if written is None:
        return Noted(data=extracted(asked, groups), warnings=tuple(failed))
    text = composed(written.sentences, sources, query)
    answer = unsupported(query, llm)
    if written.supported and text.citations:
        answer = text.answer(query, llm)
    return Noted(data=answer, warnings=text.warnings())


def unsupported(query: str, llm: LanguageModel) -> Answer:
    """Say, in the question's language where it can be, that the model found no answer in the passages.

    Parameters
    ----------
    query : str
        The question.
    llm : LanguageModel
        The model.

    Returns
    -------
    Answer
        Not supported.

    """
    return unanswered(query, llm.name).model_copy(update={"text": no_answer(query)})


def extracted(asked: Asked, groups: Sequence[Fitted]) -> Answer:
    """Answer with sentences of the context; a question about the whole with findings of its communities.

    Parameters
    ----------
    asked : Asked
        The question.
    groups : sequence of Fitted
        What was retrieved.

    Returns
    -------
    Answer
        `supported` is false where nothing speaks to it.

    """
    drafts = [piece.draft for group in groups for piece in group.pieces]
    if asks_for_themes(asked.query):
        themes = theme_answer(asked.query, drafts, asked.names, asked.max_sentences or MAX_THEMES)
        if themes is not None:
            return themes
    telling = [sentence for draft in drafts for sentence in draft.telling]
    sentences = distinct(telling or [sentence for draft in drafts for sentence in draft.sentences])
    return extract_from(asked, sentences)
