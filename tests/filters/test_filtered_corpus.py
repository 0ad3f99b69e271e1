"""A filtered index is the index of the allowed documents, but for what resolution learnt from the others."""

from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.study import Resolution
from corpusgraph.tasks.filter.corpus import FilteredCorpus
from tests.examples import tried
from tests.filters.build import MemoryCorpus, document

PEOPLE = ("Alice Walker", "Robert Frost", "Clara Barton", "Henry Ford", "Rosa Parks")
PLACES = ("Boston", "Chicago", "Detroit")
TEMPLATES = (
    "{0} met {1} in {2}.",
    "{0} worked with {1}.",
    "In 1901 {0} moved to {2}.",
    "{0} denied that smoke caused cholera in {2}.",
    "{0} founded the Relief Society of {2}, because {1} asked for help.",
    "Poor drains caused cholera, {0} wrote.",
)
SENTENCES = st.builds(
    lambda template, people, place: template.format(*people, place),
    st.sampled_from(TEMPLATES),
    st.permutations(PEOPLE).map(lambda people: people[:2]),
    st.sampled_from(PLACES),
)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=5).map(" ".join)


def papers(group: str, texts: list[str]) -> list[Document]:
    return [document(f"paper {group}{number}", text, group=group) for number, text in enumerate(texts)]


def told(item: Entity | Relationship, *but: str) -> dict[str, Any]:
    return item.model_dump(exclude={"short_id", *but})


def resolution_of(corpus: Corpus) -> dict[str, str | None]:
    return {mention.id: corpus.entity_of(mention.id) for mention in corpus.mentions}


def view(corpus: MemoryCorpus, group: str) -> FilteredCorpus:
    return FilteredCorpus(corpus, frozenset(d.id for d in corpus.documents if d.metadata["group"] == group))


@settings(max_examples=tried(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, min_size=1, max_size=3))
def test_a_filtered_index_equals_the_index_of_the_allowed_documents(
    ours: list[str], others: list[str]
) -> None:
    alone = MemoryCorpus(papers("a", ours))
    seen = view(MemoryCorpus(papers("a", ours) + papers("b", others)), "a")
    assume(resolution_of(alone) == resolution_of(seen))
    assert [told(e) for e in seen.graph.entities] == [told(e) for e in alone.graph.entities]
    assert [told(r) for r in seen.graph.relationships] == [told(r) for r in alone.graph.relationships]
    assert seen.graph.chunks == alone.graph.chunks
    assert seen.graph.mention_counts() == alone.graph.mention_counts()
    assert list(seen.claims) == list(alone.claims)
    assert list(seen.events) == list(alone.events)
    assert list(seen.arguments) == list(alone.arguments)


@settings(max_examples=tried(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_filter_that_allows_everything_changes_nothing(texts: list[str]) -> None:
    corpus = MemoryCorpus(papers("a", texts))
    seen = view(corpus, "a").graph
    assert seen.entities == corpus.graph.entities
    assert seen.relationships == corpus.graph.relationships
    assert seen.communities == corpus.graph.communities
    assert seen.reports == corpus.graph.reports


@settings(max_examples=tried(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, min_size=1, max_size=3))
def test_communities_keep_members_with_evidence_and_cite_allowed_passages(
    ours: list[str], others: list[str]
) -> None:
    corpus = MemoryCorpus(papers("a", ours) + papers("b", others))
    seen = view(corpus, "a")
    there = {entity.id for entity in seen.graph.entities}
    before = {community.id: community for community in corpus.graph.communities}
    for community in seen.graph.communities:
        kept = set(community.entity_ids)
        assert kept
        assert kept == set(before[community.id].entity_ids) & there
        assert community.parent_id == before[community.id].parent_id
        assert community.short_id == before[community.id].short_id
        assert set(community.children) <= {c.id for c in seen.graph.communities}
    gone = before.keys() - {c.id for c in seen.graph.communities}
    assert all(not set(before[id_].entity_ids) & there for id_ in gone)
    findings = [finding for report in seen.graph.reports for finding in report.findings]
    assert all(finding.document_id in seen.allowed for finding in findings)
    assert {r.community_id for r in seen.graph.reports} == {c.id for c in seen.graph.communities}


def test_two_documents_that_describe_one_entity_differently() -> None:
    ours = "John Snow was a physician in London. John Snow removed the pump."
    others = "Dr. John Snow, the epidemiologist, was a spy of Prussia in 1854. John Snow met Otto Bismarck in Berlin."
    seen = view(MemoryCorpus(papers("a", [ours]) + papers("b", [others])), "a")
    snow = seen.graph.entity("John Snow")
    assert "physician" in (snow.description or "")
    assert snow.n_mentions == 2
    text = repr([seen.graph.entities, seen.graph.relationships, seen.graph.communities, seen.graph.reports])
    for word in ("spy", "Prussia", "Berlin", "Bismarck", "epidemiologist", "1854", "Dr."):
        assert word not in text


def test_an_entity_goes_by_a_name_that_the_allowed_documents_use() -> None:
    same = Resolution(same=(("London", "Londinium"),))
    ours = "Julius Agricola marched to Londinium. Londinium burned."
    others = "Samuel Pepys lived in London. London burned in 1666. London was rebuilt. Wren worked in London."
    corpus = MemoryCorpus(papers("a", [ours]) + papers("b", [others]), same)
    (city,) = [e for e in corpus.graph.entities if e.name == "London"]
    seen = view(corpus, "a").graph.entity(city.id)
    assert (seen.name, seen.id, seen.short_id) == ("Londinium", city.id, city.short_id)
    assert (seen.attributes or {})["aliases"] == {"Londinium": 2}
    assert view(corpus, "b").graph.entity(city.id).name == "London"


def test_a_relationship_denied_elsewhere_is_not_doubted_here() -> None:
    ours = "Foul water caused cholera."
    others = "Foul water did not cause cholera. Smoke caused cholera."
    corpus = MemoryCorpus(papers("a", [ours]) + papers("b", [others]))
    whole = {r.id: r for r in corpus.graph.relationships}
    here, there = (
        {r.id: r for r in view(corpus, group).graph.relationships if r.type.endswith("causes")}
        for group in "ab"
    )
    (cause,) = here.values()
    assert whole[cause.id].negated_weight > 0
    assert (cause.type, cause.negated_weight, cause.n_evidence) == ("causes", 0.0, 1)
    assert there[cause.id].type == "not_causes"


def test_nothing_allowed_is_an_empty_index() -> None:
    corpus = MemoryCorpus(papers("a", ["John Snow met William Farr in London."]))
    seen = view(corpus, "b")
    graph = seen.graph
    assert [
        *seen.documents,
        *seen.mentions,
        *graph.entities,
        *graph.chunks,
        *graph.communities,
        *graph.reports,
    ] == []
    assert seen.entity_of(corpus.mentions[0].id) is None
