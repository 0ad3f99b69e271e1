"""What a run would ask a language model and for how much, before anything is paid.

Extraction is known exactly: a prompt for each chunk. What follows depends on what extraction finds. Where
the replies are in the response cache already, it is known as well; elsewhere the rules read the documents in
the model's place, and the numbers are a guess.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pydantic import BaseModel

from corpusgraph.flows.annotate.offline import ReadingOptions
from corpusgraph.flows.extraction import STAGE as EXTRACT
from corpusgraph.flows.extraction import (
    Extracted,
    Job,
    extraction_fingerprint,
    grouped,
    key_of,
    make_extractor,
    read_extracted,
    to_bytes,
)
from corpusgraph.flows.files.cache import StageCache
from corpusgraph.flows.language import RunModel, with_model
from corpusgraph.flows.load import load_all, scan
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.run import Estimate, StageEstimate
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Study

if TYPE_CHECKING:
    from corpusgraph.tasks.build.aggregate import Derived

Read = tuple[Document, Sequence[Chunk]]


def estimate_index(study: Study, base: Path, *, settings: Settings, sample: int = 0) -> Estimate:
    """Return what indexing a study's corpus would ask and cost, stage by stage.

    Tokens out are taken from replies of the same kind that the response cache has, else guessed.

    Parameters
    ----------
    study : Study
        With its profile, unless the settings name one.
    base : Path
        Folder that its paths start at.
    settings : Settings
        Where indexes are; budget and profile.
    sample : int, default 0
        Chunks that are really asked first. What they cost is part of the run, which finds their replies in
        the cache.

    Returns
    -------
    Estimate
        Calls, tokens and US dollars by stage; costs are None where no price is known.

    Raises
    ------
    InvalidInputError
        Where there is no language model.
    MissingResourceError
        With a sample, for a key that is not set.

    """
    settled, model = with_model(study, base, settings, needs_key=sample > 0)
    if model is None:
        hint = "Give --profile NAME; `corpusgraph profile list` shows them."
        raise InvalidInputError("Without a language model a run costs nothing.", hint=hint)
    with model.client:
        return _Estimating(settled, base, model, settings).estimate(sample)


@dataclass
class _Estimating:
    study: Study
    base: Path
    model: RunModel
    settings: Settings
    stages: list[StageEstimate] = field(default_factory=list)

    def estimate(self, sample: int) -> Estimate:
        """Go through the stages of a run."""
        client, exact = self.model.client, True
        if self.model.extracts:
            if sample:
                self._ask_some(sample)
            exact = self._extraction()
        self._later(exact=exact)
        price, seen = client.price, client.ratios().n
        return Estimate(
            study=self.study.study,
            model=client.name,
            stages=tuple(self.stages),
            input_price=price.input if price else None,
            output_price=price.output if price else None,
            completions=f"{seen} replies seen" if seen else "no replies seen: half of the tokens in, a guess",
            budget=self.settings.budget or client.profile.limits.budget,
        )

    def _documents(self) -> Iterator[Document]:
        sources = scan(self.study.corpus, self.base)
        found = load_all(sources, self.study.corpus, self.base)
        return (document for document in found if isinstance(document, Document))

    def _cut(self) -> Iterator[list[Read]]:
        """Yield the documents with their chunks, a batch at a time."""
        from corpusgraph.tasks.build.chunk import chunk_document

        for group in grouped(self._documents(), self.settings.batch_documents):
            yield [(document, chunk_document(document, self.study.index.chunking)) for document in group]

    @cached_property
    def _job(self) -> Job:
        """What decides where a run keeps what it extracts."""
        options = self.study.index
        folder = IndexStore(self.settings.outputs).folder(self.study.study) / "cache"
        print_ = extraction_fingerprint(options, self.base, self.model)
        return Job(cache=folder, chunking=options.chunking, fingerprint=print_)

    def _kept(self, document: Document) -> Extracted | None:
        """Return what an earlier run extracted from a document."""
        return read_extracted(StageCache(self._job.cache), key_of(self._job, document))

    def _waiting(self) -> Iterator[list[Read]]:
        for group in self._cut():
            yield [(document, chunks) for document, chunks in group if self._kept(document) is None]

    def _read_into(self, cache: StageCache, keys: list[str]) -> Iterator[Extracted]:
        """Read the documents once, keeping what is found for the second pass as a run does."""
        for item in self._read():
            keys.append(item.document.id)
            cache.put(EXTRACT, item.document.id, to_bytes(item))
            yield item

    def _ask_some(self, sample: int) -> None:
        """Ask about chunks evenly spread over those to come."""
        from corpusgraph.tasks.extract.llm.prompts import SaidEvidence

        open_ = []
        for group in self._waiting():
            for document, chunks in group:
                cached = self.model.client.cached(
                    self.model.extractor.prompts(document, chunks), SaidEvidence
                )
                open_ += [(document, c) for c, known in zip(chunks, cached, strict=True) if not known]
        step = max(1, len(open_) // sample)
        chosen = [(document, [chunk]) for document, chunk in open_[::step][:sample]]
        with self.model.client.stage(EXTRACT):
            self.model.extractor.extract_all(chosen)
        self.model.go_on()

    def _extraction(self) -> bool:
        """Count the chunks to ask about; whether all replies are there already."""
        from corpusgraph.tasks.extract.llm.prompts import SaidEvidence

        exact = self.model.options.gleanings == 0
        total = StageEstimate(stage=EXTRACT, cost=0.0, exact=exact)
        for group in self._waiting():
            prompts = [
                p for document, chunks in group for p in self.model.extractor.prompts(document, chunks)
            ]
            total = _sum(total, self._stage(EXTRACT, prompts, SaidEvidence))
        rounds = 1 + self.model.options.gleanings
        if (
            not exact and total.calls
        ):  # every round sends the passage again; it ends early where nothing is new
            cost = None if total.cost is None else rounds * total.cost
            more = {
                name: rounds * getattr(total, name)
                for name in ("calls", "prompt_tokens", "completion_tokens")
            }
            total = total.model_copy(update={**more, "cost": cost})
        self.stages.append(total)
        return total.calls == 0

    def _stage(
        self, stage: str, prompts: Sequence[Prompt], answer: type[BaseModel], *, exact: bool = True
    ) -> StageEstimate:
        needed = self.model.client.estimate(prompts, answer)
        return StageEstimate(
            stage=stage,
            calls=needed.calls,
            reused=len(prompts) - needed.calls,
            prompt_tokens=needed.prompt_tokens,
            completion_tokens=needed.completion_tokens,
            cost=needed.cost,
            exact=exact,
        )

    def _read(self) -> Iterator[Extracted]:
        """Yield what is known of each document: the model's reading where it is paid for, else the rules'."""
        from corpusgraph.tasks.extract.llm.prompts import SaidEvidence

        rules, extractor = (
            make_extractor(ReadingOptions.of(self.study.index, self.base), None),
            self.model.extractor,
        )
        for document, chunks in (read for group in self._cut() for read in group):
            kept = self._kept(document)
            if kept is None:
                prompts = extractor.prompts(document, chunks) if self.model.extracts else []
                paid = self.model.extracts and all(self.model.client.cached(prompts, SaidEvidence))
                found = extractor.extract_all([(document, chunks)])[0].evidence if paid else None
                evidence = found or rules.extract(document, chunks)
                kept = Extracted(document=document, chunks=tuple(chunks), evidence=evidence)
            yield kept

    def _later(self, *, exact: bool) -> None:
        """Count what deciding on names, describing and reporting ask."""
        from corpusgraph.tasks.build.communities import find_communities
        from corpusgraph.tasks.build.llm.describe import SaidDescription, describe, describe_prompts
        from corpusgraph.tasks.build.llm.report import ReportPrompts, SaidReport

        options, prompts, client = self.model.options, self.model.prompts, self.model.client
        titles: dict[str, str] = {}
        with TemporaryDirectory() as folder:
            derived, exact = self._derive(StageCache(Path(folder)), titles, exact=exact)
        asked = describe_prompts(derived, options, hint=prompts.summary)
        self.stages.append(self._stage("aggregate", asked, SaidDescription, exact=exact))
        if exact and self.stages[-1].calls == 0 and asked:
            derived, _ = describe(client, derived, options, hint=prompts.summary)
        if options.reports:
            graph = (derived.entities, derived.relationships)
            found = find_communities(*graph, self.study.index.communities)
            given = (found, *graph, derived.passages, options)
            asked = ReportPrompts(*given, hint=prompts.report, titles=titles).prompts()
            self.stages.append(self._stage("reports", asked, SaidReport, exact=exact))

    def _derive(self, cache: StageCache, titles: dict[str, str], *, exact: bool) -> "tuple[Derived, bool]":
        """Return the graph there would be, and whether it is the one that there will be."""
        from corpusgraph.tasks.build.derive import Derivation
        from corpusgraph.tasks.build.llm.same import SaidPairs, decide, pair_prompts, same_pairs
        from corpusgraph.tasks.build.resolve import resolve
        from corpusgraph.tasks.build.survey import survey

        options, rules = self.model.options, self.study.index.resolution
        decides = options.resolution and rules.enabled
        keys: list[str] = []
        read = ((item.document, item.evidence) for item in self._read_into(cache, keys))
        gathered = survey(read, contexts=decides, closed=self.model.is_closed)
        decided = []
        if decides:
            pairs = same_pairs(gathered, rules)
            stage = self._stage("resolve", pair_prompts(pairs, options), SaidPairs, exact=exact)
            self.stages.append(stage)
            exact = exact and stage.calls == 0
            decided = decide(self.model.client, pairs, options)[0] if exact else []
        derivation = Derivation(
            resolve(gathered, rules, decided),
            self.study.index.min_confidence,
            description_tokens=options.description_tokens,
        )
        for item in filter(None, (read_extracted(cache, key) for key in keys)):
            titles[item.document.id] = item.document.title
            derivation.link(item.document, item.chunks, item.evidence)
        return derivation.finish(), exact


def _sum(one: StageEstimate, other: StageEstimate) -> StageEstimate:
    counts = ("calls", "reused", "prompt_tokens", "completion_tokens")
    total = {name: getattr(one, name) + getattr(other, name) for name in counts}
    known = one.cost is not None and other.cost is not None
    return one.model_copy(
        update={**total, "cost": (one.cost or 0.0) + (other.cost or 0.0) if known else None}
    )
