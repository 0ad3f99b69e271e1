"""Reports say only what the corpus says, and where."""

from typing import Any

from corpusgraph.schemas.graph import CommunityReport
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import find_communities
from corpusgraph.tasks.build.reports import MAX_FINDINGS, write_reports
from tests.derive.build import Link, Made, Name, derived, made

NAMES: list[Name] = [("John Snow", "person"), ("Broad Street pump", "concept"), ("Henry Whitehead", "person")]
LINKS: list[Link] = [
    ("John Snow", "blames", "Broad Street pump"),
    ("Henry Whitehead", "doubts", "Broad Street pump"),
]
SNOW = made(
    "d1",
    "John Snow blamed the\nBroad Street pump. Henry Whitehead doubted it at first.",
    NAMES,
    LINKS,
)
FAR = made("d2", "Napoleon fought Wellington.", [("Napoleon", "person"), ("Wellington", "person")],
           [("Napoleon", "fights", "Wellington", {"confidence": 0.9})])  # fmt: skip


def reports(*corpus: Made, **options: Any) -> list[CommunityReport]:
    graph, _ = derived(list(corpus))
    communities = find_communities(graph.entities, graph.relationships, CommunityOptions(**options))
    return write_reports(communities, graph.entities, graph.relationships, graph.passages)


def test_every_finding_is_the_text_it_cites() -> None:
    texts = {one.document.id: one for one in (SNOW, FAR)}
    written = reports(SNOW, FAR)
    assert len(written) == 2
    for report in written:
        assert report.findings
        for finding in report.findings:
            source = texts[finding.document_id]
            assert source.document.text[finding.start : finding.end] == finding.text
            assert finding.chunk_id == source.chunks[0].id


def test_a_report_is_about_its_community_alone() -> None:
    about = {report.title: report for report in reports(SNOW, FAR)}
    napoleon = next(report for title, report in about.items() if "Napoleon" in title)
    assert [finding.text for finding in napoleon.findings] == ["Napoleon fought Wellington."]
    assert napoleon.summary == "Napoleon fought Wellington."
    assert "Entities: 2; relationships: 1; weight of their evidence: 0.90" in napoleon.rating_explanation
    assert 0 < napoleon.rating <= 10


def test_the_summary_is_on_one_line() -> None:
    report = next(report for report in reports(SNOW) if "pump" in report.title)
    assert report.summary.startswith("John Snow blamed the Broad Street pump.")
    assert "\n" in report.findings[0].text


def test_findings_are_few_and_unlike_each_other() -> None:
    names = [f"Person {chr(65 + i)}" for i in range(15)]
    text = " ".join(f"Hub met {name} in town." for name in names)
    hub = made("d1", text, [("Hub", "organisation"), *((name, "person") for name in names)],
               [("Hub", "meets", name) for name in names])  # fmt: skip
    twice = made("d2", "Hub met Person A in town. Hub built Person B a house of stone, far away.",
                 [("Hub", "organisation"), ("Person A", "person"), ("Person B", "person")],
                 [("Hub", "meets", "Person A", {"confidence": 0.4}),
                  ("Hub", "builds", "Person B", {"confidence": 0.45})])  # fmt: skip
    report = next(r for r in reports(hub, twice, max_size=50) if r.level == 0)
    assert len(report.findings) == MAX_FINDINGS
    assert any("house of stone" in finding.text for finding in report.findings[:3])


def test_scores_fall_with_the_confidence_of_the_evidence() -> None:
    doubtful = made(
        "d1",
        "Ann met Ben. Ann left Cas far behind.",
        [("Ann", "person"), ("Ben", "person"), ("Cas", "person")],
        [("Ann", "meets", "Ben", {"confidence": 0.9}), ("Ann", "leaves", "Cas", {"confidence": 0.2})],
    )
    findings = reports(doubtful)[0].findings
    assert [finding.text for finding in findings] == ["Ann met Ben.", "Ann left Cas far behind."]
    assert findings[0].score > findings[1].score


def test_no_communities_no_reports() -> None:
    assert write_reports([], [], [], {}) == []


def test_ids_are_unique() -> None:
    written = reports(SNOW, FAR)
    assert len({report.id for report in written} | {report.community_id for report in written}) == 2 * len(
        written
    )
