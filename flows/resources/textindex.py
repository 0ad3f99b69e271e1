"""Full-text search over items in memory, with the scores that an index of them alone would give."""

from collections.abc import Sequence
from typing import Any

import lancedb
import pyarrow as pa

from corpusgraph.flows.resources.fulltext import segmented, text_of
from corpusgraph.flows.resources.lance import text_index
from corpusgraph.flows.resources.tables import SEARCH

_DIGITS = 6
_SPARE = 32  # asked for beyond top_k, so that ties at the cut are decided by id


def text_table(kind: str, items: Sequence[Any]) -> Any:
    """Index the texts of items of one kind, which must not be empty."""
    texts = [text_of(kind, item) for item in items]
    rows = pa.table({"id": [item.id for item in items], SEARCH: texts})
    table = lancedb.connect("memory://").create_table(kind, rows)
    table.create_index(SEARCH, config=text_index())
    return table


def search_texts(table: Any, query: str, top_k: int) -> list[tuple[str, float]]:
    """Return (id, BM25 score), best first, ties by id."""
    search = table.search(segmented(query), query_type="fts", fts_columns=SEARCH)
    found = search.select(["id", "_score"]).limit(top_k + _SPARE).to_arrow()
    scores = [round(score, _DIGITS) for score in found.column("_score").to_pylist()]
    hits = zip(found.column("id").to_pylist(), scores, strict=True)
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:top_k]
