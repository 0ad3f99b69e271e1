"""Scores from 0 to 1 that a language model gives to numbered items."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.tasks.llm.prompting import Said, ask_all, llm_failed, no_llm

_SCORE = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*(?:(%)|(?:/|out of|of|von|sur|de)\s*(\d+))?")
_NUMBER = re.compile(r"\d+")
NO_SCORE = "no item has a score from 0 to 1"


def up_to(value: Any, top: float) -> Any:
    """Read a number up to `top` as models write it: "7", "7,5", "7/10", "8 out of 20", "70 %".

    Parameters
    ----------
    value : Any
        What a model wrote.
    top : float
        What a number without "/10" or "%" is of.

    Returns
    -------
    Any
        A number, infinite for a part of 0; what is no text, or has no number, as it is.

    """
    found = _SCORE.search(value) if isinstance(value, str) else None
    if not found:
        return value
    whole = 100.0 if found[2] else float(found[3] or top)
    return float(found[1].replace(",", ".")) * top / whole if whole else math.inf


def score_of(value: Any) -> float | None:
    """Read a score: 1, 0.8, "1", "0,8", "80 %", "8/10"; None for anything that is not from 0 to 1.

    Parameters
    ----------
    value : Any
        What a model wrote.

    Returns
    -------
    float or None
        From 0 to 1; None also for 8 without "/10".

    """
    value = up_to(value, 1.0)
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= 1 else None


def item_number(value: Any) -> Any:
    """Read the number of an item: 3, "3", "[3]".

    Parameters
    ----------
    value : Any
        What a model wrote.

    Returns
    -------
    Any
        An integer, or the value as it is where no number stands in it.

    """
    found = _NUMBER.search(value) if isinstance(value, str) else None
    return int(found[0]) if found else value


ItemNumber = Annotated[int, BeforeValidator(item_number)]
Score = Annotated[float | None, BeforeValidator(score_of), Field(description="from 0 to 1")]


class Mark(Said):
    """The score of one item."""

    id: ItemNumber = Field(description="number of the item")
    score: Score = None
    why: str = Field(default="", description="in a few words")


class Marks(Said):
    """One mark for each item."""

    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Judged:
    """What a language model made of the numbered items of a prompt; places count from 0.

    Attributes
    ----------
    scores : dict of int to float
        Place -> score from 0 to 1.
    reasons : dict of int to str
        Place -> why.
    unscored : tuple of int
        Places without a score.
    unread : tuple of int
        Those of them with another score than one from 0 to 1.
    strange : tuple of int
        Numbers that no item has.
    error : str or None
        Why there was no reply; None where there was one.

    """

    scores: dict[int, float]
    reasons: dict[int, str]
    unscored: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    strange: tuple[int, ...] = ()
    error: str | None = None

    def why(self, at: int) -> str:
        """Return the reason of a score in brackets, if there is one.

        Parameters
        ----------
        at : int
            Place of the item, from 0.

        Returns
        -------
        str
            With a blank before it, or empty.

        """
        return f" ({self.reasons[at]})" if self.reasons.get(at) else ""


def judge(llm: LanguageModel, prompts: Sequence[Prompt], sizes: Sequence[int]) -> list[Judged]:
    """Let the model score the numbered items of each prompt.

    A reply that scores none of them is sent back; one that scores some is taken as it is.

    Parameters
    ----------
    llm : LanguageModel
        Answers the prompts.
    prompts : sequence of Prompt
        Each with its items, numbered from 1.
    sizes : sequence of int
        How many items each prompt has.

    Returns
    -------
    list of Judged
        One for each prompt, places from 0; with its `error` where the model failed.

    """
    replies = ask_all(llm, prompts, Marks, lambda place, said: _wrong(said, sizes[place]))
    return [_judged(reply, size) for reply, size in zip(replies, sizes, strict=True)]


def judge_groups(
    llm: LanguageModel | None,
    names: Sequence[Sequence[str]],
    prompt_of: Callable[[int], Prompt],
    by_rule: Callable[[int], Judged],
    *,
    sole: str,
    instead: str,
    choosing: bool = False,
) -> tuple[list[Judged], list[ToolWarning]]:
    """Score the items of each group: one that stands alone is certain.

    The others go to the model, or, without one or where it fails, to the rule.

    Parameters
    ----------
    llm : LanguageModel or None
        None for the rule alone.
    names : sequence of sequence of str
        What the items of each group are called in warnings.
    prompt_of : callable
        Place of a group -> its prompt.
    by_rule : callable
        Place of a group -> scores without a model.
    sole : str
        Reason of an item that stands alone.
    instead : str
        What was done without the model, for the warning.
    choosing : bool, default False
        Whether an item that the model leaves out needs no score, and so no warning.

    Returns
    -------
    tuple of list of Judged and list of ToolWarning
        One for each group, and what to know about them.

    """
    open_ = [i for i, group in enumerate(names) if len(group) > 1]
    judged = [Judged({0: 1.0}, {0: sole})] * len(names)
    if llm and open_:
        asked = judge(llm, [prompt_of(i) for i in open_], [len(names[i]) for i in open_])
        told = [replace(one, unscored=one.unread) for one in asked] if choosing else asked
        warnings = judging_warnings(told, [names[i] for i in open_], instead)
    else:
        asked, warnings = [by_rule(i) for i in open_], [no_llm(instead)] if open_ else []
    for i, one in zip(open_, asked, strict=True):
        judged[i] = one if one.error is None else by_rule(i)
    return judged, warnings


def judge_batches(
    llm: LanguageModel | None,
    names: Sequence[str],
    size: int,
    prompt_of: Callable[[range], Prompt],
    by_rule: Callable[[range], Mapping[int, float]],
    instead: str,
) -> tuple[Judged, list[ToolWarning]]:
    """Score items, so many at a time.

    Without a model, or of the batches where it fails, the rule scores the items of those places.

    Parameters
    ----------
    llm : LanguageModel or None
        None for the rule alone.
    names : sequence of str
        What the items are called in warnings.
    size : int
        Items of a batch, 1 or more.
    prompt_of : callable
        Places of a batch -> its prompt.
    by_rule : callable
        Places of a batch -> scores by place.
    instead : str
        What was done without the model, for the warning.

    Returns
    -------
    tuple of Judged and list of ToolWarning
        Scores and reasons by place, and what to know about them.

    """
    if llm is None or not names:
        return Judged(dict(by_rule(range(len(names)))), {}), [no_llm(instead)] if llm is None else []
    batches = [range(at, min(at + size, len(names))) for at in range(0, len(names), size)]
    judged = judge(llm, [prompt_of(batch) for batch in batches], [len(batch) for batch in batches])
    scores: dict[int, float] = {}
    reasons: dict[int, str] = {}
    for batch, one in zip(batches, judged, strict=True):
        scores |= by_rule(batch) if one.error is not None else {}
        scores |= {batch[at]: one.scores[at] for at in sorted(one.scores)}
        reasons |= {batch[at]: why for at, why in one.reasons.items()}
    told = [[names[at] for at in batch] for batch in batches]
    return Judged(scores, reasons), judging_warnings(judged, told, instead)


def _wrong(said: Marks, size: int) -> str | None:
    if any(mark.score is not None and 1 <= mark.id <= size for mark in said.marks):
        return None
    return f"{NO_SCORE}: give a mark for each item by its number, from 1 to {size}, with a score from 0 to 1."


def _judged(reply: Reply[Marks], size: int) -> Judged:
    if reply.value is None:
        return Judged({}, {}, error=reply.error or "no reply")
    scores: dict[int, float] = {}
    reasons: dict[int, str] = {}
    for mark in reply.value.marks:
        at = mark.id - 1
        if 0 <= at < size and mark.score is not None and at not in scores:
            scores[at], reasons[at] = mark.score, mark.why
    strange = tuple(sorted({m.id for m in reply.value.marks if not 1 <= m.id <= size}))
    if not scores:
        return Judged({}, {}, strange=strange, error=NO_SCORE)
    unscored = tuple(at for at in range(size) if at not in scores)
    unread = tuple(sorted({mark.id - 1 for mark in reply.value.marks} & set(unscored)))
    return Judged(scores, reasons, unscored, unread, strange)


def judging_warnings(
    judged: Sequence[Judged], ids: Sequence[Sequence[str]], instead: str
) -> list[ToolWarning]:
    """Say what failed, what got no score, and what the model scored without having been shown it.

    Parameters
    ----------
    judged : sequence of Judged
        One for each prompt.
    ids : sequence of sequence of str
        What the items of each prompt are called.
    instead : str
        What was done where a call failed.

    Returns
    -------
    list of ToolWarning
        `llm_failed`, `unscored`, `unknown_ids`; empty where all went well.

    """
    found: list[ToolWarning] = []
    failed = [one.error for one in judged if one.error is not None]
    if failed:
        found.append(llm_failed(failed[0], instead, failed=len(failed), calls=len(judged)))
    unscored = [names[at] for one, names in zip(judged, ids, strict=True) for at in one.unscored]
    message = f"The model gave {len(unscored)} candidates no score from 0 to 1; they are left out."
    found += warned("unscored", message, unscored, when=unscored)
    return [*found, *unknown_ids([id_ for one in judged for id_ in one.strange])]


def unknown_ids(numbers: Sequence[int]) -> tuple[ToolWarning, ...]:
    """Say which numbers the model named that no item has.

    Parameters
    ----------
    numbers : sequence of int
        As the model wrote them, from 1.

    Returns
    -------
    tuple of ToolWarning
        `unknown_ids`, or nothing.

    """
    message = f"The model named {len(numbers)} items that it was not shown; they are ignored."
    return warned("unknown_ids", message, map(str, numbers), when=numbers)
