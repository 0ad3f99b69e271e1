"""Ports of every kind: a full graph, graphs that lack something, and a language model that says anything."""

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from pydantic import BaseModel

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.llm import Prompt
from corpusgraph.tasks.overlay.memory import ScratchMemory
from tests.contract.graphs import NOTED, Items, resources, rich
from tests.dataset.corpus import HandMade
from tests.fuzz.schemas import KNOWN, TEXTS, Schemas
from tests.llm.fake import FAULTS, FakeModel

Ports = Mapping[str, Any]


class Documents(HandMade):
    """A corpus that, as a real one, is itself and no other."""

    __hash__ = object.__hash__


def with_corpus(items: Items) -> Ports:
    """Return the ports over a graph, with the documents of its chunks."""
    ports = resources(items)
    text = ""
    for chunk in items["chunks"]:
        text = text.ljust(chunk.start or 0) + chunk.content
    documents = [Document(id="doc_1", title="Soho", text=text, source="doc_1.txt", content_hash="1")]
    corpus = Documents(graph=ports["graph"], documents=documents if text else (), mentions=())
    return {**ports, "corpus": corpus, "extractor": default_extractor()}


def tiny() -> Items:
    """Return an index of one tiny document: a chunk of one word, an entity without edges."""
    items = rich()
    entity = items["entities"][1].model_copy(update={"n_mentions": 1})
    chunk = items["chunks"][0].model_copy(
        update={"content": "Cholera.", "end": 8, "entities": (entity.id,), "relationships": ()}
    )
    return {"entities": [entity], "relationships": [], "chunks": [chunk], "communities": [], "reports": []}


FULL = with_corpus(rich())
EMPTY = {**resources({kind: [] for kind in rich()}), "extractor": default_extractor()}
EDGELESS = with_corpus({**rich(), "relationships": []})
NO_COMMUNITIES = with_corpus({**rich(), "communities": [], "reports": []})
TINY = with_corpus(tiny())
GRAPHS: dict[str, Ports] = {
    "full": FULL,
    "empty": EMPTY,
    "no edges": EDGELESS,
    "no communities": NO_COMMUNITIES,
    "tiny": TINY,
}


@cache
def _schema_of(answer: type[BaseModel]) -> tuple[JsonDict, Schemas]:
    schema = answer.model_json_schema()
    return schema, Schemas(schema.get("$defs", {}), lambda _name, rng: rng.choice(rng.choice((TEXTS, KNOWN))))


def any_model(rng: Random) -> FakeModel:
    """Return a language model that says anything of the form asked for, or fails at it."""

    def say(_prompt: Prompt, answer: type[BaseModel]) -> JsonDict:
        schema, schemas = _schema_of(answer)
        said: JsonDict = schemas.value(schema, "", rng)
        return said

    return FakeModel(say, fault=rng.choice((None, None, *FAULTS)))


def any_ports(rng: Random, *, llm: bool) -> Ports:
    """Return the full graph, every second time one that lacks something."""
    ports = rng.choice((FULL, FULL, FULL, FULL, *GRAPHS.values()))
    afresh = {
        **ports,
        "memory": ScratchMemory(ports["graph"], [NOTED]),
    }  # what one call wrote is not the next one's
    return {**afresh, "llm": any_model(rng)} if llm else afresh
