"""Event records drawn by hypothesis."""

from hypothesis import strategies as st

from tests.process.records import Record, event

DATES = st.sampled_from(
    [
        "1854",
        "1854-09",
        "1854-09-08",
        "1854-09-08T10:00Z",
        "1854-09-08T10:00:30Z",
        "1855-01",
        "1860",
        "circa 1854",
        "before 1855",
        "after 1853",
        "1850s",
        "1854-09-01/1854-10-02",
        "44 BC",
    ]
)


@st.composite
def logs(draw: st.DrawFn, dates: st.SearchStrategy[str] = DATES) -> list[Record]:
    rows = draw(
        st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abcd"), dates), min_size=1, max_size=14)
    )
    return [event(number, *row) for number, row in enumerate(rows)]
