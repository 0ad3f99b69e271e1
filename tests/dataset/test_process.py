"""Process traces read off a corpus."""

import pytest

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.study import ProcessDataset
from corpusgraph.tasks.dataset.process import build_process, short_label
from corpusgraph.tasks.prepare.process_trace import prepare_process_trace
from tests.dataset.small_corpus import SmallCorpus

PUMP = "Snow and Farr met in Soho."
HANDLE = "The Board removed the handle."


def dataset(**fields: object) -> ProcessDataset:
    return ProcessDataset.model_validate({"kind": "process", "name": "course", **fields})


@pytest.fixture
def corpus() -> SmallCorpus:
    made = SmallCorpus()
    snow = made.document("snow", PUMP, HANDLE, author="Snow")
    farr = made.document("farr", "Farr reported.")
    actors = [made.mention(snow, PUMP, name, "person") for name in ("Snow", "Farr")]
    soho = made.mention(snow, PUMP, "Soho", "place")
    made.event(snow, HANDLE, "1854-09-08")
    made.event(snow, PUMP, "1854-09-07", actors=actors, places=(soho,))
    made.event(farr, "Farr reported.", "1866", timestamp_end="1867")
    return made


def cases(corpus: SmallCorpus, **fields: object) -> dict[str, list[str]]:
    trace = prepare_process_trace(build_process(corpus, dataset(**fields))).data
    return {case.case: [e.id for e in trace.events if e.case == case.case] for case in trace.cases}


def test_a_case_is_a_document_an_actor_a_place_or_a_metadata_field(corpus: SmallCorpus) -> None:
    assert cases(corpus) == {"snow.txt": ["evt_2", "evt_1"], "farr.txt": ["evt_3"]}
    assert cases(corpus, case="actor") == {"Farr": ["evt_2@Farr"], "Snow": ["evt_2@Snow"]}
    assert cases(corpus, case="place") == {"Soho": ["evt_2"]}
    assert cases(corpus, case="author") == {"Snow": ["evt_2", "evt_1"]}


def test_events_without_a_case_are_counted(corpus: SmallCorpus) -> None:
    asked = build_process(corpus, dataset(case="place"))
    assert [(w.code, w.records) for w in asked.notes] == [("missing_case", ("evt_3", "evt_1"))]


def test_an_unknown_field_is_an_error_with_the_nearest(corpus: SmallCorpus) -> None:
    with pytest.raises(PreparationError, match="author") as error:
        build_process(corpus, dataset(case="autor"))
    assert error.value.code == "no_case_notion"


def test_the_period_keeps_what_reaches_into_it(corpus: SmallCorpus) -> None:
    assert cases(corpus, start="1854-09-08", end="1854-12") == {"snow.txt": ["evt_1"]}
    assert cases(corpus, start="1867-06") == {"farr.txt": ["evt_3"]}
    with pytest.raises(PreparationError, match="no date"):
        build_process(corpus, dataset(start="long ago"))


def test_an_event_keeps_actors_places_and_passage(corpus: SmallCorpus) -> None:
    trace = prepare_process_trace(build_process(corpus, dataset())).data
    meeting = trace.events[0]
    assert meeting.actors == ("Snow", "Farr")
    assert meeting.model_dump()["places"] == ("Soho",)
    assert meeting.passages[0].text == PUMP


def test_a_range_is_what_a_date_can_mean_not_how_long_it_took(corpus: SmallCorpus) -> None:
    noted = prepare_process_trace(build_process(corpus, dataset()))
    report = next(e for e in noted.data.events if e.id == "evt_3")
    assert (report.start, report.until) == ("1866-01-01T00:00:00Z", "1868-01-01T00:00:00Z")
    assert (report.precision, report.finish) == ("range", None)
    assert [w.records for w in noted.warnings if w.code == "coarser_than_resolution"] == [("evt_3",)]


def test_labels_are_cut_at_a_word() -> None:
    assert short_label("removed  the\nhandle") == "removed the handle"
    cut = short_label("The Board of Guardians of Saint James removed the handle of the pump")
    assert cut == "The Board of Guardians of Saint James…"
    assert len(short_label("x" * 90)) == 40


def test_copies_of_an_event_for_several_cases_know_their_origin(corpus: SmallCorpus) -> None:
    asked = build_process(corpus, dataset(case="actor", temporal_resolution="months"))
    assert {(e.id, e.origin) for e in asked.events} == {("evt_2@Snow", "evt_2"), ("evt_2@Farr", "evt_2")}
    assert prepare_process_trace(asked).data.events[0].bucket == "1854-09"
    assert {e.origin for e in build_process(corpus, dataset()).events} == {None}


def test_a_period_before_our_era_can_be_asked_for(corpus: SmallCorpus) -> None:
    assert len(build_process(corpus, dataset(start="-0043", end="9999")).events) == 3
    left = build_process(corpus, dataset(start="1860"))
    assert [(w.code, w.records) for w in left.notes] == [("outside_period", ("evt_2", "evt_1"))]
