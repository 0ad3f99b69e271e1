"""From context to answer: by a language model where there is one, else by sentences taken word for word."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from corpusgraph.schemas.answer import Answer
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.answer.context import Fitted
from corpusgraph.tasks.answer.extractive import MAX_SENTENCES, extract_from, rated, unanswered
from corpusgraph.tasks.answer.paths import EntityOf
from corpusgraph.tasks.answer.points import map_points, within
from corpusgraph.tasks.answer.sentences import Sentence, distinct
from corpusgraph.tasks.answer.stated import StatedOf
from corpusgraph.tasks.answer.support import no_answer
from corpusgraph.tasks.answer.themes import MAX_THEMES, asks_for_themes, theme_answer, told_by
from corpusgraph.tasks.answer.written import (
    SOURCES,
    Sources,
    WrittenText,
    by_number,
    composed,
    write,
)
from corpusgraph.tasks.index.tokens import count_tokens
from corpusgraph.tasks.query.prompting import fenced, llm_failed, no_llm, numbered, prompt, question

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
