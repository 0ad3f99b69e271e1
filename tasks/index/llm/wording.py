"""In which language a model writes, and whether what it wrote speaks of what it was shown."""

import re
from collections.abc import Sequence
from functools import lru_cache

from corpusgraph.schemas.documents import Failure
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.tasks.answer.support import comparable
from corpusgraph.tasks.graph.words import stems
from corpusgraph.tasks.query.prompting import DATA, M, prompt

SHARED = 0.2
"""Of the distinct stems of what was written, or of what was shown if those are fewer, that are the same."""
_MARKS = re.compile(r"\s*\[\d+(?:\s*[,;–-]\s*\d+)*\]")


def instructed(task: str, hint: str, language: str | None, *parts: str) -> Prompt:
    """Return a prompt whose reply is in a language, or, for None, in that of the text shown."""
    rule = f"Write in this language: {language}." if language else "Write in the language of the text shown."
    return prompt(f"{task} {hint}".strip(), *parts, rules=f"{DATA} {rule}")


@lru_cache(maxsize=4096)
def stem_set(text: str) -> frozenset[str]:
    """Return the distinct stems of a text, numbers left out: they are the same in every language."""
    return frozenset(stem for stem in stems(text) if not stem.isdigit())  # few sentences, many findings


def speaks_of(said: str, shown: Sequence[str], names: frozenset[str], language: str | None) -> bool:
    """Tell whether a text shares words with what it was made from, or with the names in it (their stems).

    In a language that was asked for and is not that of what was shown, words cannot tell. A text in yet
    another language, or on something else, shares none or next to none.
    """
    told, given = stem_set(said), frozenset[str]().union(*map(stem_set, shown))
    if told and len(told & (given | names)) >= SHARED * min(len(told), max(len(given), 1)):
        return True
    return language is not None and bool(told) and not comparable(said, " ".join(shown))


def plain(text: str) -> str:
    """Return a model's text on one line, numbers of passages left out."""
    return " ".join(_MARKS.sub("", text).split())


def failure_of(reply: Reply[M], stage: str, source: str, item: str) -> Failure:
    """Return the line of the ledger for a call that gave nothing."""
    message = " ".join((reply.error or "no reply").split())
    code = reply.code or "no_reply"
    return Failure(source=source, stage=stage, code=code, message=message, item=item, retry=True)
