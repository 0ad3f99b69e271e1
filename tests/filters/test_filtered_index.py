"""Filters on an index in a store: every tool, search, questions, methods, study files, the command line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import corpusgraph as cg
from corpusgraph.flows.answer import answer, both
from corpusgraph.flows.cli.main import cli
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.store.filtered import VIEWS
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.flows.studies import read_study
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError
from corpusgraph.schemas.study import Question, Study
from corpusgraph.tasks.registry import load
from tests.contract.examples import EXAMPLES

OURS = {
    "one.md": (
        "---\ntitle: On cholera\nauthor: John Snow\ndate: 1855-01-10\n---\n"
        "John Snow lived in London. John Snow wrote that contaminated water caused cholera. The Board of Guardians "
        "removed the pump handle in Broad Street. Henry Whitehead met John Snow in London."
    ),
    "two.md": (
        "---\ntitle: On the pump\nauthor: [Henry Whitehead, John Snow]\ndate: 1854\n---\n"
        "Henry Whitehead claimed that the pump caused cholera in Broad Street. However, the Board of Guardians denied "
        "that water caused cholera. On 8 September 1854 the Board of Guardians met in London."
    ),
}
OTHERS = {
    "three.md": (
        "---\ntitle: Miasma defended\nauthor: Edwin Chadwick\ndate: 1842-07\n---\n"
        "Edwin Chadwick argued that miasma caused cholera in Manchester. John Snow, a Yorkshire anaesthetist, met Queen "
        "Victoria at Windsor. Contaminated water did not cause cholera, Chadwick insisted."
    ),
    "four.md": (
        "---\ntitle: Bavarian doubts\nauthor: Max Pettenkofer\ndate: 1892-10-07\n---\n"
        "Max Pettenkofer of Munich swallowed bacilli. Groundwater caused cholera, Pettenkofer believed. "
        "Henry Whitehead visited Munich with Edwin Chadwick. The Board of Guardians ignored Bavaria."
    ),
}
FILTER: dict[str, Any] = {"author": "john snow"}


def write(folder: Path, papers: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in papers.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outputs with the index of all papers, `both`, and that of ours alone, `ours`."""
    home = tmp_path_factory.mktemp("filters")
    for name, papers in (("both", {**OURS, **OTHERS}), ("ours", OURS)):
        corpus = write(home / name, papers)
        study = {"study": name, "corpus": {"path": str(corpus)}, "index": {"communities": {"max_size": 4}}}
        cg.index(Study.model_validate(study), outputs=home / "out")
    return home / "out"


@pytest.fixture(scope="module")
def whole(outputs: Path) -> OpenIndex:
    return cg.open("both", outputs)


@pytest.fixture(scope="module")
def seen(whole: OpenIndex) -> IndexResources:
    return IndexResources(whole, FILTER)


def only_others() -> set[str]:
    """Return words that our papers do not have."""
    ours, others = (set(re.findall(r"[^\W\d_]{6,}", " ".join(p.values()).casefold())) for p in (OURS, OTHERS))
    return others - ours


def placed(value: Any, ids: dict[str, Iterator[str]]) -> Any:
    """Replace the ids of an example by ids of the view."""
    if isinstance(value, dict):
        return {placed(key, ids): placed(item, ids) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [placed(item, ids) for item in value]
    prefix = value[:3] if isinstance(value, str) and re.fullmatch(r"(ent|rel|chk|com)_\w+", value) else None
    return next(ids[prefix]) if prefix else value


def in_turn(ids: list[str]) -> Iterator[str]:
    while True:
        yield from ids


INDEX_TOOLS = sorted(
    n for n, t in load().items() if set(t.ports) - {"extractor"} and n in EXAMPLES and t.effect == "reads"
)


@pytest.mark.parametrize("name", INDEX_TOOLS)
def test_no_tool_sees_what_only_other_documents_say(
    name: str, outputs: Path, whole: OpenIndex, seen: IndexResources
) -> None:
    graph = seen["graph"]
    kinds = {"ent": graph.entities, "rel": graph.relationships, "chk": graph.chunks, "com": graph.communities}
    ids = {prefix: in_turn([item.id for item in items]) for prefix, items in kinds.items()}
    arguments = {**placed(EXAMPLES[name], ids), "filter": FILTER}
    result = cg.call(name, arguments, index="both", outputs=outputs)
    text = json.dumps(result.model_dump(mode="json", exclude={"metadata"}), ensure_ascii=False)
    asked = json.dumps(EXAMPLES[name]).casefold()
    said = set(re.findall(r"[^\W\d_]{6,}", text.casefold()))
    assert not {word for word in said & only_others() if word not in asked}
    known = {item.id for items in kinds.values() for item in items} | {d.id for d in seen.index.documents}
    hidden = {d.id for d in whole.documents} | {
        item.id
        for items in (whole.graph.entities, whole.graph.relationships, whole.graph.chunks)
        for item in items
    }
    assert not [id_ for id_ in hidden - known if id_ in text]


def test_most_tools_find_something_under_a_filter(outputs: Path) -> None:
    for name, arguments in (
        ("entity_vdb_search", {"query": "cholera"}),
        ("entity_ppr_rank", {"seed_entities": ["John Snow"]}),
        ("chunk_vdb_search", {"query": "cholera"}),
        ("community_vdb_search", {"query": "cholera"}),
        ("relationship_onehop_extract", {"entities": ["John Snow"]}),
    ):
        result = cg.call(name, {**arguments, "filter": FILTER}, index="both", outputs=outputs)
        assert result.success
        assert result.data
        assert result.warnings == ()


@pytest.mark.parametrize("kind", ["entity", "relationship", "chunk", "report"])
@pytest.mark.parametrize("query", ["cholera", "John Snow in London", "Munich bacilli"])
def test_search_finds_what_the_index_of_the_allowed_documents_finds(
    kind: str, query: str, outputs: Path, seen: IndexResources
) -> None:
    alone = cg.open("ours", outputs)
    vector = seen["embedder"].embed([query])[0]
    if kind == "report":  # communities are those of the whole index
        known = {report.id for report in seen["graph"].reports}
        assert {id_ for id_, _ in seen["vectors"].nearest(kind, vector, 50)} == known
        return
    assert seen["vectors"].nearest(kind, vector, 50) == alone.nearest(kind, vector, 50)
    assert seen["vectors"].match(kind, query, 50) == alone.match(kind, query, 50)
    assert seen["vectors"].nearest(kind, vector, 2) == alone.nearest(kind, vector, 2)


def test_the_filtered_graph_is_that_of_the_allowed_documents(outputs: Path, seen: IndexResources) -> None:
    alone = cg.open("ours", outputs).graph
    for name in ("entities", "relationships"):
        ours, theirs = (
            [item.model_dump(exclude={"short_id"}) for item in getattr(graph, name)]
            for graph in (seen["graph"], alone)
        )
        assert ours == theirs
    assert list(seen["graph"].chunks) == list(alone.chunks)


def test_search_refuses_what_the_whole_index_refuses(seen: IndexResources) -> None:
    with pytest.raises(InvalidInputError, match="kind"):
        seen["vectors"].match("entities", "cholera", 3)
    with pytest.raises(InvalidInputError, match="dimension"):
        seen["vectors"].nearest("entity", seen["embedder"].embed(["x"])[0][:7], 3)
    assert seen["vectors"].match("chunk", "  ", 3) == []
    assert seen["vectors"].nearest("chunk", seen["embedder"].embed(["x"])[0], 0) == []


def test_links_of_other_documents_are_not_followed(whole: OpenIndex, seen: IndexResources) -> None:
    ours = {mention.id for mention in seen["corpus"].mentions}
    for mention in whole.mentions:
        assert seen["corpus"].entity_of(mention.id) == (
            whole.entity_of(mention.id) if mention.id in ours else None
        )
    stated = {assertion.id for assertion in seen["corpus"].assertions}
    assert stated
    for assertion in whole.assertions:
        expected = whole.relationship_of(assertion.id) if assertion.id in stated else None
        assert seen["corpus"].relationship_of(assertion.id) == expected


def test_an_entity_of_other_documents_is_unknown_and_no_hint_betrays_it(outputs: Path) -> None:
    arguments = {"entities": ["Edwin Chadwik"], "filter": FILTER}
    hidden = cg.call("entity_onehop_neighbors", arguments, index="both", outputs=outputs)
    shown = cg.call("entity_onehop_neighbors", {**arguments, "filter": None}, index="both", outputs=outputs)
    assert hidden.error is not None
    assert shown.error is not None
    assert "Edwin Chadwick" in str(shown.error)
    assert "Edwin Chadwick" not in str(hidden.error)


@pytest.mark.parametrize("name", INDEX_TOOLS)
def test_a_filter_that_allows_nothing_gives_nothing_and_a_warning(name: str, outputs: Path) -> None:
    arguments = {**EXAMPLES[name], "filter": {"author": "Nobody"}}
    result = cg.call(name, arguments, index="both", outputs=outputs)
    assert "filter_empty" in [warning.code for warning in result.warnings]
    assert result.success, result.error
    if isinstance(result.data, list):
        assert result.data == [] or name.startswith("query_")


def test_an_unknown_field_is_one_clear_error(outputs: Path) -> None:
    result = cg.call(
        "entity_vdb_search", {"query": "x", "filter": {"auther": "x"}}, index="both", outputs=outputs
    )
    assert result.error is not None
    assert result.error.code == "invalid_input"
    assert "'author'" in str(result.error.hint)
    with pytest.raises(CorpusgraphError, match="auther"):
        cg.tools.entity_vdb_search(query="x", filter={"auther": "x"}, index="both", outputs=outputs)


@pytest.mark.parametrize(
    "filter_",
    [{"author": {"form": 1}}, {"author": {}}, {"date": {"from": None}}, ["author"], {"author": None}],
)
def test_a_filter_that_cannot_be_read_is_one_clear_error(
    filter_: Any, outputs: Path, whole: OpenIndex
) -> None:
    result = cg.call("entity_vdb_search", {"query": "x", "filter": filter_}, index="both", outputs=outputs)
    assert result.error is not None
    assert result.error.code == "invalid_input"
    if isinstance(filter_, dict):
        with pytest.raises(InvalidInputError, match="cannot be read"):
            _ = IndexResources(whole, filter_).index


def test_an_answer_cites_allowed_documents_alone(outputs: Path) -> None:
    question = "What caused cholera?"
    everything = cg.ask(question, index="both", outputs=outputs)
    found = cg.ask(question, index="both", outputs=outputs, filter={"author": "Max Pettenkofer"})
    assert {c.document_title for c in found.citations} == {"Bavarian doubts"}
    assert {c.document_title for c in everything.citations} != {"Bavarian doubts"}
    nothing = cg.ask(question, index="both", outputs=outputs, filter={"author": "Nobody"})
    assert not nothing.supported
    assert "filter_empty" in [warning.code for warning in nothing.warnings]


def test_dates_of_documents_are_intervals(outputs: Path) -> None:
    found = cg.ask(
        "What caused cholera?", index="both", outputs=outputs, filter={"date": {"from": 1854, "to": 1854}}
    )
    assert {c.document_title for c in found.citations} == {"On the pump"}


def test_views_are_kept_and_the_oldest_forgotten(outputs: Path) -> None:
    opened = cg.open("both", outputs)
    first = IndexResources(opened, FILTER).index
    assert IndexResources(opened, dict(FILTER)).index is first
    for number in range(VIEWS):
        assert IndexResources(opened, {"author": str(number)}).index is not first
    assert len(opened.views) == VIEWS
    assert IndexResources(opened, FILTER).index is not first
    assert IndexResources(opened).index is opened


def test_a_question_of_a_study_has_a_filter(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus", {**OURS, **OTHERS})
    text = (
        f"study: asked\ncorpus: {{path: {corpus}}}\nquestions:\n"
        "  - ask: What caused cholera?\n    filter: {author: Edwin Chadwick, date: {to: 1850}}\n"
    )
    (tmp_path / "asked.yml").write_text(text)
    report = cg.run(tmp_path / "asked.yml", outputs=tmp_path / "out")
    assert {c["document_title"] for c in report.answers[0]["citations"]} == {"Miasma defended"}
    (tmp_path / "bad.yml").write_text(text.replace("{to: 1850}", "{until: 1850}"))
    with pytest.raises(CorpusgraphError, match=r"bad\.yml"):
        read_study(tmp_path / "bad.yml")


def test_a_method_has_a_filter(whole: OpenIndex, tmp_path: Path) -> None:
    path = tmp_path / "late.yml"
    path.write_text("method: late\nfilter: {date: {from: 1890}}\nsteps:\n  - chunk_vdb_search: {query: $q}\n")
    found = answer(whole, Question(ask="What caused cholera?", method=str(path)))
    titles = {document.id: document.title for document in whole.documents}
    assert {titles[hit.item.source_doc] for hit in found.passages} == {"Bavarian doubts"}
    with pytest.raises(InvalidInputError, match="both filter by 'date'"):
        answer(whole, Question(ask="What?", method=str(path), filter={"date": "1892"}))
    assert both({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}


def test_the_command_line_takes_filters(outputs: Path) -> None:
    def asked(*filters: str) -> Any:
        options = [part for one in filters for part in ("--filter", one)]
        line = [
            "ask",
            "What caused cholera?",
            "--index",
            "both",
            "--outputs",
            str(outputs),
            *options,
            "--json",
        ]
        return CliRunner().invoke(cli, line, standalone_mode=False)

    titles = {c["document_title"] for c in json.loads(asked("date>=1890", "date<=1892").stdout)["citations"]}
    assert titles == {"Bavarian doubts"}
    assert isinstance(asked("date>1890").exception, InvalidInputError)
