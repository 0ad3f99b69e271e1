"""What an import tells about itself: counts, and what it repaired or had to leave out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.results import ToolWarning

SHOWN = 200
"""Records told of with each warning."""

_SAID: Mapping[str, str] = {
    "blob_left_out": "Columns of bytes were left out",
    "broken_line": "Lines could not be read and were left out",
    "broken_row": "Rows could not be read and were left out",
    "communities_made": "Communities and reports that the folder lacks were made",
    "context_left_out": "Contexts too deep or too large for a memory were left out",
    "duplicate_entity": "Entities that occur again were taken for one",
    "duplicate_relation": "Relationships that occur again were taken for one",
    "duplicate_edge": "Relationships that join the same entities again were kept beside the first",
    "duplicate_id": "Rows that share an id were kept apart; what names it means the first",
    "duplicate_row": "Rows that occur again were left out",
    "duplicate_title": "Entities that share a title were kept apart",
    "elsewhere_in_document": "Texts that do not stand in their document became documents of their own",
    "embeddings_left_out": "Columns of vectors were left out, and vectors were made anew",
    "missing_entity": "Relationships point to entities that are missing; these were made",
    "missing_table": "Tables are missing",
    "numbers_given_anew": "Numbers that are missing or occur twice were given anew",
    "unknown_reference": "References to rows that are not there were left out",
    "value_repaired": "Values outside their range were repaired",
    "without_type": "Entities without a type",
}


@dataclass
class Notes:
    """Collects what there is to warn of; one warning a code, in the order the codes came up."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, code: str, record: str) -> None:
        """Note that a condition holds of a record."""
        self.found.setdefault(code, []).append(record)

    def drop(self, code: str, record: str) -> None:
        """Take back what was noted of a record, if it was."""
        if record in self.found.get(code, ()):
            self.found[code].remove(record)
            self.found = {code: records for code, records in self.found.items() if records}

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Return one warning for each condition, with the first records it holds of."""
        return tuple(
            ToolWarning(
                code=code, message=f"{_SAID[code]}: {len(records):,}.", records=tuple(records[:SHOWN])
            )
            for code, records in self.found.items()
        )


class ImportReport(Noun):
    """What an import did: `generation` is that of a new index, `change` what was added to an old one."""

    index: str
    format: str = Field(description="graphrag, sqlite or jsonl, with its version where there is one")
    source: str = Field(description="the file or folder that was read")
    generation: str | None = None
    change: int | None = Field(default=None, description="number of the change in the journal; undo takes it")
    counts: dict[str, int] = Field(description="rows per table, or what was added")
    warnings: tuple[ToolWarning, ...] = ()
    path: str = Field(default="", description="folder of the index")


class ExportReport(Noun):
    """What an export wrote."""

    index: str
    format: str
    files: tuple[str, ...]
    counts: dict[str, int]
    warnings: tuple[ToolWarning, ...] = ()
