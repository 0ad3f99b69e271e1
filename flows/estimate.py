"""What a run would ask a language model and for how much, before anything is paid.

Extraction is known exactly: a prompt for each chunk. What follows depends on what extraction finds. Where
the replies are in the response cache already, it is known as well; elsewhere the rules read the documents in
the model's place, and the numbers are a guess.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
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
from corpusgraph.schemas.llm import Prompt, Usage
from corpusgraph.schemas.run import Estimate, StageEstimate
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Study
from corpusgraph.tasks.extract.llm.prompts import SaidEvidence

if TYPE_CHECKING:
    from corpusgraph.tasks.build.aggregate import Derived

Read = tuple[Document, Sequence[Chunk], Extracted | None]
"""A document, its chunks, and what an earlier run extracted from it."""


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

    def _read(self) -> Iterator[Read]:
        from corpusgraph.tasks.build.chunk import chunk_document

        options, corpus = self.study.index, self.study.corpus
        folder = IndexStore(self.settings.outputs).folder(self.study.study) / "cache"
        print_ = extraction_fingerprint(options, self.base, self.model)
        job = Job(cache=folder, chunking=options.chunking, fingerprint=print_)
        for document in load_all(scan(corpus, self.base), corpus, self.base):
            if isinstance(document, Document):
                known = read_extracted(StageCache(folder), key_of(job, document))
                yield document, chunk_document(document, options.chunking), known

    def _waiting(self) -> Iterator[tuple[Document, Sequence[Chunk], list[Prompt]]]:
        """Yield the documents that no earlier run read, with a prompt for each chunk."""
        for document, chunks, known in self._read():
            if known is None:
                yield document, chunks, self.model.extractor.prompts(document, chunks)

    def _ask_some(self, sample: int) -> None:
        """Ask about chunks evenly spread over those to come."""
        open_ = []
        for document, chunks, prompts in self._waiting():
            cached = self.model.client.cached(prompts, SaidEvidence)
            open_ += [(document, [c]) for c, known in zip(chunks, cached, strict=True) if not known]
        step = max(1, len(open_) // sample)
        with self.model.client.stage(EXTRACT):
            self.model.extractor.extract_all(open_[::step][:sample])
        self.model.go_on()

    def _extraction(self) -> bool:
        """Count the chunks to ask about; whether all replies are there already."""
        # Every round sends the passages again; it ends early where nothing is new.
        rounds = 1 + self.model.options.gleanings
        groups = grouped((prompts for *_, prompts in self._waiting()), self.settings.batch_documents)
        batches = (list(chain.from_iterable(group)) for group in groups)
        return self._count(EXTRACT, batches, SaidEvidence, exact=rounds == 1, rounds=rounds) == 0

    def _count(
        self,
        stage: str,
        batches: Iterable[Sequence[Prompt]],
        answer: type[BaseModel],
        *,
        exact: bool,
        rounds: int = 1,
    ) -> int:
        """Add what a stage asks to the estimate, and return the calls of it."""
        needed = [(len(prompts), self.model.client.estimate(prompts, answer)) for prompts in batches]
        usage = sum([one for _, one in needed] * rounds, Usage())
        reused = sum(n - one.calls for n, one in needed)
        self.stages.append(StageEstimate(stage=stage, reused=reused, exact=exact, **dict(usage)))
        return usage.calls

    def _read_into(self, cache: StageCache) -> Iterator[str]:
        """Read each document once: what the model found where that is paid for, else what the rules find.

        It is kept, as a run keeps it.
        """
        rules = make_extractor(ReadingOptions.of(self.study.index, self.base), None)
        for document, chunks, known in self._read():
            item, extractor = known, self.model.extractor
            if item is None:
                paid = self.model.extracts and all(
                    self.model.client.cached(extractor.prompts(document, chunks), SaidEvidence)
                )
                found = extractor.extract_all([(document, chunks)])[0].evidence if paid else None
                evidence = found or rules.extract(document, chunks)
                item = Extracted(document=document, chunks=tuple(chunks), evidence=evidence)
            cache.put(EXTRACT, document.id, to_bytes(item))
            yield document.id

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
        if self._count("aggregate", [asked], SaidDescription, exact=exact) == 0 and exact and asked:
            derived, _ = describe(client, derived, options, hint=prompts.summary)
        if options.reports:
            graph = (derived.entities, derived.relationships)
            communities = find_communities(*graph, self.study.index.communities)
            given = (communities, *graph, derived.passages, options)
            asked = ReportPrompts(*given, hint=prompts.report, titles=titles).prompts()
            self._count("reports", [asked], SaidReport, exact=exact)

    def _derive(self, cache: StageCache, titles: dict[str, str], *, exact: bool) -> "tuple[Derived, bool]":
        """Return the graph there would be, and whether it is the one that there will be."""
        from corpusgraph.tasks.build.derive import Derivation
        from corpusgraph.tasks.build.llm.same import SaidPairs, decide, pair_prompts, same_pairs
        from corpusgraph.tasks.build.reliance import agreeing, relied_on
        from corpusgraph.tasks.build.resolve import resolve
        from corpusgraph.tasks.build.survey import survey

        options, rules = self.model.options, self.study.index.resolution
        decides = options.resolution and rules.enabled
        keys, least = list(self._read_into(cache)), self.study.index.min_confidence

        def items() -> Iterator[Extracted]:
            return filter(None, (read_extracted(cache, key) for key in keys))

        agreed = agreeing((item.evidence for item in items()), least)
        evidence = ((item.document, relied_on(item.evidence, least, agreed)) for item in items())
        gathered = survey(evidence, contexts=decides, closed=self.model.is_closed)
        decided = []
        if decides:
            pairs = same_pairs(gathered, rules)
            exact &= self._count("resolve", [pair_prompts(pairs, options)], SaidPairs, exact=exact) == 0
            decided = decide(self.model.client, pairs, options)[0] if exact else []
        most = options.description_tokens
        derivation = Derivation(resolve(gathered, rules, decided), least, description_tokens=most)
        for item in items():
            titles[item.document.id] = item.document.title
            derivation.link(item.document, item.chunks, relied_on(item.evidence, least, agreed))
        return derivation.finish(), exact
