"""The sample study, as `make study` runs it: all kinds of dataset, none trivial, every file readable."""

from pathlib import Path

import pandas as pd
import pytest

from corpusgraph.flows import api
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.studies import load_study
from corpusgraph.schemas.run import StudyReport
from corpusgraph.schemas.study import CausalDataset
from tests.study import bundles

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "configs" / "studies" / "broad_street.yml"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def report(outputs: Path) -> StudyReport:
    return api.run(STUDY, outputs=outputs)


@pytest.fixture(scope="module")
def opened(report: StudyReport, outputs: Path) -> OpenIndex:
    return api.open(report.study, outputs)


def test_every_bundle_opens(report: StudyReport, outputs: Path) -> None:
    assert bundles.check_all(report, outputs) == bundles.KINDS


def test_it_is_not_trivial(report: StudyReport) -> None:
    counts = report.index.counts
    assert counts["documents"] == 25
    assert counts["failures"] == 0
    assert counts["entities"] > 500
    assert counts["claims"] > 100
    assert counts["arguments"] > 15
    assert counts["events"] > 80
    assert counts["communities"] > 20


def test_the_dag_holds_what_the_texts_say(report: StudyReport) -> None:
    folder = Path(next(d.path for d in report.datasets if d.name == "causes")) / "do_calculus"
    text = (folder / "dagitty.txt").read_text()
    for arrow in (
        ("contaminated_water", "cholera"),
        ("sewage", "contaminated_water"),
        ("poverty", "overcrowding"),
        ("dehydration", "deaths"),
    ):
        assert '"{}" -> "{}"'.format(*arrow) in text
    edges = {(r["source"], r["target"]): r for r in bundles.rows(folder / "edges.csv")}
    assert len(edges) >= 15


def test_the_circle_of_poverty_and_illness_is_reported(report: StudyReport) -> None:
    circle = next(d for d in report.datasets if d.name == "circle")
    warned = [w for w in circle.warnings if w.code == "cyclic_graph"]
    assert len(warned) == 1
    assert "poverty" in warned[0].message
    assert "illness" in warned[0].message
    assert not (Path(circle.path) / "dag" / "dagitty.txt").exists()


def test_every_variable_is_something_that_the_texts_name(opened: OpenIndex) -> None:
    named = {entity.name.casefold() for entity in opened.graph.entities}
    causal = [dataset for dataset in load_study(STUDY)[0].datasets if isinstance(dataset, CausalDataset)]
    variables = {name: aliases for dataset in causal for name, aliases in dataset.variables.items()}
    assert {name for name, aliases in variables.items() if not named & set(aliases)} == set()


def test_the_argument_network_has_both_sides(report: StudyReport) -> None:
    folder = Path(next(d.path for d in report.datasets if d.name == "dispute")) / "bipolar"
    claims = bundles.rows(folder / "claims.csv")
    assert {"accepted", "rejected"} <= {c["status"] for c in claims}
    kinds = {r["type"] for r in bundles.rows(folder / "relations.csv")}
    assert {"attack", "support"} <= kinds


def test_the_handle_comes_off_on_8_september(opened: OpenIndex) -> None:
    days = [e for e in opened.events if e.timestamp.startswith("1854-09-08")]
    assert any("handle" in e.text for e in days)


def test_the_events_have_activities_that_documents_share(report: StudyReport) -> None:
    folder = Path(next(d.path for d in report.datasets if d.name == "outbreak")) / "log"
    cases: dict[str, set[str]] = {}
    for event in bundles.rows(folder / "log.csv"):
        cases.setdefault(event["activity"], set()).add(event["case"])
    assert set(cases) == {"disease", "death", "inquiry", "report", "opinion", "law", "works"}
    assert min(map(len, cases.values())) > 2


def test_evidence_of_the_pdf_has_pages(opened: OpenIndex) -> None:
    pdf = next(d for d in opened.documents if d.source.endswith(".pdf"))
    assert {m.page for m in opened.mentions if m.document_id == pdf.id} == {1, 2}


def test_the_german_text_gives_names_and_no_relations_but_co_occurrence(opened: OpenIndex) -> None:
    german = next(d for d in opened.documents if d.language == "de")
    names = {m.name for m in opened.mentions if m.document_id == german.id}
    assert {"München", "Max von Pettenkofer"} <= names
    assert {a.type for a in opened.assertions if a.document_id == german.id} == {"co_occurs_with"}


def test_the_tables_of_the_water_companies_are_documents_with_numbers(opened: OpenIndex) -> None:
    deaths = {
        d.metadata.get("company"): d.metadata.get("deaths")
        for d in opened.documents
        if "company" in d.metadata
    }
    assert deaths["Rest of London"] == 1422


def test_every_finding_is_where_it_says(opened: OpenIndex) -> None:
    texts = {d.id: d.text for d in opened.documents}
    for mention in opened.mentions:
        assert texts[mention.document_id][mention.start : mention.end] == mention.surface
    for chunk in opened.graph.chunks:
        assert texts[chunk.source_doc][chunk.start : chunk.end] == chunk.content


def test_answers_cite_sentences_that_stand_there(report: StudyReport, opened: OpenIndex) -> None:
    texts = {d.id: d.text for d in opened.documents}
    for answer in report.answers:
        assert answer["citations"]
        for cited in answer["citations"]:
            there = texts[cited["document_id"]][cited["start"] : cited["end"]]
            assert " ".join(there.split()) == " ".join(cited["text"].split())


def test_the_graphrag_tables_have_their_rows(report: StudyReport, outputs: Path) -> None:
    output = outputs / report.study / "output"
    rows = {p.stem: len(pd.read_parquet(p)) for p in output.glob("*.parquet")}
    assert rows["entities"] == report.index.counts["entities"]
    assert rows["text_units"] == report.index.counts["chunks"]


def test_a_second_run_does_nothing_and_says_the_same(report: StudyReport, outputs: Path) -> None:
    files = {p: p.read_bytes() for p in (outputs / report.study / "datasets").rglob("*") if p.is_file()}
    again = api.run(STUDY, outputs=outputs)
    assert again.index.up_to_date
    assert again.answers == report.answers
    assert [d.fingerprint for d in again.datasets] == [d.fingerprint for d in report.datasets]
    assert files == {
        p: p.read_bytes() for p in (outputs / report.study / "datasets").rglob("*") if p.is_file()
    }


@pytest.mark.faults
def test_made_again_elsewhere_it_has_the_same_bytes(
    report: StudyReport, outputs: Path, tmp_path: Path
) -> None:
    other = api.run(STUDY, outputs=tmp_path, batch_documents=3)
    assert other.index.generation == report.index.generation

    def files(home: Path) -> dict[str, bytes]:
        below = [p for part in ("datasets", "output") for p in (home / report.study / part).rglob("*")]
        return {str(p.relative_to(home)): p.read_bytes() for p in below if p.is_file()}

    assert files(tmp_path) == files(outputs)
