"""Documents, and a model that says of each passage what a test lets it say."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Document, Failure
from corpusgraph.schemas.evidence import Evidence
from corpusgraph.schemas.llm import Prompt, PromptSet
from corpusgraph.schemas.study import Chunking, LanguageOptions, Ontology
from corpusgraph.tasks.build.chunk import chunk_document
from corpusgraph.tasks.extract.llm.extractor import ModelExtractor, ModelFindings
from tests.llm.fake import FakeModel

PROMPTS = PromptSet(prompts="test", extract="Extract what it says.", glean="What was missed?")
LISTS = ("entities", "relationships", "events", "claims")
_PASSAGE = re.compile(r"Passage:\n<<<\n(.*?)\n>>>", re.DOTALL)

SNOW = (
    "In 1854 John Snow, a physician, mapped the deaths around Broad Street. "
    "He argued that contaminated water causes cholera. The Board of Health denied it: "
    "bad air spreads the disease. On 8 September 1854 the parish removed the handle of the pump."
)


def document(text: str, title: str = "", **metadata: Any) -> Document:
    return Document(
        id=stable_id("doc", text, title),
        title=title,
        text=nfc(text),
        source=f"{title or 'text'}.txt",
        content_hash=stable_id("doc", text),
        metadata=metadata,
    )


def said(**lists: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A reply in which the lists not given are empty."""
    return {name: list(lists.get(name, ())) for name in LISTS}


def entity(name: str, type_: str = "person", quote: str | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "quote": name if quote is None else quote, **more}


def relationship(source: str, type_: str, target: str, quote: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "type": type_, "target": target, "quote": quote, **more}


def passage_of(prompt: Prompt) -> str:
    found = _PASSAGE.search(prompt.user)
    assert found is not None
    return found[1]


class ByPassage:
    """Says what is given for the first key that a passage holds; round by round where that is a list."""

    def __init__(self, replies: Mapping[str, Any]) -> None:
        self._replies = replies
        self._rounds: dict[tuple[str, str], int] = {}

    def __call__(self, prompt: Prompt, _answer: type[BaseModel]) -> Any:
        passage = passage_of(prompt)
        key = next((key for key in self._replies if key in passage), None)
        if key is None:
            return said()
        rounds = self._replies[key]
        if not isinstance(rounds, list):
            return rounds
        at = self._rounds.get((key, passage), 0)
        self._rounds[key, passage] = at + 1
        return rounds[min(at, len(rounds) - 1)]


def run(
    text: str,
    reply: Any,
    *,
    ontology: Ontology | None = None,
    chunking: Chunking | None = None,
    title: str = "",
    date: str | None = None,
    **options: Any,
) -> ModelFindings:
    """Extract one document; `reply` is for every passage, or by what a passage holds if it is ByPassage."""
    model = FakeModel(reply if callable(reply) else ByPassage({"": reply}))
    return run_with(model, text, ontology=ontology, chunking=chunking, title=title, date=date, **options)


def run_with(model: FakeModel, text: str, **given: Any) -> ModelFindings:
    chunking = given.pop("chunking", None) or Chunking()
    made = document(text, given.pop("title", ""), **({"date": d} if (d := given.pop("date", None)) else {}))
    options = LanguageOptions(ontology=given.pop("ontology", None) or Ontology(), **given)
    return ModelExtractor(model, options, PROMPTS).extract_all([(made, chunk_document(made, chunking))])[0]


def evidence(text: str, reply: Any, **given: Any) -> Evidence:
    found = run(text, reply, **given)
    assert not found.failures, found.failures
    return found.evidence


def codes(failures: Sequence[Failure]) -> list[str]:
    return [failure.code for failure in failures]
