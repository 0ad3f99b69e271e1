"""A study with a language model: what it costs first, again, after a change, and within a budget."""

import json
from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.estimate import estimate_index
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.errors import BudgetExhaustedError, InvalidInputError, ModelUnavailableError
from corpusgraph.schemas.settings import Settings
from tests.faults.server import FaultServer
from tests.modelruns.corpus import asked, digests, index, study_of, text, write_corpus, write_profile

N = 5


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", N)


def test_a_model_reads_every_chunk_once_and_its_use_is_told(tmp_path: Path, corpus: Path) -> None:
    with FaultServer() as server:
        profile = write_profile(tmp_path, server)
        report = index(study_of(corpus), tmp_path / "out", profile)
        assert asked(server).count("extract") == report.counts["chunks"]
        used = {stage.stage: stage for stage in report.usage}
        assert used["extract"].calls == report.counts["chunks"]
        assert sum(stage.calls for stage in report.usage) == len(server.calls)
        told = [(c.prompt_tokens, c.completion_tokens) for c in server.calls]
        spent = sum((n + 2 * m) / 1e6 for n, m in told)
        assert sum(stage.cost or 0 for stage in report.usage) == pytest.approx(spent)
    assert report.n_failures == 0
    manifest = api.open("letters", tmp_path / "out").manifest
    assert manifest.facts["usage"] == [stage.model_dump() for stage in report.usage]
    assert report.counts["entities"] > 6
    assert any(r.method == "test-model" for r in api.open("letters", tmp_path / "out").graph.reports)


def test_an_unchanged_corpus_costs_no_call_even_when_it_is_built_anew(tmp_path: Path, corpus: Path) -> None:
    with FaultServer() as server:
        profile = write_profile(tmp_path, server)
        first = index(study_of(corpus), tmp_path / "out", profile)
        server.reset()
        assert index(study_of(corpus), tmp_path / "out", profile).up_to_date
        again = index(study_of(corpus), tmp_path / "out", profile, rebuild=True)
        assert server.calls == []
    assert again.generation == first.generation
    assert all(stage.calls == 0 for stage in again.usage)


def test_a_document_added_costs_its_chunks_and_the_communities_it_changes(
    tmp_path: Path, corpus: Path
) -> None:
    with FaultServer() as server:
        profile = write_profile(tmp_path, server)
        index(study_of(corpus), tmp_path / "out", profile)
        before = {c.id: c.entity_ids for c in api.open("letters", tmp_path / "out").graph.communities}
        server.reset()
        (corpus / "new.txt").write_text("Jane Marcet taught Caroline Fox. Caroline Fox admired Jane Marcet.")
        report = index(study_of(corpus), tmp_path / "out", profile)
        assert asked(server).count("extract") == 1
        assert report.n_extracted == 1
        now = api.open("letters", tmp_path / "out").graph.communities
        changed = [c for c in now if before.get(c.id) != c.entity_ids]
        assert asked(server).count("report") <= len(changed)
        fresh = index(study_of(corpus), tmp_path / "fresh", profile)
    assert fresh.generation == report.generation


def test_the_estimate_counts_calls_exactly_and_tokens_within_a_tenth(tmp_path: Path) -> None:
    study, settings = study_of(write_corpus(tmp_path / "corpus", 12)), Settings(outputs=tmp_path / "out")
    with FaultServer() as server:
        settings = settings.model_copy(update={"profile": write_profile(tmp_path, server)})
        estimate_index(study, tmp_path, settings=settings)
        assert server.calls == []
        told = estimate_index(study, tmp_path, settings=settings, sample=8).stages[0]
        assert (len(server.calls), told.reused, told.exact) == (8, 8, True)
        report = index(study, tmp_path / "out", str(settings.profile))
        server.reset()
        after = estimate_index(study, tmp_path, settings=settings)
        assert server.calls == []
    spent = report.usage[0]
    assert told.calls == spent.calls
    assert told.prompt_tokens == pytest.approx(spent.prompt_tokens, rel=0.1)
    assert told.completion_tokens == pytest.approx(spent.completion_tokens, rel=0.1)
    assert told.cost == pytest.approx(spent.cost, rel=0.1)
    assert all((stage.calls, stage.exact) == (0, True) for stage in after.stages)
    by_stage = {stage.stage: stage.reused for stage in after.stages}
    assert by_stage["reports"] == {s.stage: s.calls for s in report.usage}["reports"]


def test_what_follows_extraction_is_estimated_exactly_once_extraction_is_paid_for(
    tmp_path: Path, corpus: Path
) -> None:
    settings = Settings(outputs=tmp_path / "out")
    with FaultServer() as server:
        settings = settings.model_copy(update={"profile": write_profile(tmp_path, server)})
        estimate_index(study_of(corpus), tmp_path, settings=settings, sample=10_000)
        told = {
            stage.stage: stage
            for stage in estimate_index(study_of(corpus), tmp_path, settings=settings).stages
        }
        server.reset()
        report = index(study_of(corpus), tmp_path / "out", str(settings.profile))
        assert asked(server, "extract") == []
    for stage in report.usage:
        if told.get(stage.stage) is not None and told[stage.stage].exact:
            assert stage.calls == told[stage.stage].calls
    assert told["extract"].calls == 0


def test_a_budget_stops_the_run_and_the_next_one_goes_on_without_paying_twice(
    tmp_path: Path, corpus: Path
) -> None:
    with FaultServer() as server:
        profile = write_profile(tmp_path, server)
        with pytest.raises(BudgetExhaustedError) as stopped:
            index(study_of(corpus), tmp_path / "out", profile, budget=0.01)
        spent = sum((c.prompt_tokens + 2 * c.completion_tokens) / 1e6 for c in server.calls)
        assert 0.004 < spent <= 0.01
        assert "budget" in str(stopped.value)
        assert "--budget" in str(stopped.value.hint)
        assert IndexStore(tmp_path / "out").list() == []
        report = index(study_of(corpus), tmp_path / "out", profile)
        assert server.stats()["n_repeated"] == 0
        prompts = [call.prompt for call in server.calls]
    assert len(prompts) == len(set(prompts))
    assert report.n_failures == 0


def test_an_endpoint_that_is_down_stops_the_run_and_leaves_the_index_as_it_was(
    tmp_path: Path, corpus: Path
) -> None:
    with FaultServer() as server:
        profile = write_profile(tmp_path, server, attempts=2, breaker=2, cool_down=0.05)
        before = index(study_of(corpus), tmp_path / "out", profile)
        (corpus / "more.txt").write_text(text(77))
        with server.away(), pytest.raises(ModelUnavailableError, match="does not answer"):
            index(study_of(corpus), tmp_path / "out", profile)
        assert api.open("letters", tmp_path / "out").manifest.generation == before.generation
        assert index(study_of(corpus), tmp_path / "out", profile).counts["documents"] == N + 1


def test_a_refused_key_is_said_at_once(tmp_path: Path, corpus: Path) -> None:
    with FaultServer(key="right") as server:
        with pytest.raises(ModelUnavailableError, match="refuses the key"):
            index(study_of(corpus), tmp_path / "out", write_profile(tmp_path, server))
        assert len(server.calls) <= 16


def test_failed_chunks_are_in_the_ledger_and_are_read_again_on_request(tmp_path: Path, corpus: Path) -> None:
    with FaultServer() as good:
        right = index(study_of(corpus), tmp_path / "right", write_profile(tmp_path, good))
        wanted = digests(tmp_path / "right")
    with FaultServer({"refusal": 0.5}, seed=3) as server:
        profile = write_profile(tmp_path, server)
        report = index(study_of(corpus), tmp_path / "out", profile)
        lines = (tmp_path / "out" / "letters" / "failures.jsonl").read_text().splitlines()
        failed = {one["item"] for one in map(json.loads, lines) if one["stage"] == "extract" and one["retry"]}
        assert report.n_retry > 0
        assert failed <= {chunk.id for chunk in api.open("letters", tmp_path / "out").graph.chunks}
        assert asked(server).count("extract") >= report.counts["chunks"]
        assert index(study_of(corpus), tmp_path / "out", profile).up_to_date
        server.set()
        server.reset()
        again = api.retry_failed("letters", outputs=tmp_path / "out")
        assert asked(server).count("extract") == len(failed)
    assert again.n_failures == 0
    assert digests(tmp_path / "out") == wanted
    assert again.generation == right.generation


def test_without_a_model_there_is_nothing_to_estimate(tmp_path: Path, corpus: Path) -> None:
    with pytest.raises(InvalidInputError, match="costs nothing"):
        estimate_index(study_of(corpus), tmp_path, settings=Settings(outputs=tmp_path / "out"))


def test_a_study_that_wants_a_model_says_when_no_profile_names_one(tmp_path: Path, corpus: Path) -> None:
    study = study_of(corpus)
    study = study.model_copy(update={"index": study.index.model_copy(update={"extractor": "llm"})})
    with pytest.raises(InvalidInputError, match="needs a profile"):
        api.index(study, outputs=tmp_path / "out")


def test_rules_may_read_and_a_model_report(tmp_path: Path, corpus: Path) -> None:
    study = study_of(corpus)
    study = study.model_copy(update={"index": study.index.model_copy(update={"extractor": "offline"})})
    with FaultServer() as server:
        report = index(study, tmp_path / "out", write_profile(tmp_path, server))
        assert asked(server, "extract") == []
        assert asked(server).count("report") == {s.stage: s for s in report.usage}["reports"].calls > 0


def test_in_a_strict_ontology_a_title_makes_no_entity_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.md").write_text(
        "---\ntitle: Grand Voyage\n---\nAda Lovelace visited Charles Babbage in London."
    )
    kinds = {"entities": {"person": {"description": "a human being"}}}
    found = {}
    with FaultServer() as server:
        profile = write_profile(tmp_path, server)
        for name, ontology in (("open", {}), ("closed", kinds)):
            index(study_of(folder, name, ontology=ontology), tmp_path / "out", profile)
            found[name] = {entity.name for entity in api.open(name, tmp_path / "out").graph.entities}
    assert "Grand Voyage" in found["open"]
    assert "Ada Lovelace" in found["closed"]
    assert "Grand Voyage" not in found["closed"]
