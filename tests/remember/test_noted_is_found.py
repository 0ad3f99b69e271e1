"""An entity is found by whatever was noted of it, as an imported one is; not only by what describes it."""

from pathlib import Path

from corpusgraph.flows.embed.embedders import embedder_for
from corpusgraph.flows.interop.sources import new_memory
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.store.store import IndexStore, open_recent
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import CreateEntity, Named, Observe
from corpusgraph.tasks.build.embedded import NOTED, entity_text
from corpusgraph.tasks.tools.answer import similar
from corpusgraph.tasks.tools.entity import text_of

ADA = Named(id=Entity.make_id("Ada Byron", "person"), name="Ada Byron", type="person")
BOB = Named(id=Entity.make_id("Bob", "person"), name="Bob", type="person")


def opened(outputs: Path) -> OpenIndex:
    return open_recent(IndexStore(outputs), "notes")


def add(outputs: Path, *operations: CreateEntity | Observe) -> int:
    memory = opened(outputs).memory
    return memory.record(operations, by="test", request_id="r", at="2026-01-01T00:00:00+00:00").number


def found(outputs: Path, query: str) -> list[list[str]]:
    """Return what is found by words, and the one that is nearest."""
    index = opened(outputs)
    vector = embedder_for(index.manifest).embed([query])[0]
    by_words = [id_ for id_, _ in index.match("entity", query, 5)]
    return [by_words, [id_ for id_, score in index.nearest("entity", vector, 5) if score > 0.15]]


def test_by_any_observation_and_by_none_that_was_undone(tmp_path: Path) -> None:
    new_memory("notes", outputs=tmp_path)
    add(tmp_path, CreateEntity(**ADA.model_dump()), CreateEntity(**BOB.model_dump()))
    add(
        tmp_path,
        Observe(entity=ADA, contents=("wrote notes on the engine",)),
        Observe(entity=BOB, contents=("sings",)),
    )
    assert found(tmp_path, "marmoset") == [[], []]
    number = add(tmp_path, Observe(entity=ADA, contents=("kept a marmoset",)))
    assert found(tmp_path, "marmoset") == [[ADA.id], [ADA.id]]
    opened(tmp_path).memory.undo(number, by="test", request_id="r", at="2026")
    assert found(tmp_path, "marmoset") == [[], []]


def test_what_the_description_says_is_not_read_twice_and_much_is_cut() -> None:
    ada = Entity(
        id="a", name="Ada", description="She wrote.", attributes={"observations": ["She wrote.", "Sang."]}
    )
    assert entity_text(ada) == "Ada. She wrote. Sang."
    assert entity_text(ada, alone=True) == "Ada"
    assert text_of(ada) == "Ada\nShe wrote.\nSang."
    many = ada.model_copy(update={"attributes": {"observations": [f"did thing {n}" for n in range(1000)]}})
    assert len(entity_text(many)) < NOTED + 20


def test_what_is_found_is_told_with_it() -> None:
    ada = Entity(id="a", name="Ada", attributes={"observations": ["Sang.", "Kept a marmoset."]})
    item = similar(ada)
    assert item.text == "Ada: Sang. Kept a marmoset."
