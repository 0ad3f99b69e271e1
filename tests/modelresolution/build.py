"""Corpora of names in sentences, and models that decide on their pairs by a script."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel

from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.study import LanguageOptions, Resolution
from corpusgraph.tasks.build.llm.same import decide, same_pairs
from corpusgraph.tasks.build.resolve import Decision, Pair, Resolved, resolve
from corpusgraph.tasks.build.survey import Survey, survey
from tests.derive.build import Made, Name, made
from tests.llm.fake import FakeModel

OPTIONS = LanguageOptions()
Judge = Callable[[str, str], tuple[bool, float] | None]
"""Decides on two names; None passes the pair over."""
_LINE = re.compile(r'^(\d+)\. "([^"]*)" \(\w+\) \| "([^"]*)" \(\w+\)', re.MULTILINE)


def corpus_of(*names: Name) -> list[Made]:
    """Return one document for each name, in a sentence of its own."""
    return [
        made(f"d{n:03}", f"{name[0]} was seen in the year {1800 + n}.", [name])
        for n, name in enumerate(names)
    ]


def surveyed(corpus: Iterable[Made], *, contexts: bool = True) -> Survey:
    return survey(((one.document, one.evidence) for one in corpus), contexts=contexts)


def pairs_of(*names: Name, **options: Any) -> list[Pair]:
    return same_pairs(surveyed(corpus_of(*names)), Resolution(**options))


def near(*names: Name, **options: Any) -> dict[frozenset[str], str]:
    """Return the names of each pair with its sign."""
    return {frozenset(pair.names): pair.sign for pair in pairs_of(*names, **options)}


def shown(prompt: Prompt) -> list[tuple[int, str, str]]:
    return [(int(number), one, other) for number, one, other in _LINE.findall(prompt.user)]


def judging(judge: Judge, **options: Any) -> FakeModel:
    """Return a model that decides on each pair it is shown."""

    def say(prompt: Prompt, _answer: type[BaseModel]) -> dict[str, Any]:
        said = [(number, judge(one, other)) for number, one, other in shown(prompt)]
        return {
            "pairs": [
                {"id": number, "same": verdict[0], "confidence": verdict[1], "why": "they are told so"}
                for number, verdict in said
                if verdict
            ]
        }

    return FakeModel(say, **options)


def always(same: bool, confidence: float = 0.9) -> Judge:
    return lambda _one, _other: (same, confidence)


def judged(corpus: list[Made], model: FakeModel, **options: Any) -> tuple[Resolved, list[Decision]]:
    """Return what a corpus is resolved to with a model, and what that decided."""
    gathered = surveyed(corpus)
    decided, _ = decide(model, same_pairs(gathered, Resolution(**options)), OPTIONS)
    return resolve(gathered, Resolution(**options), decided), decided


def entities(corpus: list[Made], decided: Resolved) -> dict[str, str]:
    """Return each name with the entity it was taken for."""
    found = {}
    for one in sorted(corpus, key=lambda one: one.document.id):
        for mention in one.evidence.mentions:
            key = decided.entity_of(mention, one.document.id)
            found[mention.name] = f"{key.name}/{key.type}" if key else "-"
    return found
