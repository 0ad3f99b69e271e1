"""Every kind of graph that is legal, for property tests."""

from datetime import UTC, date, datetime
from math import inf

from hypothesis import strategies as st

from corpusgraph.schemas.graph import Graph

ODD = [
    "id",
    "name",
    "attributes",
    "extra",
    "attribute_id",
    "NA",
    "",
    "007",
    "a,b",
    'q"',
    "x\r\ny",
    "=1",
    "Huế",
]
IDS = st.text(min_size=1, max_size=6).filter(str.strip) | st.sampled_from(["a.b", "Entity.id", "文", " x"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**53, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from([*ODD, "true", "1.50", "1854-09-08", "null", "[1]"])
)
TYPED = [
    {"@type": "xsd:date", "@value": "1854-09-08"},
    {"@type": "@json", "@value": {"@type": "xsd:double", "@value": "INF"}},
    {"@type": None, "@value": []},
]
"""What looks like the typed values of JSON-LD in which dates and endless numbers are written."""
JSON = st.recursive(
    LEAVES | st.sampled_from(TYPED),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
DATES = st.dates(date(1, 1, 1)) | st.datetimes() | st.just(datetime(1854, 9, 8, tzinfo=UTC))
KEYS = st.sampled_from([*ODD, "born", "weight", "source_id"]) | st.text(max_size=3)


FREE = ["colour", "attributes.x", "extra", "extra.y", "Entity.id", "born"]
ENDLESS = st.sampled_from([inf, [-inf, 1.5], {"x": inf}])
VALUES = {False: JSON, True: JSON | DATES | ENDLESS}
ATTRIBUTES = {with_: st.none() | st.dictionaries(KEYS, one, max_size=3) for with_, one in VALUES.items()}
EXTRAS = {with_: st.dictionaries(st.sampled_from(FREE), one, max_size=2) for with_, one in VALUES.items()}


@st.composite
def graphs(draw: st.DrawFn, *, dates: bool = False) -> Graph:
    """Draw a graph: odd names, every JSON type, null and nested values, stubs, loops, parallel edges."""
    ids = draw(st.lists(IDS, unique=True, max_size=4))
    nodes = [
        {
            "id": id_,
            "name": draw(st.text(max_size=4)),
            "type": draw(st.none() | st.sampled_from(["", "person", "NA"])),
            "description": draw(st.none() | st.text(max_size=3)),
            "attributes": draw(ATTRIBUTES[dates]),
            "confidence": draw(st.sampled_from([1.0, 0.5, 0])),
            "is_stub": draw(st.booleans()),
            "n_mentions": draw(st.none() | st.integers(0, 2**62)),
            **draw(EXTRAS[dates]),
        }
        for id_ in ids
    ]
    ends = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=4)) if ids else []
    edges = [
        {
            "id": f"{draw(st.text(max_size=2))}{n}",
            "source_id": source,
            "target_id": target,
            "type": draw(st.sampled_from(["knows", "name", "", "NA", "id", "x.y"]) | st.text(max_size=3)),
            "weight": draw(st.sampled_from([1.0, 5e-324, 1e300, 0.1])),
            "confidence": draw(st.sampled_from([1.0, 0.25])),
            "negated_weight": draw(st.sampled_from([0.0, 2.5])),
            "n_evidence": draw(st.none() | st.integers(0, 9)),
            "keywords": draw(st.none() | st.lists(st.text(max_size=2), max_size=2)),
            "chunk_ids": draw(st.none() | st.just(["chk_1"])),
            "attributes": draw(ATTRIBUTES[dates]),
            **draw(EXTRAS[dates]),
        }
        for n, (source, target) in enumerate(ends)
    ]
    metadata = draw(st.none() | st.dictionaries(st.text(max_size=3), JSON, max_size=2))
    whole = {"nodes": nodes, "edges": edges, "metadata": metadata}
    return Graph.model_validate(whole | ({"title": draw(LEAVES)} if draw(st.booleans()) else {}))
