"""Full-text search over items in memory, with the scores that an index of them alone would give."""

from collections.abc import Sequence
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.query import FullTextOperator, MatchQuery

from corpusgraph.flows.store.lance import text_index
from corpusgraph.flows.store.tables import SEARCH, holds, phrases_of, segmented, text_of
from corpusgraph.flows.store.vectors import SPARE, Hits, best_hits


def text_table(kind: str, items: Sequence[Any]) -> Any:
    """Index the texts of items of one kind, which must not be empty.

    Parameters
    ----------
    kind : str
        entity, relationship, chunk or report.
    items : sequence of Any
        One or more.

    Returns
    -------
    Any
        A table of lancedb in memory.

    """
    texts = [text_of(kind, item) for item in items]
    rows = pa.table({"id": [item.id for item in items], SEARCH: texts})
    table = lancedb.connect("memory://").create_table(kind, rows)
    table.create_index(SEARCH, config=text_index())
    return table


def search_texts(table: Any, query: str, top_k: int) -> Hits:
    """Return (id, BM25 score), best first, ties by id; of a query in quotes what has it word for word.

    Parameters
    ----------
    table : Any
        As `text_table` makes it, or the stored one.
    query : str
        In any words.
    top_k : int
        Items at most, 1 or more.

    Returns
    -------
    Hits
        Scores above 0, rounded to `DIGITS` decimals.

    """
    phrases = phrases_of(query)
    every = FullTextOperator.AND if phrases else FullTextOperator.OR
    asked = MatchQuery(segmented(query), SEARCH, operator=every)  # type: ignore[call-arg]  # defaults
    width = top_k + SPARE
    while True:
        search = table.search(asked, query_type="fts").select(
            ["id", "_score", *([SEARCH] if phrases else [])]
        )
        rows = search.limit(width).to_arrow().to_pylist()
        hits = [row for row in rows if not phrases or holds(row[SEARCH], phrases)]
        if len(hits) >= top_k or len(rows) < width:
            return best_hits(((hit["id"], hit["_score"]) for hit in hits), top_k)
        width *= 8
