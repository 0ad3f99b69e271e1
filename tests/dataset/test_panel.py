"""Panels: rows, lags and sums against pandas, what is absent, transforms."""

from math import log1p
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.study import Variable
from corpusgraph.tasks.dataset import table as panel
from corpusgraph.tasks.dataset.measures.units import period_name, period_number
from tests.dataset.corpus import HandMade
from tests.dataset.random_corpus import corpus_of_links, entity_id, random_links
from tests.dataset.test_measures import built
from tests.examples import tried


def dated_corpus(*years: str, n: int = 6, seed: int = 1) -> HandMade:
    """Make a corpus with a document of four sentences for each date."""
    corpus = corpus_of_links(n, random_links(n, 4 * len(years), seed))
    documents = [
        document.model_copy(update={"metadata": {"date": date}})
        for document, date in zip(corpus.documents, years, strict=True)
    ]
    return HandMade(corpus.graph, documents, corpus.mentions, corpus.assertions, resolved=corpus.resolved)


def frame(corpus: HandMade, *variables: Any, **more: Any) -> pd.DataFrame:
    table, _ = built(corpus, "entity_period", *variables, **more)
    made = pd.DataFrame(table.rows, columns=[c.name for c in table.columns])
    made["entity"] = made["id"].str.split("|").str[0]
    made["number"] = made["period"].map(period_number)
    return made


def mentions(name: str = "x", **more: Any) -> dict[str, Any]:
    return {"name": name, "measure": "mentions", **more}


@given(
    st.lists(st.sampled_from(["1850", "1851", "1852", "1854", "1855", "1859"]), min_size=1, max_size=6),
    st.integers(1, 3),
    st.sampled_from(["observed", "calendar", "active"]),
    st.sampled_from(["zero", "missing"]),
)
@settings(deadline=None, max_examples=tried(30))
def test_time_is_that_of_the_calendar_as_pandas_has_it(
    years: list[str], by: int, rows: str, absent: str
) -> None:
    found = frame(
        dated_corpus(*years),
        mentions(),
        mentions("lag", lag=by),
        mentions("lead", lead=by),
        mentions("change", difference=by),
        mentions("sum", cumulative=True),
        mentions("all", cumulative=True, difference=by, lag=1),
        panel=rows,
        absent=absent,
    ).astype(dict.fromkeys(("x", "lag", "lead", "change", "sum", "all"), float))
    for _, own in found.groupby("entity"):
        by_year = own.set_index("number")
        x = by_year["x"].reindex(range(1840, 1870))  # a row for every year, so that shift counts years
        total = x.cumsum()
        expected = {
            "lag": x.shift(by),
            "lead": x.shift(-by),
            "change": x - x.shift(by),
            "sum": total,
            "all": (total - total.shift(by)).shift(1),
        }
        for name, series in expected.items():
            wanted = series.reindex(by_year.index)
            np.testing.assert_array_equal(by_year[name].to_numpy(), wanted.to_numpy(), err_msg=name)


def test_rows_of_the_three_panels() -> None:
    corpus = dated_corpus("1850", "1853")
    years = {rows: frame(corpus, mentions(), panel=rows) for rows in ("observed", "calendar", "active")}
    assert set(years["observed"]["period"]) == {"1850", "1853"}
    assert set(years["calendar"]["period"]) == {"1850", "1851", "1852", "1853"}
    assert len(years["calendar"]) == 6 * 4
    active = years["active"].groupby("entity")["number"].agg(["min", "max", "count"])
    assert (active["max"] - active["min"] + 1 == active["count"]).all()
    ends = years["active"].groupby("entity")["x"].agg(["first", "last"])
    assert (ends > 0).all(axis=None)
    assert frame(corpus, {"name": "t", "measure": "period_index"}, panel="calendar")["t"].tolist() == (
        [0, 1, 2, 3] * 6
    )


def test_absence_is_zero_or_missing_as_asked() -> None:
    corpus = dated_corpus("1850", "1853")
    variables = [mentions(), {"name": "kind", "measure": "attribute", "of": "type"}]
    zero = frame(corpus, *variables, panel="calendar")
    missing = frame(corpus, *variables, panel="calendar", absent="missing")
    gone = zero["x"] == 0
    assert gone.any()
    assert (missing["x"].isna() == gone).all()
    assert (missing["kind"] == "concept").all()


def test_a_filter_on_periods_does_not_cut_lags() -> None:
    corpus = dated_corpus("1850", "1851")
    whole = frame(corpus, mentions(), mentions("lag", lag=1))
    late = frame(corpus, mentions(), mentions("lag", lag=1), where={"period": "1851"})
    assert set(late["period"]) == {"1851"}
    first = whole[whole["period"] == "1850"]["x"].tolist()
    assert late["lag"].tolist() == first


def test_gaps_of_a_panel_are_named_where_it_is_lagged() -> None:
    corpus = dated_corpus("1850", "1853")
    _, warnings = built(corpus, "entity_period", mentions("lag", lag=1))
    assert [(w.code, w.records) for w in warnings] == [("panel_gaps", ("1851", "1852"))]
    assert not built(corpus, "entity_period", mentions())[1]
    assert not built(corpus, "entity_period", mentions("lag", lag=1), panel="calendar")[1]


def test_lags_say_what_they_are() -> None:
    table, _ = built(dated_corpus("1850", "1851"), "entity_period", mentions("x", lag=2, label="Before"))
    assert table.columns[-1].label == "Before"
    table, _ = built(dated_corpus("1850", "1851"), "entity_period", mentions("x", lag=1, transform="log1p"))
    column = table.columns[-1]
    assert column.label == "Mentions, 1 year earlier, log of 1 + x"
    assert column.formula.startswith("mentions: ln(1 + x), x being: value 1 year earlier of: number of")
    assert (column.unit, column.dtype) == ("ln(1 + mentions)", "numeric")


@pytest.mark.parametrize("change", [{"lag": 1}, {"lead": 2}, {"difference": 1}, {"cumulative": True}])
def test_time_needs_a_panel(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="entity_period"):
        built(dated_corpus("1850"), "entity", mentions(**change))


def test_sums_need_numbers_and_a_lag_does_not() -> None:
    corpus = dated_corpus("1850", "1851")
    kind = {"name": "kind", "measure": "attribute", "of": "type"}
    with pytest.raises(InvalidInputError, match="needs numbers"):
        built(corpus, "entity_period", {**kind, "cumulative": True})
    lagged = frame(corpus, {**kind, "lag": 1})
    assert set(lagged[lagged["period"] == "1851"]["kind"]) == {"concept"}


def test_a_lag_and_a_lead_are_not_both_given() -> None:
    with pytest.raises(ValidationError, match="not both"):
        Variable(name="x", measure="mentions", lag=1, lead=1)


def test_transforms_agree_with_scipy() -> None:
    corpus = corpus_of_links(9, random_links(9, 30, seed=4))
    variables = [mentions(), mentions("log", transform="log1p"), mentions("z", transform="zscore")]
    table, _ = built(corpus, "entity", *variables)
    x = table.column("x")
    assert list(table.column("log")) == pytest.approx([log1p(value) for value in x])
    assert list(table.column("z")) == pytest.approx(list(stats.zscore(x, ddof=1)))


def test_what_cannot_be_transformed_is_named() -> None:
    corpus = corpus_of_links(4, random_links(4, 9, seed=4))
    table, warnings = built(corpus, "entity", {"name": "z", "measure": "claims", "transform": "zscore"})
    assert set(table.column("z")) == {None}
    assert [(w.code, w.records) for w in warnings] == [("constant_variable", ("z",))]
    negative = {"name": "x", "measure": "modularity", "transform": "log1p"}
    assert all(value > -1 for value in built(corpus, "community", negative)[0].column("x"))
    with pytest.raises(InvalidInputError, match="needs numbers"):
        built(corpus, "entity", {"name": "x", "measure": "attribute", "of": "name", "transform": "log1p"})
    low = {"name": "x", "measure": "attribute", "of": "low", "transform": "log1p"}
    entities = [e.model_copy(update={"attributes": {"low": -2.0}}) for e in corpus.graph.entities]
    cold = HandMade(type(corpus.graph)(entities), corpus.documents, corpus.mentions)
    with pytest.raises(InvalidInputError, match=r"no value for -2\.0 \(ent_000000\)"):
        built(cold, "entity", low)


def test_a_panel_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panel, "MOST_ROWS", 100)
    corpus = dated_corpus("1850-01-01", "1853-01-01")
    with pytest.raises(InvalidInputError, match=r"6,582 rows.*panel: active"):
        built(corpus, "entity_period", mentions(), period="day", panel="calendar")


@pytest.mark.parametrize(
    ("name", "period"), [("0099", "year"), ("1853-12", "month"), ("1854-01", "month"), ("1852-02-29", "day")]
)
def test_periods_are_numbered_without_gaps(name: str, period: Any) -> None:
    assert period_name(period_number(name), period) == name
    assert period_number("1854-01") == period_number("1853-12") + 1
    assert period_number("1852-03-01") == period_number("1852-02-29") + 1


def test_rows_of_a_panel_have_the_passages_of_their_period() -> None:
    corpus = dated_corpus("1850", "1853")
    table, _ = built(corpus, "entity_period", mentions(), panel="calendar")
    year = {document.id: document.metadata["date"] for document in corpus.documents}
    for row, chunks in zip(table.records(), table.provenance or (), strict=True):
        told = {year[chunk.removeprefix("chk_")] for chunk in chunks}
        assert told == ({row["period"]} if row["x"] else set())
    assert entity_id(0) in str(table.rows[0][0])
