"""The engine contract (contract.txt, as it was handed over), line by line: each names what checks it."""

from pathlib import Path

import pytest

from corpusgraph.flows.interop.engine import GraphRAGEngine
from tests.graphrag import checks as c
from tests.graphrag import checks_files as f
from tests.graphrag import checks_parts as p
from tests.graphrag.checks import CONTRACT, Case, Check
from tests.graphrag.given import run, tool

LINES: tuple[tuple[int, int, Check], ...] = (
    (1, 9, c.nothing_to_check),
    (11, 11, c.names_are_importable),
    # 2. GraphRAGEngine
    (15, 15, c.nothing_to_check),
    (17, 17, f.application_works),
    (19, 21, c.nothing_to_check),
    (22, 22, c.names_are_importable),
    (23, 27, c.steps_of_initialize),
    (29, 36, c.signature),
    (37, 40, c.constructor_arguments),
    (42, 43, c.other_engine_is_a_value_error),
    (44, 46, c.missing_library_is_an_import_error),
    (48, 50, c.signature),
    (50, 51, c.initialised_or_not),
    (53, 55, c.signature),
    (55, 60, c.index_stats),
    (62, 66, c.signature),
    (68, 72, c.steps_of_initialize),
    (74, 75, c.force_reindex),
    (77, 78, c.missing_source_is_file_not_found),
    (79, 81, c.failing_index_is_an_indexing_error),
    (83, 84, c.signature),
    (86, 90, c.search_answers),
    (92, 95, c.search_before_is_a_runtime_error),
    (97, 98, c.signature),
    (98, 99, c.close_cleans_up),
    (100, 104, c.nothing_to_check),
    # 3. GraphRAGStorage
    (106, 106, p.metadata),
    (108, 110, c.nothing_to_check),
    (111, 112, c.names_are_importable),
    (114, 121, c.layout),
    (123, 129, c.required_tables),
    (131, 137, c.signature),
    (139, 142, c.signature),
    (141, 141, p.output_is_below_the_root),
    (144, 147, c.signature),
    (146, 146, p.output_is_below_the_root),
    (149, 151, c.signature),
    (150, 150, p.directories),
    (153, 155, c.signature),
    (154, 154, p.valid_index),
    (157, 159, c.signature),
    (158, 158, p.metadata),
    (161, 163, c.signature),
    (162, 162, p.metadata),
    (165, 167, c.signature),
    (166, 166, p.source_hash),
    (169, 171, c.signature),
    (170, 170, p.change_is_seen),
    (173, 175, c.signature),
    (174, 174, p.clearing),
    (177, 179, c.signature),
    (178, 178, p.tables_load),
    (180, 184, c.nothing_to_check),
    # 4. GraphRAGIndexer
    (186, 186, p.building),
    (188, 190, c.nothing_to_check),
    (191, 192, c.names_are_importable),
    (194, 200, c.signature),
    (202, 207, c.signature),
    (209, 214, p.building),
    (216, 219, p.build_errors),
    (220, 228, c.nothing_to_check),
    # 5. build_graphrag_config, 6. IndexingError
    (229, 234, c.signature),
    (236, 245, p.config_is_built),
    (247, 250, p.config_needs_all),
    (251, 259, c.nothing_to_check),
    (260, 262, p.indexing_error),
    (263, 272, c.nothing_to_check),
    # 7. the application: its own code, with one import changed
    (274, 285, f.application_branches),
    (287, 287, f.application_branches),
    (289, 293, f.application_works),
    (294, 297, f.application_without_the_engine),
    (299, 313, f.application_works),
    (315, 315, f.application_branches),
    (316, 320, c.nothing_to_check),
    # 8. the tools file
    (322, 324, c.nothing_to_check),
    (325, 330, f.minimal_yaml),
    (331, 335, c.nothing_to_check),
    (336, 366, f.full_yaml),
    (343, 366, f.defaults),
    (367, 375, c.nothing_to_check),
    # 9. the response, 10. threads, 11. versions
    (376, 396, f.response_format),
    (397, 401, c.nothing_to_check),
    (403, 403, f.public_methods_are_async),
    (405, 407, c.nothing_to_check),
    (409, 414, f.versions),
)


@pytest.fixture(scope="module")
def engine(indexed: Path) -> GraphRAGEngine:
    made = GraphRAGEngine(tool(), str(indexed))
    run(made.initialize())
    return made


@pytest.fixture(scope="module")
def passed() -> set[Check]:
    return set()


@pytest.mark.parametrize(
    ("first", "last", "check"), LINES, ids=[f"{a}-{b}-{check.__name__}" for a, b, check in LINES]
)
def test_line(
    first: int, last: int, check: Check, engine: GraphRAGEngine, tmp_path: Path, passed: set[Check]
) -> None:
    if check in passed:  # what lines share is checked once
        return
    base = engine.storage.storage_dir.parents[2]
    check(Case(first, last, engine, base, tmp_path))
    if check not in {c.signature, c.nothing_to_check}:
        passed.add(check)


def test_every_line_names_its_check() -> None:
    covered = {number for first, last, _ in LINES for number in range(first, last + 1)}
    said = {number for number, text in enumerate(CONTRACT, start=1) if text.strip().strip("-`")}
    assert said - covered == set()


def test_a_check_is_left_out_only_where_nothing_is_said() -> None:
    """Headings, fences, rules and the head of the page."""
    idle = [n for first, last, check in LINES if check is c.nothing_to_check for n in range(first, last + 1)]
    texts = {CONTRACT[n - 1] for n in idle if CONTRACT[n - 1].strip()}
    assert all(text.startswith(("#", "**", "---", "```")) for text in texts)
