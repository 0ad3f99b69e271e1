"""An entity as it is now: what the corpus says of it and of all merged into it, and what was said by hand."""

from collections.abc import Callable, Iterable, Sequence

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import CreateEntity
from corpusgraph.tasks.graph.names import aliases_of, texts_of
from corpusgraph.tasks.graph.noted import ROWS, is_hand_made, text_of_row
from corpusgraph.tasks.index.aggregate import shorten
from corpusgraph.tasks.remember.state import MemoryState

Base = Callable[[str], Entity | None]
"""Id -> the entity as the corpus has it."""
ORIGIN = "memory"


def is_there(state: MemoryState, id_: str, own: Entity | None) -> bool:
    """Whether there is an entity, as it is now; `own` is what the corpus has under its id."""
    if id_ in state.created:
        return True
    return id_ not in state.deleted and (own is not None or id_ in state.named)


def described(state: MemoryState, id_: str, base: Base) -> Entity | None:
    """Return an entity as it is now, or None where there is none. Degree and counts are the corpus's."""
    own = None if id_ in state.deleted else base(id_)
    if not is_there(state, id_, own):
        return None
    if not _is_touched(state, id_) and own is not None:
        return own
    absorbed = _absorbed(state, id_, base)
    made = _made(state, id_)
    name, type_ = _called(state, id_, own, made)
    attributes = dict(own.attributes or {}) if own else {"origin": ORIGIN}
    for one in made:
        attributes = {**one.attributes, **attributes}
    attributes |= _lists(state, id_, name, own, absorbed)
    attributes |= _rows(attributes.pop(ROWS, None), attributes.get("observations", ()))
    is_stub = own is None and type_ is None and id_ in state.created and _is_stub(state.created[id_].made)
    if not is_stub:
        attributes.pop("is_stub", None)
    brought = [_telling(state, id_, one) for one in (*([own] if own else ()), *absorbed)]
    said = [one.description for one in made]
    told = (*brought[:1], *said, *brought[1:]) if own else (*said, *brought)
    number = own.short_id if own else state.entity_numbers.of.get(id_)
    changed = {
        "name": name,
        "type": type_,
        "description": next((text for text in told if text), None),
        "attributes": attributes,
        "short_id": number,
        "is_stub": is_stub or bool(own and own.is_stub),
    }
    return (own or Entity(id=id_)).model_copy(update=changed)


def _rows(kept: object, noted: Iterable[str]) -> JsonDict:
    """Return what a file has beside the words of observations, of those that are still noted."""
    if not isinstance(kept, list):
        return {} if kept is None else {ROWS: kept}
    left = {nfc(text) for text in noted}
    rows = [row for row in kept if nfc(text_of_row(row)) in left]
    return {ROWS: rows} if rows else {}


def _telling(state: MemoryState, id_: str, brought: Entity) -> str | None:
    """Return what describes an entity of the corpus: of an imported one what it noted and is left."""
    taken = state.unobserved.get(id_)
    noted = [nfc(text) for text in _noted(brought)]
    if not taken or not is_hand_made(brought) or not any(text in taken for text in noted):
        return brought.description
    return shorten(" ".join(text for text in noted if text not in taken)) or None


def _is_touched(state: MemoryState, id_: str) -> bool:
    said = (state.created, state.renamed, state.aliases, state.lost_names, state.members, state.gained)
    return any(id_ in kept for kept in said) or id_ in state.observations or id_ in state.unobserved


def _absorbed(state: MemoryState, id_: str, base: Base) -> list[Entity]:
    members = sorted(member for member in state.members.get(id_, ()) if member not in state.deleted)
    return [entity for member in members if (entity := base(member)) is not None]


def _made(state: MemoryState, id_: str) -> list[CreateEntity]:
    hand = state.created.get(id_)
    return [*([hand.made] if hand else ()), *state.gained.get(id_, ())]


def _is_stub(made: CreateEntity) -> bool:
    """Tell one that was made because a relation names it."""
    return bool(made.attributes.get("is_stub"))


def _called(
    state: MemoryState, id_: str, own: Entity | None, made: Sequence[CreateEntity]
) -> tuple[str, str | None]:
    """Return name and type: as renamed, as the corpus has them, as made, as first named."""
    renamed = state.renamed.get(id_)
    first = own or (made[0] if id_ in state.created else state.named[id_])
    return (renamed.name, renamed.type or first.type) if renamed else (first.name, first.type)


def _lists(
    state: MemoryState, id_: str, name: str, own: Entity | None, absorbed: Sequence[Entity]
) -> JsonDict:
    """Return the other names and the observations, each where there is one."""
    names = _other_names(state, id_, own, absorbed)
    others = [other for other in names if other != name]
    said = observed(state, id_, [*([own] if own else ()), *absorbed])
    has_list = own is not None and "aliases" in (own.attributes or {})
    attributes: JsonDict = {"aliases": others} if others or has_list else {}
    return {**attributes, "observations": said} if said or id_ in state.unobserved else attributes


def _other_names(
    state: MemoryState, id_: str, own: Entity | None, absorbed: Sequence[Entity]
) -> Iterable[str]:
    said = [*([own] if own else ()), *absorbed]
    corpus = [name for one in said for name in kept(state, one.id, (one.name, *aliases_of(one)))]
    return dict.fromkeys([*corpus, *state.aliases.get(id_, ())])


def kept(state: MemoryState, id_: str, names: Iterable[str]) -> list[str]:
    """Return the names of an entity of the corpus that no split gave away."""
    lost = state.lost_names.get(id_, ())
    return [name for name in names if name.strip().casefold() not in lost]


def observed(state: MemoryState, id_: str, corpus: Iterable[Entity] = ()) -> list[str]:
    """Return what is noted about an entity: what the corpus brought and was not taken back, then by hand."""
    taken = state.unobserved.get(id_, {})
    brought = [nfc(text) for one in corpus for text in _noted(one)]
    return list(dict.fromkeys([*(t for t in brought if t not in taken), *state.observations.get(id_, ())]))


def _noted(entity: Entity) -> list[str]:
    return texts_of(entity.attributes or {}, "observations")
