"""Taking entities for one, making two of one, and taking one out."""

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.memory import CreateEntity, Named, Reweigh, SplitEntity
from corpusgraph.tasks.remember.operations import ordered, triple_id
from corpusgraph.tasks.remember.relations import drop, move
from corpusgraph.tasks.remember.state import Gone, HandEntity, Joined, MemoryState, Parted


def merge(state: MemoryState, source: str, into: str, named: Named) -> None:
    """Let all that is known of `source` be known of `into`."""
    state.regrouped += 1
    state.steps.append(Joined(source, into))
    for member in (source, *sorted(state.members.pop(source, ()))):
        state.merged[member] = into
        state.members.setdefault(into, set()).add(member)
    _move_names(state, source, into, named)
    _move_observations(state, source, into)
    if (made := state.created.pop(source, None)) is not None:
        state.gained.setdefault(into, []).append(made.made)
    state.gained.setdefault(into, []).extend(state.gained.pop(source, ()))
    if not state.gained[into]:
        del state.gained[into]
    for id_ in sorted(state.of_entity.get(source, ())):
        move(state, id_, source, into)
    _move_weights(state, source, into)
    state.named.pop(source, None)


def _move_names(state: MemoryState, source: str, into: str, named: Named) -> None:
    """Give `into` all names of `source`: the one it goes by, earlier ones, the one it was made with."""
    renamed, first = state.renamed.pop(source, None), state.called.get(source, named)
    names = [named.name, first.name, *([renamed.name] if renamed else ()), *state.aliases.pop(source, ())]
    for name in names:
        state.add_name(into, name)


def _move_observations(state: MemoryState, source: str, into: str) -> None:
    for kept in (state.observations, state.unobserved):
        moved = kept.pop(source, None)
        if moved:
            there = kept.setdefault(into, {})
            for sentence, change in moved.items():
                there.setdefault(sentence, change)


def _move_weights(state: MemoryState, source: str, into: str) -> None:
    """Keep weights that were set: where both relationships had one, that of `into` stays."""
    for id_, weight in list(state.reweighed.items()):
        if source in {weight.source.id, weight.target.id}:
            del state.reweighed[id_]
            _set_again(state, weight, source, into)


def _set_again(state: MemoryState, weight: Reweigh, before: str, after: str) -> None:
    ends = [state.called[after] if end.id == before else end for end in (weight.source, weight.target)]
    if ends[0].id != ends[1].id or weight.source.id == weight.target.id:
        id_ = triple_id(ordered(ends[0].id, weight.type, ends[1].id))
        moved = weight.model_copy(update={"source": ends[0], "target": ends[1]})
        state.reweighed.setdefault(id_, moved)


def split(state: MemoryState, id_: str, op: SplitEntity, change: int) -> None:
    """Make a second entity and give it what the operation lists; one merged before gets its own back."""
    new = op.into.id
    if new == id_ or state.now(new) not in {new, id_}:
        return
    state.regrouped += 1
    if state.merged.pop(new, None) is not None:
        state.members[id_].discard(new)
        if taken := state.unobserved.get(id_):  # of whom it was taken back is not known: of both, then
            state.unobserved.setdefault(new, {}).update(taken)
    made = CreateEntity(id=new, name=op.into.name, type=op.into.type)
    state.created.setdefault(new, HandEntity(made, change, state.entity_numbers.allot(new)))
    state.unmade.discard(new)
    state.named.setdefault(new, state.called[new])
    _split_names(state, id_, new, [op.into.name, *op.names])
    _split_observations(state, id_, new, op.observations)
    _split_relations(state, id_, new, set(op.relationships))
    state.splits.append((change, op))
    state.steps.append(Parted(id_, op))


def _split_names(state: MemoryState, id_: str, new: str, names: list[str]) -> None:
    """Names go from who has them now: what is merged with it later keeps those it has."""
    lost = {nfc(name).strip().casefold() for name in names}
    for part in (id_, *state.members.get(id_, ())):
        state.lost_names.setdefault(part, set()).update(lost)
    kept = {name: None for name in state.aliases.get(id_, {}) if name.strip().casefold() not in lost}
    state.aliases[id_] = kept
    for name in names:
        state.add_name(new, nfc(name))


def _split_observations(state: MemoryState, id_: str, new: str, sentences: tuple[str, ...]) -> None:
    noted = state.observations.get(id_, {})
    for sentence in map(nfc, sentences):
        if (change := noted.pop(sentence, None)) is not None:
            state.observations.setdefault(new, {}).setdefault(sentence, change)


def _split_relations(state: MemoryState, id_: str, new: str, wanted: set[str]) -> None:
    """Move the relationships listed, by the ids they have now, with the weights they were given."""
    for relation in sorted(wanted & state.of_entity.get(id_, set())):
        move(state, relation, id_, new)
    for relation in sorted(wanted & set(state.reweighed)):
        weight = state.reweighed[relation]
        if id_ in {weight.source.id, weight.target.id}:
            del state.reweighed[relation]
            _set_again(state, weight, id_, new)


def delete(state: MemoryState, id_: str) -> None:
    """Forget all that was said of an entity by hand, and leave out what the corpus says of it."""
    state.regrouped += 1
    state.steps.append(Gone(id_))
    for relation in sorted(state.of_entity.get(id_, ())):
        drop(state, relation)
    for relation, weight in list(state.reweighed.items()):
        if id_ in {weight.source.id, weight.target.id}:
            del state.reweighed[relation]
    for member in (id_, *sorted(state.members.pop(id_, ()))):
        state.deleted[member] = state.called.get(member, Named(id=member, name=member))
        state.merged.pop(member, None)
    for kept in (state.created, state.renamed, state.aliases, state.gained):
        kept.pop(id_, None)
    for said in (state.observations, state.unobserved, state.named):
        said.pop(id_, None)
