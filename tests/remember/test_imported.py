"""What is deleted of an imported memory is shown by nothing, as though its lines had never been in the file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.flows.interop.memory_parcel import memory_parcel
from corpusgraph.flows.interop.parcel import GivenEntity, GivenMemory, GivenRelation, completed
from corpusgraph.flows.store.tables import table_spec, to_arrow
from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.evidence import Assertion, Mention, Merge
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import (
    Change,
    CreateEntity,
    DeleteEntity,
    MergeEntities,
    Named,
    Observe,
    Operation,
    Relate,
    Rename,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.schemas.study import IndexOptions
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.base import Asserted, Base, EntityEvidence, Mentioned
from corpusgraph.tasks.overlay.state import advance, folded
from corpusgraph.tasks.overlay.view import RememberedEvidence, RememberedGraph
from corpusgraph.tasks.tools.memory.reference import holding, shown
from tests.examples import tried
from tests.remember.test_evidence_counts import same_arrays
from tests.remember.test_following import looks

WHO = ("Ann", "Bob", "Cy", "Dee")
TYPES = ("owes_money_to", "knows")
Triple = tuple[str, str, str]


@dataclass(frozen=True)
class File:
    """What a memory file says: observations by entity, and relations."""

    noted: dict[str, tuple[str, ...]]
    related: tuple[Triple, ...] = ()

    def without(self, operation: Operation) -> "File":
        """Return the file without the lines that an operation deletes."""
        noted = dict(self.noted)
        if isinstance(operation, Unobserve) and operation.entity.name in noted:
            name = operation.entity.name
            noted[name] = tuple(one for one in noted[name] if one not in operation.contents)
            return replace(self, noted=noted)
        if isinstance(operation, Unrelate):
            ends = operation.source.name, operation.type, operation.target.name
            return replace(self, related=tuple(one for one in self.related if one != ends))
        if isinstance(operation, DeleteEntity):
            noted.pop(operation.entity.name, None)
            left = (one for one in self.related if operation.entity.name not in {one[0], one[2]})
            return File(noted, tuple(left))
        return self

    def lines(self) -> list[str]:
        """Return all that it says, a line each."""
        noted = [
            text if name in text else f"{name}: {text}"
            for name, texts in self.noted.items()
            for text in texts
        ]
        return [*noted, *(f"{one} {type_.replace('_', ' ')} {other}." for one, type_, other in self.related)]


@dataclass
class Imported:
    """A memory file as an index made of it, in memory: the evidence that memories are laid over."""

    file: File
    merges: Sequence[Merge] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        file, place = self.file, {name: i for i, name in enumerate(self.file.noted)}
        given_ = GivenMemory("jsonl", "m.jsonl")
        given_.entities = [GivenEntity(name, "person", list(texts)) for name, texts in file.noted.items()]
        given_.relations = [GivenRelation(place[a], place[b], type_) for a, type_, b in file.related]
        parcel = memory_parcel(given_)
        completed(parcel, IndexOptions())
        self._mentions, self._assertions = (
            to_arrow(table_spec(table), rows).to_pylist()
            for table, rows in (("mentions", parcel.mentions), ("assertions", parcel.assertions))
        )
        self.documents = parcel.documents
        rows = [(one["entity_id"], one["chunk_id"], one["count"]) for one in parcel.incidence]
        nouns = (parcel.entities, parcel.relationships, parcel.chunks)
        self.graph = MemoryGraph(*nouns, parcel.communities or (), parcel.reports or (), rows)
        self.mentions = [Mention(**_of(Mention, row)) for row in parcel.mentions]
        self.assertions = [Assertion(**_of(Assertion, row)) for row in parcel.assertions]
        self._entity = {row["id"]: row["entity_id"] for row in parcel.mentions}
        self._edge = {row["id"]: row["relationship_id"] for row in parcel.assertions}

    def entity_of(self, mention_id: str) -> str | None:
        return self._entity.get(mention_id)

    def relationship_of(self, assertion_id: str) -> str | None:
        return self._edge.get(assertion_id)

    def told(self, entities: frozenset[str]) -> EntityEvidence:
        ours = (Mentioned(**{name: row[name] for name in Mentioned._fields}) for row in self._mentions)
        said = (Asserted(**{name: row[name] for name in Asserted._fields}) for row in self._assertions)
        return EntityEvidence(
            [one for one in ours if one.entity_id in entities],
            [one for one in said if {one.source_id, one.target_id} & entities],
        )

    def base(self) -> Base:
        return Base(self.graph, self.told)


def _of(noun: Any, row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name in noun.model_fields and value is not None}


def who(name: str) -> Named:
    return Named(id=Entity.make_id(name, "person"), name=name, type="person")


def unrelate(triple: Triple) -> Unrelate:
    return Unrelate(source=who(triple[0]), type=triple[1], target=who(triple[2]))


def numbered(operations: Iterable[Operation | int]) -> list[Change]:
    """Return a change of each operation; of a number the undoing of that change."""
    made = []
    for number, one in enumerate(operations, 1):
        said: Any = {"undoes": one} if isinstance(one, int) else {"operations": (one,)}
        made.append(Change(number=number, at="", by="", **said))
    return made


class Seen(RememberedEvidence):
    """An imported memory with what was changed by hand."""

    def __init__(self, whole: Imported, changes: Sequence[Change]) -> None:
        self._whole, self._graph = whole, RememberedGraph(folded(changes, whole.base()).frozen())

    @property
    def graph(self) -> RememberedGraph:
        return self._graph


def tells(seen: Any) -> dict[str, Any]:
    """Return what an index shows, by names and texts: ids of chunks depend on the place in the file."""
    graph = seen.graph
    names = {entity.id: entity.name for entity in graph.entities}
    texts = {chunk.id: chunk.content for chunk in graph.chunks}
    counts = graph.mention_counts()
    part, _ = shown(graph, range(len(graph.entities)), both=True)
    lines = [line for one in seen.documents for line in one.text.split("\n") if line.strip()]
    said = [(seen.entity_of(one.id), texts[one.chunk_id], one.surface) for one in seen.mentions]
    edges = [(names[e.source_id], e.type, names[e.target_id]) for e in graph.relationships]
    return {
        "read_graph": (sorted(map(repr, part.entities)), sorted(map(repr, part.relations))),
        "found": {
            word: sorted(graph.entities[i].name for i in holding(graph, word)) for word in ("secret", "bob")
        },
        "chunks": sorted(texts.values()),
        "documents": sorted(lines),
        "mentions": sorted((names[id_], *rest) for id_, *rest in said if id_ in names),
        "asserted": sorted((one.source, one.type, one.target, one.description) for one in seen.assertions),
        "described": sorted((e.name, e.description or "", e.n_mentions, e.degree) for e in graph.entities),
        "first": sorted((e.name, _own(e.name, texts, counts[e.id], e.source_ref)) for e in graph.entities),
        "counted": sorted((names[id_], texts[c], n) for id_ in names for c, n in counts[id_].items()),
        "edges": sorted(edges),
        "stated": sorted(texts[id_] for e in graph.relationships for id_ in e.chunk_ids or ()),
    }


def _own(name: str, texts: dict[str, str], counts: Mapping[str, int], first: str | None) -> str | bool:
    """Return the first line of an entity where its own notebook has it; of others' one of theirs."""
    assert (first in counts) == bool(counts)
    return texts[first] if first and texts[first].startswith(name) else bool(first) and "another's"


@st.composite
def files(draw: st.DrawFn) -> File:
    """Some say the same of themselves, or name another; of each there is a secret of its own."""
    common = ("was seen", "met Bob at noon", "likes tea with Ann and Ann")
    noted = {
        name: (*draw(st.lists(st.sampled_from(common), unique=True)), f"secret of number {i}")
        for i, name in enumerate(WHO)
    }
    ends = [(a, type_, b) for a in WHO for b in WHO for type_ in TYPES if a != b]
    return File(noted, tuple(draw(st.lists(st.sampled_from(ends), max_size=5, unique=True))))


def deletions(file: File) -> st.SearchStrategy[Operation | int]:
    notes = [(name, text) for name, texts in file.noted.items() for text in texts]
    one = st.sampled_from(notes).map(lambda pair: Unobserve(entity=who(pair[0]), contents=(pair[1],)))
    entity = st.sampled_from(WHO).map(lambda name: DeleteEntity(entity=who(name)))
    undo = st.integers(1, 5)
    some: list[st.SearchStrategy[Any]] = [one, one, entity, undo]
    return st.one_of(*some, *([st.sampled_from(file.related).map(unrelate)] if file.related else []))


def in_force(operations: Sequence[Operation | int]) -> list[Operation]:
    """Return the operations that count: an undoing may be undone."""
    out: set[int] = set()
    for number in range(len(operations), 0, -1):
        one = operations[number - 1]
        if isinstance(one, int) and number not in out:
            out.add(one)
    return [one for n, one in enumerate(operations, 1) if not isinstance(one, int) and n not in out]


@settings(max_examples=tried(40), deadline=None)
@given(st.data(), files())
def test_what_is_deleted_is_as_if_it_had_never_been_in_the_file(data: st.DataObject, file: File) -> None:
    drawn = data.draw(st.lists(deletions(file), min_size=1, max_size=6))
    asked: list[Operation | int] = []
    for one in drawn:
        asked += [] if isinstance(one, int) and one > len(asked) else [one]
    whole = Imported(file)
    seen = Seen(whole, numbered(asked))
    left = file
    for operation in in_force(asked):
        left = left.without(operation)
    assert tells(seen) == tells(Imported(left))
    same_arrays(seen)  # type: ignore[arg-type]
    every = [*seen.graph.communities, *seen.graph.reports, *seen.graph.entities, *seen.documents]
    text = "\n".join(one.model_dump_json() for one in every)
    lost = {line.split(": ")[-1] for line in {*file.lines()} - {*left.lines()}}
    assert [line for line in lost if line in text and ("secret" in line or line.endswith("."))] == []
    gone = file.noted.keys() - left.noted.keys()
    titles = [one.title or "" for one in seen.graph.communities]
    titles += [one.title for one in seen.graph.reports]
    assert [name for name in gone for title in titles if name in title] == []


@settings(max_examples=tried(10), deadline=None)
@given(st.data(), files())
def test_a_view_with_deletions_is_brought_on(data: st.DataObject, file: File) -> None:
    whole = Imported(file)
    asked: list[Any] = [
        one for one in data.draw(st.lists(deletions(file), max_size=3)) if not isinstance(one, int)
    ]
    before = len(asked)
    asked += [
        Observe(entity=who("Ann"), contents=("came back",)),
        Relate(source=who("Cy"), target=who("Dee"), type="met"),
    ]
    changes = numbered(asked)
    live = folded(changes[:before], whole.base())
    looks(RememberedGraph(live.frozen()))
    for change in changes[before:]:
        advance(live, change)
    anew = RememberedGraph(folded(changes, whole.base()).frozen())
    assert looks(RememberedGraph(live.frozen())) == looks(anew)


FILE = File(
    {"Ann": ("lives in Secretville", "likes tea"), "Bob": ("lives in Secretville", "saw Ann")},
    (("Ann", "owes_money_to", "Bob"), ("Bob", "knows", "Cy")),
)
FILE = replace(FILE, noted={**FILE.noted, "Cy": ()})
GONE = Unobserve(entity=who("Ann"), contents=("lives in Secretville",))


def contents(seen: Seen) -> set[str]:
    return {chunk.content for chunk in seen.graph.chunks}


def test_a_sentence_of_two_is_only_of_the_other_then() -> None:
    seen = Seen(Imported(FILE), numbered([GONE]))
    assert contents(seen) == {*FILE.lines()} - {"Ann: lives in Secretville"}
    gone = next(c for c in Imported(FILE).graph.chunks if c.content == "Ann: lives in Secretville")
    for ref in (gone.id, gone.short_id):
        if ref is not None:
            with pytest.raises(UnknownItemError):
                seen.graph.chunk(ref)


@pytest.mark.parametrize("later", ["renamed", "merged", "merged and parted again"])
def test_what_was_taken_back_stays_so_whatever_becomes_of_the_entity(later: str) -> None:
    merge = MergeEntities(sources=(who("Ann"),), into=who("Cy"))
    more: dict[str, list[Operation]] = {
        "renamed": [Rename(entity=who("Ann"), name="Anna")],
        "merged": [merge],
        "merged and parted again": [merge, SplitEntity(entity=who("Cy"), into=who("Ann"), names=("Ann",))],
    }
    for asked in ([GONE, *more[later]], [*more["renamed"], GONE]):
        seen = Seen(Imported(FILE), numbered(asked))
        assert contents(seen) == {*FILE.lines()} - {"Ann: lives in Secretville"}
        said = [
            (e.name, e.description, (e.attributes or {}).get("observations")) for e in seen.graph.entities
        ]
        assert [one for one in said if one[0] != "Bob" and "Secretville" in str(one)] == []
        same_arrays(seen)  # type: ignore[arg-type]


def test_a_relationship_that_a_split_moved_keeps_its_line() -> None:
    whole = Imported(FILE)
    edge = next(e for e in whole.graph.relationships if e.type == "owes_money_to")
    other = Named(id="ent_other", name="Ann Other", type="person")
    asked: list[Operation] = [
        SplitEntity(entity=who("Ann"), into=other, relationships=(edge.id,)),
        DeleteEntity(entity=who("Ann")),
    ]
    seen = Seen(whole, numbered(asked))
    assert "Ann owes money to Bob." in contents(seen)
    assert [e.n_mentions for e in seen.graph.entities if e.name == "Ann Other"] == [1]
    seen = Seen(whole, numbered([*asked, DeleteEntity(entity=other)]))
    assert contents(seen) == {"Bob: lives in Secretville", "Bob: saw Ann", "Bob knows Cy."}
    same_arrays(seen)  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["imported", "added"])
def test_what_a_file_has_beside_the_words_goes_with_them(how: str) -> None:
    rows = [{"content": "likes tea", "at": 1}, {"content": "lives in Secretville", "at": 2}]
    if how == "imported":
        whole = Imported(FILE)
        entity = next(one for one in whole.graph.entities if one.name == "Ann")
        assert entity.attributes is not None
        entity.attributes["observation_rows"] = rows
        made: list[Operation] = []
    else:
        whole = Imported(File({}))
        noted = Observe(entity=who("Ann"), contents=FILE.noted["Ann"])
        made = [CreateEntity(**who("Ann").model_dump(), attributes={"observation_rows": rows}), noted]
    wanted: list[tuple[list[Operation | int], list[dict[str, Any]]]] = [
        ([*made, GONE], rows[:1]),
        ([*made, GONE, len(made) + 1], rows),
    ]
    for asked, left in wanted:
        known = next(e for e in Seen(whole, numbered(asked)).graph.entities if e.name == "Ann")
        assert (known.attributes or {})["observation_rows"] == left


def test_a_long_name_that_nobody_has_is_not_said_again_whole() -> None:
    with pytest.raises(UnknownItemError) as told:
        Seen(Imported(FILE), []).graph.chunk("x" * 10_000)
    assert len(str(told.value)) < 500
