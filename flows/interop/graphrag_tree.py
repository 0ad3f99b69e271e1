"""Which communities of a GraphRAG index there are, who is in them, and which is above which."""

from collections import defaultdict
from collections.abc import Mapping

from corpusgraph.flows.interop.graphrag_cells import number
from corpusgraph.flows.interop.graphrag_files import Tables
from corpusgraph.flows.interop.report import Notes
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.graph import Community


def community_rows(tables: Tables, titles: Mapping[str, str]) -> list[JsonDict]:
    """Return communities with their numbers, and with members where only the table of nodes has them."""
    members: dict[int, dict[str, None]] = defaultdict(dict)
    levels: dict[int, int] = {}
    for node in tables.of("nodes"):
        at = number(node.get("community"))
        title = nfc(str(node["title"]))
        if at is not None and at >= 0 and title in titles:
            members[at][titles[title]] = None
            levels[at] = number(node.get("level")) or 0
    rows = []
    taken: set[int] = set()
    highest = max(members, default=-1)
    for place, row in enumerate(tables.of("communities")):
        at = number(row.get("community", row.get("id")))
        at = number(row.get("human_readable_id")) if at is None else at
        if at is None or at < 0 or at in taken:
            tables.notes.add("numbers_given_anew", f"communities, row {place + 1}")
            at = highest + 1
        taken.add(at)
        highest = max(highest, at)
        told = {**row, "number": at, "members": None}
        rows.append(told if "entity_ids" in row else {**told, "members": list(members.get(at, ()))})
    # A community without a relationship is in the table of nodes alone.
    rows += [
        {"number": at, "level": levels[at], "members": list(members[at])}
        for at in sorted(set(members) - taken)
    ]
    return rows


def tree(made: Mapping[int, tuple[Community, JsonDict]], notes: Notes) -> list[Community]:
    """Tie parents and children together, by the columns that say so or by who holds whose members (0.5).

    A parent is on a coarser level: what says otherwise is left out, so that nothing is above itself.
    """
    by_number = {at: community for at, (community, _) in made.items()}
    holders: dict[tuple[int, str], int] = {
        (community.level, entity): at
        for at, community in by_number.items()
        for entity in community.entity_ids
    }
    parents: dict[int, int] = {}

    def tie(below: int, above: int) -> None:
        if by_number[above].level < by_number[below].level:
            parents[below] = above
        else:
            notes.add("unknown_reference", f"community {below}: {above} is no parent of it by its level")

    for at, (community, row) in made.items():
        stated = number(row.get("parent"))
        if stated is None and community.entity_ids:
            stated = holders.get((community.level - 1, community.entity_ids[0]))
        if stated is not None and stated in by_number and stated != at:
            tie(at, stated)
    for at, (_, row) in made.items():
        for child in row.get("children") or ():
            below = number(child)
            if below is not None and below in by_number and below not in parents and below != at:
                tie(below, at)
    children: dict[int, list[str]] = defaultdict(list)
    for at, parent in parents.items():
        children[parent].append(by_number[at].id)
    return [
        community.model_copy(
            update={
                "parent_id": by_number[parents[at]].id if at in parents else None,
                "children": tuple(sorted(children[at])),
            }
        )
        for at, community in by_number.items()
    ]
