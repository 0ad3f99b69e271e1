"""What people get wrong, for every tool it concerns: a named error, or nothing with a reason."""

from collections.abc import Callable, Sequence

import pytest

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.results import ToolResult
from corpusgraph.tasks.registry import TOOLS, Tool, load
from tests.contract.examples import EXAMPLES
from tests.contract.graphs import rich
from tests.every import every
from tests.fuzz.ports import FULL, GRAPHS, Ports, with_corpus
from tests.fuzz.schemas import HUGE, MEGABYTE, nested
from tests.llm.fake import FakeModel

load()
WITH_QUERY = [tool for tool in TOOLS.values() if "query" in tool.input.model_fields]
READ = ("entities", "relationships", "chunks", "communities")
LISTS = [(tool, field) for tool in TOOLS.values() for field, port in tool.reads.items() if port in READ]
ENTITIES = [(tool, field) for tool, field in LISTS if tool.reads[field] == "entities" and tool.ports]
LIMITS = [
    (tool, name)
    for tool in TOOLS.values()
    for name in (
        "top_k",
        "k",
        "max_paths",
        "max_entities",
        "max_relationships",
        "max_layer",
        "hops",
        "radius",
    )
    if name in tool.input.model_fields
]
SCORES = [
    (tool, field)
    for tool, field in LISTS
    if "additionalProperties" in str(tool.input_schema()["properties"][field])
]
TWO_SNOWS = with_corpus(
    {
        **rich(),
        "entities": [*rich()["entities"], Entity(id="ent_e", name="John Snow", type="person", short_id=4)],
    }
)
MAY_REFUSE = {"invalid_input", "unknown_entity", "missing_attribute"}


def named(pairs: Sequence[tuple[Tool, str]]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return every("tool, field", pairs, ids=lambda pair: f"{pair[0].name}.{pair[1]}")


queries = pytest.mark.parametrize("tool", WITH_QUERY, ids=[tool.name for tool in WITH_QUERY])


def asked(tool: Tool, changed: JsonDict, ports: Ports = FULL) -> ToolResult:
    return tool.call({**EXAMPLES[tool.name], **changed}, ports)


def explained(result: ToolResult) -> bool:
    """Tell whether a result holds something, or says why not."""
    told = result.error is not None or bool(result.warnings)
    return told or bool(result.data) or bool(getattr(result.data, "reason", ""))


@named(ENTITIES)
def test_an_unknown_entity_is_named_with_those_like_it(tool: Tool, field: str) -> None:
    result = asked(tool, {field: ["John Snoww"]})
    if tool.name == "entity_similarity_link":  # a text to be linked
        assert [s.item.entity.id for s in result.data] == ["ent_a"]
    else:
        assert result.error is not None
        assert result.error.code in {"unknown_entity", "invalid_input"}
        if result.error.code == "unknown_entity":
            assert "'John Snow' (person, ent_a)" in (result.error.hint or "")


@named(ENTITIES)
def test_an_ambiguous_name_is_an_error_with_the_candidates(tool: Tool, field: str) -> None:
    result = asked(tool, {field: ["John Snow"]}, TWO_SNOWS)
    if tool.name == "entity_similarity_link":
        assert [s.item.entity.id for s in result.data] == ["ent_a"]
    else:
        assert result.error is not None
        assert result.error.code in {"ambiguous_entity", "invalid_input"}
        if result.error.code == "ambiguous_entity":
            assert "ent_a" in result.error.message
            assert "ent_e" in result.error.message
            assert result.error.hint


def test_a_mention_that_several_entities_bear_is_linked_to_as_many_as_asked_for() -> None:
    tool = TOOLS["entity_similarity_link"]
    both = asked(tool, {"entities": ["John Snow"], "top_k": 2}, TWO_SNOWS)
    assert [s.item.entity.id for s in both.data] == ["ent_a", "ent_e"]
    one = asked(tool, {"entities": ["John Snow"], "similarity_metric": "structural"}, TWO_SNOWS)
    assert one.error is not None
    assert one.error.code == "ambiguous_entity"


@named(LISTS)
def test_an_empty_list_is_refused_or_explained(tool: Tool, field: str) -> None:
    empties: tuple[list[str], dict[str, float]] = ([], {})
    for empty in empties:
        result = asked(tool, {field: empty})
        assert result.error is None or result.error.code in {"invalid_input", "dangling_edge"}
        assert explained(result)


@named(LIMITS)
def test_a_limit_out_of_range_is_refused_and_a_huge_one_returns_all(tool: Tool, field: str) -> None:
    below = asked(tool, {field: -1})
    assert below.error is not None
    assert below.error.code == "invalid_input"
    assert field in below.error.message
    none = asked(tool, {field: 0})
    assert none.error is None or none.error.code == "invalid_input"
    huge = asked(tool, {field: HUGE}).error
    if tool.name in {"subgraph_steiner_tree", "find_paths"}:  # each costs as much as the first
        assert huge is not None
        assert "less than or equal to" in huge.message
    else:
        assert huge is None


@named(SCORES)
def test_scores_that_are_no_numbers_are_refused(tool: Tool, field: str) -> None:
    id_ = {"entities": "ent_a", "relationships": "rel_1", "chunks": "chk_1", "communities": "com_0"}[
        tool.reads[field]
    ]
    counts = {
        "entity_relnode_extract": {"score_by": "relationships"},
        "subgraph_steiner_tree": {"algorithm": "pcst"},
    }.get(tool.name, {})
    for bad in (float("nan"), float("inf"), "much", None, [1]):
        result = asked(tool, {field: {id_: bad}, **counts})
        assert result.error is not None, bad
        assert result.error.code == "invalid_input"
    negative = asked(tool, {field: {id_: -1.0}})
    assert negative.error is None or negative.error.code == "invalid_input"


@every("tool", WITH_QUERY, ids=lambda tool: tool.name)
def test_a_query_in_another_script_has_an_answer_or_a_reason(tool: Tool) -> None:
    for query in ("什么导致了霍乱?", "ما سبب الكوليرا؟", "Кто жил в Лондоне?", "ใครอาศัยอยู่ในลอนดอน"):
        result = asked(tool, {"query": query})
        assert result.error is None or result.error.code in MAY_REFUSE, query
        assert explained(result), query


@every("tool", WITH_QUERY, ids=lambda tool: tool.name)
def test_an_empty_query_is_refused(tool: Tool) -> None:
    for query in ("", " ", "\n\t"):
        result = asked(tool, {"query": query})
        if tool.name == "summarize_chunks" and result.error is None:
            continue
        if tool.name == "search_nodes":  # as in the reference server of memories: whatever is there holds it
            assert result.success
            continue
        assert result.error is not None
        assert result.error.code == "invalid_input"
        assert "blank" in result.error.message


@pytest.mark.timeout(60)
@queries
@pytest.mark.parametrize("words", ["Who is John Smith and ", "霍乱"])
@pytest.mark.parametrize("length", [210_000, pytest.param(1_000_000, marks=pytest.mark.faults)])
def test_a_query_of_a_megabyte_is_answered(tool: Tool, words: str, length: int) -> None:
    """In time that grows as the query does, or else it does not end."""
    query = words * (length // len(words))
    model = FakeModel(lambda _prompt, _answer: "no JSON")
    for ports in (FULL, {**FULL, "llm": model}) if "llm" in tool.ports else (FULL,):
        result = asked(tool, {"query": query}, ports)
        assert result.error is None or result.error.code in MAY_REFUSE
        if any(query[:2_000] in p.user and query not in p.user for p in model.prompts):
            assert "query_cut" in {warning.code for warning in result.warnings}
    assert all(len(prompt.user) < 200_000 for prompt in model.prompts)


CUT_BY_RULES = (
    *("query_extract_entities", "query_extract_keywords", "query_sufficiency"),
    *("entity_query_link", "chunk_walk_rank", "generate_answer", "query_drift_primer"),
)


@pytest.mark.parametrize("name", CUT_BY_RULES)
def test_rules_that_read_a_part_of_the_query_say_so(name: str) -> None:
    long = asked(TOOLS[name], {"query": MEGABYTE})
    assert [w.code for w in long.warnings if w.code == "query_cut"] == ["query_cut"]
    short = asked(TOOLS[name], {"query": "What caused cholera?"})
    assert "query_cut" not in {w.code for w in short.warnings}


def test_what_the_index_lacks_is_told() -> None:
    result = asked(TOOLS["relationship_vdb_search"], {}, GRAPHS["no edges"])
    assert [(w.code, w.message) for w in result.warnings] == [
        ("nothing_found", "There are no results: the index has no relationships.")
    ]


def test_what_the_index_lacks_and_a_tool_does_not_look_at_is_no_reason() -> None:
    result = asked(TOOLS["entity_tfidf_rank"], {"query": "xyzzy"}, GRAPHS["no edges"])
    assert [w.message for w in result.warnings] == ["There are no results: nothing fits what was asked."]


@every("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_deeply_nested_arguments_are_refused(tool: Tool) -> None:
    for name in EXAMPLES[tool.name]:
        result = asked(tool, {name: nested(500)})
        assert result.error is None or result.error.code
