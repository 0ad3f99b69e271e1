"""The state of one indexing run and the work of its stages. Memory grows with the batch and the graph."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.annotate.offline import ReadingOptions
from corpusgraph.flows.engine import Engine
from corpusgraph.flows.extraction import Extracted, grouped, read_extracted
from corpusgraph.flows.given import Given
from corpusgraph.flows.models import RunModel
from corpusgraph.flows.remembering import Heard, Remembered, with_memory
from corpusgraph.flows.resources.cache import StageCache
from corpusgraph.flows.resources.latevectors import add_embedded
from corpusgraph.flows.resources.writer import GenerationWriter
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.errors import OutputError
from corpusgraph.schemas.evidence import PUT_FORWARD, Evidence
from corpusgraph.schemas.graph import Community, CommunityReport
from corpusgraph.schemas.ports import Embedder
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study
from corpusgraph.tasks.graph.ranking import is_lexical
from corpusgraph.tasks.index.communities import find_communities
from corpusgraph.tasks.index.derive import Derivation, Derived, Linked, settled
from corpusgraph.tasks.index.embedded import chunk_text, entity_text, relationship_text, report_text
from corpusgraph.tasks.index.reports import write_reports
from corpusgraph.tasks.index.resolve import Resolved, resolve
from corpusgraph.tasks.index.survey import Survey, survey
from corpusgraph.tasks.text.languages import UNDETERMINED

if TYPE_CHECKING:
    from corpusgraph.tasks.index.llm.same import Decision

EVIDENCE = (
    "documents",
    "chunks",
    "mentions",
    "assertions",
    "claims",
    "arguments",
    "events",
    "incidence",
    "merges",
)
"""Tables that are complete once every document is linked."""


@dataclass
class IndexRun:
    """What the stages hand on to each other; each lets go of what no later one needs."""

    study: Study
    base: Path
    given: Given
    settings: Settings
    engine: Engine
    progress: Progress
    writer: GenerationWriter
    cache: StageCache
    embedder: Embedder
    model: RunModel | None = None
    retry: bool = False
    heard: Heard = field(default_factory=Heard)
    """What was added by hand: communities know of it, the tables hold the corpus alone."""
    failures: list[Failure] = field(default_factory=list)
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    keys: dict[str, str] = field(default_factory=dict)
    fresh: list[str] = field(default_factory=list)
    languages: Counter[str] = field(default_factory=Counter)
    """How many documents are in each language; "und" where it is not known."""
    n_crashed: int = 0
    parses: set[str] = field(default_factory=set)
    """Keys of the parses of the documents that are there."""
    fresh_parses: list[str] = field(default_factory=list)
    warnings: tuple[ToolWarning, ...] = ()
    resolved: Resolved | None = None
    supposed: list[JsonDict] = field(default_factory=list)
    """Rows of assertions supposed or asked: written once it is known which relationships there are."""
    derived: Derived | None = None
    remembered: Remembered | None = None
    found: list[Community] = field(default_factory=list)
    reports: list[CommunityReport] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)

    def extracted(self) -> Iterator[Extracted]:
        """Read what was extracted, document by document in order of id."""
        for document_id in sorted(self.keys):
            found = read_extracted(self.cache, self.keys[document_id])
            if found is None:
                raise OutputError(
                    f"What was extracted from {document_id} is gone from the cache.", hint="Run again."
                )
            yield found

    def resolve(self) -> str:
        """Decide which names are one entity."""
        closed = self.model is not None and self.model.is_closed
        gathered = survey(self._read_once(), contexts=self._decides, closed=closed)
        decided = self._decided(gathered)
        resolution = self.study.index.resolution
        self.resolved = resolve(gathered, resolution, decided) if decided else resolve(gathered, resolution)
        self.writer.add("merges", self.resolved.merges)
        self.failures += [noted(warning) for warning in self.resolved.warnings]
        return f"{len(self.resolved.merges):,} merges"

    @property
    def _decides(self) -> bool:
        """Whether the language model decides on names that the rules are unsure of."""
        rules = self.study.index.resolution
        return self.model is not None and self.model.options.resolution and rules.enabled

    def _read_once(self) -> Iterator[tuple[Document, Evidence]]:
        """Read what was extracted, and put what of it failed or was left out into the ledger."""
        for item in self.extracted():
            self.failures += item.failures
            yield item.document, item.evidence

    def _decided(self, gathered: Survey) -> "Sequence[Decision]":
        """Let the language model decide on the names that the rules are unsure of."""
        model = self.model
        if model is None or not self._decides:
            return ()
        from corpusgraph.tasks.index.llm.same import decide, same_pairs

        pairs = same_pairs(gathered, self.study.index.resolution)
        decided, failures = decide(model.client, pairs, model.options)
        self.failures += failures
        return decided

    def derive(self) -> str:
        """Link the evidence to entities, document by document, and sum it up to a graph."""
        assert self.resolved is not None  # noqa: S101 - the stages run in order
        options = self.study.index
        most = options.llm.description_tokens
        derivation = Derivation(self.resolved, options.min_confidence, description_tokens=most)
        for group in grouped(self.extracted(), self.settings.batch_documents):
            self._write_linked(derivation, group)
        self.resolved = None
        self.derived = derivation.finish()
        self.writer.add("assertions", settled(self.supposed, self.derived))
        self.supposed = []
        self.writer.finish(*EVIDENCE)
        return f"{len(self.derived.entities):,} entities, {len(self.derived.relationships):,} relationships"

    def _write_linked(self, derivation: Derivation, group: Sequence[Extracted]) -> None:
        linked = [derivation.link(item.document, item.chunks, item.evidence) for item in group]
        self.heard.hear(linked)
        self.languages.update(item.document.language or UNDETERMINED for item in group)
        add = self.writer.add
        add("documents", [item.document for item in group])
        chunks = [
            chunk
            for item, one in zip(group, linked, strict=True)
            for chunk in with_contents(item.chunks, one)
        ]
        titles = {item.document.id: item.document.title for item in group}
        if self.model is not None:
            self.titles |= titles
        texts = [chunk_text(titles[chunk.source_doc], chunk.content) for chunk in chunks]
        add("chunks", chunks, self.embedder.embed(texts))
        add("mentions", [row for one in linked for row in one.mentions])
        asserted = [row for one in linked for row in one.assertions]
        add("assertions", [row for row in asserted if row["modality"] in PUT_FORWARD])
        self.supposed += [row for row in asserted if row["modality"] not in PUT_FORWARD]
        if self.study.index.claims:
            add("claims", [row for one in linked for row in one.claims])
            add("arguments", [row for one in linked for row in one.arguments])
        add("events", [row for one in linked for row in one.events])
        add("incidence", [row for one in linked for row in one.incidence])

    def describe(self) -> str:
        """Let the language model make one of the descriptions of an item that are too many."""
        assert self.derived is not None  # noqa: S101 - the stages run in order
        if self.model is None:
            return "no language model"
        from corpusgraph.tasks.index.llm.describe import describe

        model = self.model
        self.derived, failures = describe(
            model.client, self.derived, model.options, hint=model.prompts.summary
        )
        self.failures += failures
        return f"{len(self.derived.descriptions):,} items with descriptions"

    def communities(self) -> str:
        """Find communities."""
        assert self.derived is not None  # noqa: S101 - the stages run in order
        graph = self.remembered = with_memory(self.derived, self.heard)
        self.found = find_communities(graph.entities, graph.relationships, self.study.index.communities)
        return f"{len(self.found):,} communities"

    def write_reports(self) -> str:
        """Write the communities' reports: by the language model, or from their best sentences."""
        assert self.remembered is not None  # noqa: S101 - the stages run in order
        graph, model = self.remembered, self.model
        given = (self.found, graph.entities, graph.relationships, graph.passages)
        if model is None or not model.options.reports:
            self.reports = write_reports(*given)
            return f"{len(self.reports):,} reports"
        from corpusgraph.tasks.index.llm.report import with_reports, write_model_reports

        self.reports, failures = write_model_reports(
            model.client,
            *given,
            model.options,
            hint=model.prompts.report,
            titles=self.titles | dict(graph.titles),
        )
        self.found = with_reports(self.found, self.reports)
        self.failures += failures
        written = sum(report.method != "extractive" for report in self.reports)
        return f"{len(self.reports):,} reports, {written:,} written by {model.client.name}"

    def embed(self) -> str:
        """Write entities, relationships, communities and reports, embedded unless that waits for a search."""
        assert self.derived is not None  # noqa: S101 - the stages run in order
        names = {entity.id: entity.name for entity in self.derived.entities}
        alone = not is_lexical(self.embedder)
        add = partial(add_embedded, self.writer, self.embedder)
        add("entities", self.derived.entities, partial(entity_text, alone=alone))
        add("relationships", self.derived.relationships, relationship_text(names, alone=alone))
        self.writer.add("communities", self.found)
        add("reports", self.reports, partial(report_text, alone=alone))
        self.writer.add("failures", self.failures)
        self.derived, self.remembered, self.found, self.reports = None, None, [], []
        return f"{self.embedder.name}"


def noted(warning: ToolWarning) -> Failure:
    """Make a line of the ledger of what resolution has to tell."""
    about = ", ".join(warning.records) or warning.code
    return Failure(source="", stage="resolve", code=warning.code, message=warning.message, item=about)


def with_contents(chunks: Sequence[Chunk], linked: Linked) -> list[Chunk]:
    """Tell each chunk its entities, in text order, and the relationships stated in it."""
    entities: dict[str, list[str]] = defaultdict(list)
    for row in sorted(linked.incidence, key=lambda row: (row["first_start"], row["entity_id"])):
        entities[row["chunk_id"]].append(row["entity_id"])
    relationships: dict[str, dict[str, None]] = defaultdict(dict)
    for row in linked.assertions:
        if row["relationship_id"] and row["modality"] in PUT_FORWARD:
            relationships[row["chunk_id"]][row["relationship_id"]] = None
    return [
        chunk.model_copy(
            update={"entities": tuple(entities[chunk.id]), "relationships": tuple(relationships[chunk.id])}
        )
        for chunk in chunks
    ]
