"""The hand-annotated passages keep the invariants that their README states."""

import json
import re
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
Span = tuple[int, int]
Record = dict[str, Any]

ENTITY_TYPES = frozenset({"person", "organisation", "place", "date", "quantity", "concept"})
CAUSAL_TYPES = frozenset({"causes", "prevents"})
RELATION_TYPES = frozenset(
    [
        "about",
        "appointed_by",
        "attacked",
        "based_on",
        "became",
        "borders",
        "born_in",
        "born_on",
        "captured",
        "causes",
        "child_of",
        "claimed_by",
        "comes_from",
        "composed_by",
        "controls",
        "created_by",
        "created_on",
        "defeated_by",
        "depends_on",
        "derived_from",
        "died_on",
        "directed_by",
        "dissolved_on",
        "extends",
        "flows_into",
        "founded_by",
        "founded_on",
        "governed_by",
        "has_value",
        "headquartered_in",
        "holds_office",
        "implements",
        "is_a",
        "led_by",
        "lived_in",
        "located_in",
        "located_near",
        "married_to",
        "member_of",
        "moved_to",
        "named_after",
        "named_by",
        "occurred_during",
        "occurred_on",
        "opposes",
        "originated_in",
        "owned_by",
        "part_of",
        "participated_in",
        "partner_of",
        "performed_by",
        "prevents",
        "produced_by",
        "published_by",
        "recorded_at",
        "relates_to",
        "released_by",
        "released_on",
        "renamed_to",
        "represents",
        "restricts",
        "separated_from",
        "sibling_of",
        "stars",
        "studied",
        "succeeded",
        "supports",
        "uses",
        "won_by",
        "works_for",
        "written_by",
    ]
)
FIELDS = frozenset(
    [
        "id",
        "source",
        "title",
        "split",
        "start",
        "text",
        "entities",
        "noun_phrases",
        "relations",
        "events",
        "claims",
        "argument",
    ]
)
DETERMINERS = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "his",
        "her",
        "its",
        "their",
        "our",
        "your",
        "my",
        "every",
        "each",
        "any",
        "all",
        "some",
        "no",
        "many",
        "such",
    ]
)
_DAY = r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?"
ISO = re.compile(rf"{_DAY}(/({_DAY}|\.\.))?")


ASSERTION_KINDS = frozenset({"prose18", "speech", "letter", "news", "chat", "science"})
ASSERTION_TYPES = frozenset(
    {
        "causes",
        "prevents",
        "part_of",
        "uses",
        "depends_on",
        "is_a",
        "located_in",
        "supports",
        "opposes",
        "open",
    }
)
ASSERTION_LAYERS = ("assertions", "coreference", "claims", "argument", "events", "entities")
POLARITIES = frozenset({"stated", "denied"})
MODALITIES = frozenset({"fact", "hypothetical", "asked", "modal"})


def _load(*names: str) -> list[Record]:
    lines = [line for name in names for line in (HERE / name).read_text(encoding="utf-8").split("\n")]
    return [json.loads(line) for line in lines if line]


GOLD = _load("gold.jsonl")
ASSERTED = _load(*sorted(path.name for path in HERE.glob("gold_assertions_*.jsonl")))
SENTENCES = _load("causal_sentences.jsonl")


def _of_each(records: list[Record]) -> Callable[[Callable[[Record], None]], Callable[[], None]]:
    """Make one test of a test of a record: two thousand tests take longer to start than to run."""

    def decorated(test: Callable[[Record], None]) -> Callable[[], None]:
        def test_all() -> None:
            for record in records:
                try:
                    test(record)
                except AssertionError as error:
                    error.add_note(f"in the record {record['id']}")
                    raise

        return test_all

    return decorated


passages, asserted, sentences = _of_each(GOLD), _of_each(ASSERTED), _of_each(SENTENCES)


def _span(item: Record) -> Span:
    return item["start"], item["end"]


def _spans(gold: Record, *layers: str) -> list[Span]:
    return [_span(item) for layer in layers for item in gold[layer]]


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _every_span(gold: Record) -> list[Record]:
    """Give every object of a passage that has offsets, whichever layer it is in."""
    found = [item for layer in ("entities", "noun_phrases", "events", "claims") for item in gold[layer]]
    for relation in gold["relations"]:
        found += [relation["source"], relation["target"]]
    found += [actor for event in gold["events"] for actor in event["actors"]]
    found += [item["cue"] for item in gold["relations"] + gold["argument"] if item["cue"] is not None]
    return found


def test_passages_are_forty_with_unique_names_and_an_even_split() -> None:
    assert len({gold["id"] for gold in GOLD}) == len(GOLD) == 40
    for split in ("dev", "test"):
        names = [str(gold["id"]) for gold in GOLD if gold["split"] == split]
        assert sum(name.startswith("fed-") for name in names) == 5
        assert sum(name.startswith("mt-") for name in names) == 15


@passages
def test_record_has_the_fields_of_the_format(gold: Record) -> None:
    assert set(gold) == FIELDS
    assert re.fullmatch(r"federalist-\d\d\.txt|mt-\d{5}", gold["source"])
    assert gold["start"] >= 0
    assert gold["start"] == 0 or gold["source"].startswith("federalist")
    assert gold["text"].strip() == gold["text"]


@passages
def test_every_span_lies_in_the_text_and_matches_its_words(gold: Record) -> None:
    text = gold["text"]
    for item in _every_span(gold):
        assert 0 <= item["start"] < item["end"] <= len(text)
        words = text[item["start"] : item["end"]]
        assert words == words.strip()
        assert item.get("text", words) == words


@passages
def test_entities_are_typed_disjoint_and_consistently_clustered(gold: Record) -> None:
    types: dict[str, str] = {}
    for entity in gold["entities"]:
        assert entity["type"] in ENTITY_TYPES
        assert re.fullmatch(r"[a-z][a-z0-9_]*", entity["cluster"])
        assert types.setdefault(entity["cluster"], entity["type"]) == entity["type"]
    spans = _spans(gold, "entities")
    assert spans == sorted(spans)
    assert not any(_overlap(one, other) for one, other in pairwise(spans))


@passages
def test_noun_phrases_are_disjoint_and_hold_an_entity_whole_or_not_at_all(gold: Record) -> None:
    spans = _spans(gold, "noun_phrases")
    assert spans == sorted(spans)
    assert not any(_overlap(one, other) for one, other in pairwise(spans))
    for phrase in spans:
        for entity in _spans(gold, "entities"):
            inside = phrase[0] <= entity[0] and entity[1] <= phrase[1] and phrase != entity
            assert inside or not _overlap(phrase, entity)


@passages
def test_mentions_do_not_begin_with_a_determiner(gold: Record) -> None:
    for item in gold["entities"] + gold["noun_phrases"]:
        assert item["text"].split()[0].lower() not in DETERMINERS


@passages
def test_one_word_noun_phrases_take_part_in_a_relation_or_an_event(gold: Record) -> None:
    used = {_span(relation[end]) for relation in gold["relations"] for end in ("source", "target")}
    used |= {_span(actor) for event in gold["events"] for actor in event["actors"]}
    for phrase in gold["noun_phrases"]:
        assert len(phrase["text"].split()) > 1 or _span(phrase) in used


@passages
def test_relations_join_annotated_mentions_with_known_types(gold: Record) -> None:
    known = set(_spans(gold, "entities", "noun_phrases"))
    seen = set()
    for relation in gold["relations"]:
        assert set(relation) == {"source", "target", "type", "is_causal", "negated", "anaphoric", "cue"}
        source, target = _span(relation["source"]), _span(relation["target"])
        assert {source, target} <= known
        assert source != target
        assert relation["type"] in RELATION_TYPES
        assert relation["is_causal"] or relation["type"] not in CAUSAL_TYPES
        seen.add((source, target, relation["type"]))
    assert len(seen) == len(gold["relations"])


@passages
def test_events_have_iso_dates_and_annotated_actors(gold: Record) -> None:
    known = set(_spans(gold, "entities", "noun_phrases"))
    for event in gold["events"]:
        assert ISO.fullmatch(event["date"])
        first, _, last = event["date"].partition("/")
        assert last in ("", "..") or first < last
        assert {_span(actor) for actor in event["actors"]} <= known
    assert len(set(_spans(gold, "events"))) == len(gold["events"])


@passages
def test_arguments_join_two_claims_of_the_passage(gold: Record) -> None:
    spans = _spans(gold, "claims")
    assert spans == sorted(set(spans))
    assert not any(_overlap(one, other) for one, other in combinations(spans, 2))
    for link in gold["argument"]:
        assert link["type"] in ("attack", "support")
        assert link["source"] != link["target"]
        assert {link["source"], link["target"]} <= set(range(len(spans)))
        assert link["cue"]["text"]


def _counts(layer: str, key: str | None = None) -> dict[str, tuple[int, int]]:
    """Count the items of a layer, or of each type in it, in the dev and the test passages."""
    table: dict[str, tuple[int, int]] = {}
    for gold in GOLD:
        for item in gold[layer]:
            name = item[key] if key else layer
            dev, test = table.get(name, (0, 0))
            table[name] = (dev + 1, test) if gold["split"] == "dev" else (dev, test + 1)
    return table


def test_readme_counts_and_vocabulary_are_those_of_the_passages() -> None:
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    rows: dict[str, tuple[int, int]] = {}
    for layer in ("entities", "noun_phrases", "relations", "events", "claims", "argument"):
        rows |= _counts(layer)
    rows |= _counts("entities", "type") | _counts("relations", "type") | _counts("argument", "type")
    for name, (dev, test) in rows.items():
        assert f"| `{name}` | {dev} | {test} | {dev + test} |" in readme, name
    for name in RELATION_TYPES:
        assert f"`{name}`" in readme, name


def _holds_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _spans_with_assertions(gold: Record) -> list[Record]:
    """Give every object with offsets of a passage whose assertions are annotated."""
    items = [item for layer in ("entities", "events", "claims", "coreference") for item in gold[layer]]
    for assertion in gold["assertions"]:
        items += [assertion["source"], assertion["target"]]
    items += [item["antecedent"] for item in items if "antecedent" in item]
    items += [actor for event in gold["events"] for actor in event["actors"]]
    items += [item["cue"] for item in gold["assertions"] + gold["argument"] if item["cue"] is not None]
    return items


def test_passages_with_assertions_have_unique_names() -> None:
    names = [gold["id"] for gold in ASSERTED]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", ["prose18", "speech", "letter"])
def test_prose_speeches_and_letters_have_an_even_split(kind: str) -> None:
    splits = [gold["split"] for gold in ASSERTED if gold["kind"] == kind]
    assert (splits.count("dev"), splits.count("test")) == (10, 10)


@asserted
def test_passage_with_assertions_has_the_fields_of_the_format(gold: Record) -> None:
    fields = {"id", "kind", "source", "title", "split", "text", *ASSERTION_LAYERS}
    assert set(gold) - {"start"} == fields
    assert gold["kind"] in ASSERTION_KINDS
    assert gold["split"] in ("dev", "test")
    assert gold["text"].strip() == gold["text"]


@asserted
def test_every_span_beside_an_assertion_lies_in_the_text(gold: Record) -> None:
    text = gold["text"]
    for item in _spans_with_assertions(gold):
        assert 0 <= item["start"] < item["end"] <= len(text)
        words = text[item["start"] : item["end"]]
        assert words == words.strip()
        assert item.get("text", words) == words
        assert _holds_word(words, item.get("head", words))


@asserted
def test_assertions_join_two_ends_with_known_values_and_do_not_repeat(gold: Record) -> None:
    seen = set()
    for assertion in gold["assertions"]:
        source, target = _span(assertion["source"]), _span(assertion["target"])
        assert source != target
        assert assertion["type"] in ASSERTION_TYPES
        assert assertion["polarity"] in POLARITIES
        assert assertion["modality"] in MODALITIES
        assert assertion["lemma"] or assertion["type"] != "open"
        assert assertion["attributed_to"] is None or assertion["attributed_to"] in gold["text"]
        keys = ("type", "lemma", "polarity", "attributed_to")
        seen.add((source, target, *(assertion[key] for key in keys)))
    assert len(seen) == len(gold["assertions"])


@asserted
def test_references_have_one_antecedent_each_elsewhere_in_the_passage(gold: Record) -> None:
    spans = _spans(gold, "coreference")
    assert len(set(spans)) == len(spans)
    assert not any(_overlap(_span(item), _span(item["antecedent"])) for item in gold["coreference"])


@asserted
def test_entities_beside_assertions_are_typed_and_disjoint(gold: Record) -> None:
    assert {entity["type"] for entity in gold["entities"]} <= ENTITY_TYPES
    spans = _spans(gold, "entities")
    assert spans == sorted(spans)
    assert not any(_overlap(one, other) for one, other in pairwise(spans))


@asserted
def test_events_beside_assertions_have_iso_dates_and_an_activity(gold: Record) -> None:
    for event in gold["events"]:
        assert ISO.fullmatch(event["date"])
        first, _, last = event["date"].partition("/")
        assert last in ("", "..") or first < last
        assert event["activity"]
        assert isinstance(event["approximate"], bool)


@asserted
def test_arguments_beside_assertions_join_two_claims(gold: Record) -> None:
    spans = _spans(gold, "claims")
    assert spans == sorted(set(spans))
    for link in gold["argument"]:
        assert link["type"] in ("attack", "support")
        assert link["source"] != link["target"]
        assert {link["source"], link["target"]} <= set(range(len(spans)))


def test_readme_counts_the_causal_sentences() -> None:
    assert len({sentence["id"] for sentence in SENTENCES}) == len(SENTENCES)
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    for split in ("dev", "test"):
        arrows = [len(sentence["arrows"]) for sentence in SENTENCES if sentence["split"] == split]
        assert f"| `{split}` | {len(arrows)} | {arrows.count(0)} | {sum(arrows)} |" in readme


@sentences
def test_arrows_quote_their_sentence(sentence: Record) -> None:
    for arrow in sentence["arrows"]:
        assert arrow["type"] in CAUSAL_TYPES
        assert arrow["polarity"] in POLARITIES
        assert arrow["modality"] in MODALITIES
        for end in ("source", "target"):
            assert _holds_word(sentence["text"], arrow[f"{end}_text"])
            # a pronoun's head is its antecedent's
            assert _holds_word(sentence["text"], arrow[f"{end}_head"])


def test_readme_counts_the_assertions_of_prose_speeches_and_letters() -> None:
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    for kind in ("prose18", "speech", "letter"):
        for layer in ASSERTION_LAYERS:
            sizes = dict.fromkeys(("dev", "test"), 0)
            for gold in ASSERTED:
                if gold["kind"] == kind:
                    sizes[gold["split"]] += len(gold[layer])
            dev, test = sizes["dev"], sizes["test"]
            assert f"| `{kind}` | `{layer}` | {dev} | {test} | {dev + test} |" in readme, (kind, layer)
