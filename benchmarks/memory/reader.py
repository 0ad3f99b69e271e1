"""Another process that has the index open: `python -m benchmarks.memory.reader OUTPUTS`.

For each line `ID NAME` it looks the relationship up in the memory, and asks `get_entity_neighbors` of the
entity; it answers whether each saw the relationship, and the seconds that the look-up took.
"""

import json
import sys
import time
from pathlib import Path

import corpusgraph as cg
from corpusgraph.flows.store.store import IndexStore, open_recent
from corpusgraph.schemas.errors import UnknownItemError


def main(outputs: str) -> None:
    """Answer until there are no more questions."""
    memory = open_recent(IndexStore(Path(outputs)), "bench").memory
    memory.changes()
    print("ready", flush=True)
    for line in sys.stdin:
        id_, source, type_ = line.split()
        began = time.perf_counter()
        try:
            seen = memory.relationship(id_).source_id == source
        except UnknownItemError:
            seen = False
        seconds = time.perf_counter() - began
        asked = {"entity_id": source, "relation_type": type_}
        told = cg.call("get_entity_neighbors", asked, index="bench", outputs=outputs)
        shown = told.success and told.data.neighbor_count == 1
        print(json.dumps([seen, seconds, shown, time.perf_counter() - began]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
