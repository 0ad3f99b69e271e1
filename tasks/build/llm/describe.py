"""One description out of many: what a model said of an item, passage by passage, made one by it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.study import LanguageOptions
from corpusgraph.tasks.build.aggregate import Derived, are_longer, joined
from corpusgraph.tasks.build.llm.report import instructed, plain, speaks_of, stem_set, titled
from corpusgraph.tasks.extract.llm.prompts import Words
from corpusgraph.tasks.llm.prompting import Said, ask_all, cut, failure_of, fenced, numbered
from corpusgraph.tasks.text.tokens import count_tokens

STAGE = "describe"
N = TypeVar("N", Entity, Relationship)
NUMBERING = 3
"""Tokens of a line's number."""
SMALLEST = 32
"""Tokens a description keeps even where a prompt has room for next to nothing."""
SLACK = 2
"""A description is cut where it is so many times longer than asked for."""


class SaidDescription(Said):
    """One description."""

    description: Words


@dataclass
class Item:
    """An entity or a relationship on its way to one description: `texts` become fewer round by round.

    Attributes
    ----------
    id : str
        Of the entity or relationship.
    name : str
        What it is called in a failure.
    head : str
        What it is called in the prompt.
    texts : sequence of str
        The descriptions.
    left_over : sequence of str, optional
        One that waits for the next round.
    failure : Failure, optional
        Why there is no description.

    """

    id: str
    name: str
    head: str
    texts: Sequence[str]
    left_over: Sequence[str] = ()
    failure: Failure | None = None


@dataclass(frozen=True)
class Call:
    """One prompt and what it is about.

    Attributes
    ----------
    item : Item
        What it is about.
    texts : sequence of str
        The descriptions in it.
    prompt : Prompt
        What is asked.

    """

    item: Item
    texts: Sequence[str]
    prompt: Prompt


def describe(
    llm: LanguageModel, derived: Derived, options: LanguageOptions, *, hint: str = ""
) -> tuple[Derived, list[Failure]]:
    """Let the model make one description of those that together pass `options.description_tokens`.

    Others stay as they are joined. A list too long for a prompt of `options.report_tokens` is described part
    by part, then the parts' descriptions together. Where a call fails, the joined ones stay, cut.

    Parameters
    ----------
    llm : LanguageModel
        The model.
    derived : Derived
        The graph, with the descriptions of its items.
    options : LanguageOptions
        Limits and language.
    hint : str, default ""
        Added to the task.

    Returns
    -------
    (Derived, list of Failure)
        The graph with the new descriptions; what failed.

    """
    items = _items(derived, options)
    open_ = items
    while open_:
        _ask(llm, [call for item in open_ for call in _calls(item, options, hint)], options)
        open_ = [item for item in open_ if item.failure is None and len(item.texts) > 1]
    told = {item.id: item.texts[0] for item in items if item.failure is None}
    failures = [item.failure for item in items if item.failure is not None]

    def described(noun: N) -> N:
        return noun.model_copy(update={"description": told[noun.id]}) if noun.id in told else noun

    entities, relationships = map(described, derived.entities), map(described, derived.relationships)
    return replace(derived, entities=list(entities), relationships=list(relationships)), failures


def describe_prompts(derived: Derived, options: LanguageOptions, *, hint: str = "") -> list[Prompt]:
    """Return the prompts that `describe` asks, but for those that join the parts of a very long list.

    Parameters
    ----------
    derived : Derived
        The graph, with the descriptions of its items.
    options : LanguageOptions
        Limits and language.
    hint : str, default ""
        Added to the task.

    Returns
    -------
    list of Prompt
        In the order of the items.

    """
    return [call.prompt for item in _items(derived, options) for call in _calls(item, options, hint)]


def _items(derived: Derived, options: LanguageOptions) -> list[Item]:
    """Return what has too much description, in id order, entities first."""
    limit, names = options.description_tokens, {entity.id: entity.name for entity in derived.entities}
    long = {
        id_: texts
        for id_, texts in derived.descriptions.items()
        if len(texts) > 1 and are_longer(texts, limit)
    }
    items = [Item(e.id, e.name, titled(e), long[e.id]) for e in derived.entities if e.id in long]
    for edge in derived.relationships:
        if edge.id in long:
            name = f"{names[edge.source_id]} {edge.type.replace('_', ' ')} {names[edge.target_id]}"
            items.append(Item(edge.id, name, name, long[edge.id]))
    return items


def _calls(item: Item, options: LanguageOptions, hint: str) -> list[Call]:
    """Deal the descriptions into as many prompts as they need; one left over waits for the next round."""
    empty = _prompt(item, (), options, hint)
    room = options.report_tokens - count_tokens(empty.system) - count_tokens(empty.user)
    groups: list[list[str]] = [[]]
    left = room
    for text in (cut(text, max(SMALLEST, room // 2 - NUMBERING)) for text in item.texts):
        size = count_tokens(text) + NUMBERING
        if size > left and len(groups[-1]) > 1:
            groups.append([])
            left = room
        groups[-1].append(text)
        left -= size
    item.left_over = groups.pop() if len(groups[-1]) == 1 else []
    return [Call(item, group, _prompt(item, group, options, hint)) for group in groups]


def _prompt(item: Item, texts: Sequence[str], options: LanguageOptions, hint: str) -> Prompt:
    task = (
        "The numbered descriptions were written of one item, passage by passage. Make one description of "
        f"them, of at most {_words(options)} words: everything of weight that they say, and nothing else, in "
        "the third person, with the item's name. Where they contradict one another, say so."
    )
    parts = (fenced("Item", item.head), fenced("Descriptions", numbered(texts)))
    return instructed(task, hint, options.language, *parts)


def _words(options: LanguageOptions) -> int:
    return max(10, options.description_tokens * 2 // 3)


def _ask(llm: LanguageModel, calls: Sequence[Call], options: LanguageOptions) -> None:
    """Ask, and replace the texts of each item by what was said, or keep why nothing was."""

    def accept(place: int, said: SaidDescription) -> str | None:
        call, text = calls[place], plain(said.description)
        if count_tokens(text) > max(options.description_tokens, sum(map(count_tokens, call.texts))):
            return f"It is longer than the descriptions given: write at most {_words(options)} words."
        if not speaks_of(text, call.texts, stem_set(call.item.name), options.language):
            return f"The text is not a description of {call.item.name} made of the descriptions given."
        return None

    replies = ask_all(llm, [call.prompt for call in calls], SaidDescription, accept)
    said: dict[str, list[str]] = {}
    for call, reply in zip(calls, replies, strict=True):
        item = call.item
        if reply.value is not None:
            text = joined([plain(reply.value.description)], SLACK * options.description_tokens)
            said.setdefault(item.id, []).append(text)
        elif item.failure is None:
            item.failure = failure_of(reply, STAGE, item.name, item.id)
    for item in {call.item.id: call.item for call in calls}.values():
        item.texts = [*said.get(item.id, ()), *item.left_over]
