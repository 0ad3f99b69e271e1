"""Whether an index is what a run would make: its parts are whole, its source and configuration the same."""

from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.resources.damaged import manifest_or_none

if TYPE_CHECKING:
    from corpusgraph.flows.graphrag.models import IndexMetadata
    from corpusgraph.flows.graphrag.plan import Plan
    from corpusgraph.flows.graphrag.storage import GraphRAGStorage

_MARK = b"PAR1"
"""What a parquet file begins and ends with (Apache Parquet format, "File format")."""
_LEAST = 12
"""Bytes of the two marks and of the footer's length."""


def is_current(storage: "GraphRAGStorage", kept: "IndexMetadata", plan: "Plan", source_hash: str) -> bool:
    """Tell whether all is there that `index.meta` tells of, and made of this source as the plan says.

    Metadata without a generation is an application's own: tables, source and configuration alone count.
    """
    if kept.source_hash != source_hash or not storage.has_valid_index():
        return False
    if kept.generation and not _is_published(storage, kept, plan):
        return False
    return not kept.config_hash or kept.config_hash in plan.fingerprints()


def has_all_parts(storage: "GraphRAGStorage") -> bool:
    """Tell whether all that was published is there: a run over what has not changed writes nothing."""
    database = storage.lancedb_dir
    return storage.has_valid_index() and database.is_dir() and any(database.iterdir())


def is_whole_parquet(path: Path) -> bool:
    """Tell whether a file begins and ends as a parquet file does: one that was written in part does not."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size < _LEAST:
                return False
            file.seek(0)
            head = file.read(len(_MARK))
            file.seek(size - 8)
            tail = file.read(8)
    except OSError:
        return False
    return head == tail[4:] == _MARK and int.from_bytes(tail[:4], "little") <= size - _LEAST


def _is_published(storage: "GraphRAGStorage", kept: "IndexMetadata", plan: "Plan") -> bool:
    from corpusgraph.flows.remembering import is_known, number_of_changes

    root = storage.storage_dir
    manifest = manifest_or_none(root)
    if manifest is None or manifest.generation != kept.generation or not has_all_parts(storage):
        return False
    # else communities and their reports do not know yet what was added by hand
    return is_known(number_of_changes(plan.study, root, root), manifest)
