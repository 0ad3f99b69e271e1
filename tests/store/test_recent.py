"""An index stays open from one question to the next, until another generation is published."""

import shutil
from pathlib import Path

import pytest

from corpusgraph.flows.store.store import KEPT, IndexStore, open_recent
from corpusgraph.schemas.errors import IndexNotFoundError
from corpusgraph.schemas.graph import Entity


def publish(store: IndexStore, name: str, *ids: str) -> None:
    with store.write(name) as writer:
        writer.add("entities", [Entity(id=id_) for id_ in ids])
        writer.publish()


def test_the_newest_generation_is_opened_once(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    publish(store, "snow", "a")
    first = open_recent(store, "snow")
    assert open_recent(IndexStore(tmp_path), "snow") is first
    publish(store, "snow", "b")
    assert [entity.id for entity in open_recent(store, "snow").graph.entities] == ["b"]


def test_only_the_last_ones_are_kept_and_one_that_is_gone_is_an_error(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    names = [f"i{n}" for n in range(KEPT + 1)]
    for name in names:
        publish(store, name, "a")
    first = open_recent(store, names[0])
    others = [open_recent(store, name) for name in names[1:]]
    assert [open_recent(store, name) for name in names[1:]] == others
    assert open_recent(store, names[0]) is not first
    shutil.rmtree(store.folder(names[0]))
    with pytest.raises(IndexNotFoundError):
        open_recent(store, names[0])
