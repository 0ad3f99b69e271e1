import json

import pytest
from pydantic import ValidationError

from corpusgraph.tasks.extract.llm.prompts import SaidEvidence
from tests.modelextraction.build import entity, relationship, said


def test_a_lenient_reading() -> None:
    read = SaidEvidence.model_validate(
        {
            "entities": {
                "name": "A",
                "type": None,
                "quote": "a",
                "attributes": {"n": 3, "m": None, "ok": True, "l": ["x", "y"]},
                "extra": 1,
            },
            "relationships": None,
            "events": [
                {
                    "activity": "came",
                    "time": 1854,
                    "actors": "A",
                    "places": [{"name": "P"}, None],
                    "quote": "a",
                }
            ],
            "claims": [
                {
                    "text": "t",
                    "speaker": None,
                    "stance": "maybe",
                    "quote": "q",
                    "supports": "1 and [2]",
                    "attacks": [True, 3.0, "no"],
                }
            ],
        }
    )
    assert {one.name: one.value for one in read.entities[0].attributes} == {
        "n": "3",
        "ok": "true",
        "l": "x, y",
    }
    assert (read.entities[0].type, read.relationships) == ("", ())
    assert (read.events[0].time, read.events[0].actors, read.events[0].places) == ("1854", ("A",), ("P",))
    claim = read.claims[0]
    assert (claim.speaker, claim.stance, claim.supports, claim.attacks) == ("", "asserts", (1, 2), (3,))


@pytest.mark.parametrize(
    ("given", "truth"), [("Yes", True), ("false", False), (1, True), (0.0, False), (None, False), ("", False)]
)
def test_truth_values_as_text(given: object, truth: bool) -> None:
    read = SaidEvidence.model_validate(said(relationships=[relationship("A", "is", "B", "q", negated=given)]))
    assert read.relationships[0].negated is truth


@pytest.mark.parametrize(
    ("given", "score"), [("80 %", 0.8), ("8/10", 0.8), (0.5, 0.5), ("high", None), (7, None)]
)
def test_confidence_as_scores_are_read(given: object, score: float | None) -> None:
    read = SaidEvidence.model_validate(
        said(relationships=[relationship("A", "is", "B", "q", confidence=given)])
    )
    assert read.relationships[0].confidence == score


@pytest.mark.parametrize("missing", ["entities", "relationships", "events", "claims"])
def test_all_four_lists_are_required(missing: str) -> None:
    with pytest.raises(ValidationError):
        SaidEvidence.model_validate({name: [] for name in said() if name != missing})


@pytest.mark.parametrize(
    "wrong",
    [
        {"entities": [{"name": "A", "type": "x"}]},
        {"entities": ["A"]},
        {"entities": 3},
        {"relationships": [{"source": "A", "type": "x", "quote": "q"}]},
        {"relationships": [relationship("A", "is", "B", "q", negated="perhaps")]},
        {"events": [{"activity": "came", "quote": "q"}]},
        {"events": [{"activity": "came", "time": "1", "quote": "q", "actors": [[["x"]]]}]},
        {"entities": [{**entity("A"), "attributes": [{"name": "x", "value": {"y": 1}}]}]},
    ],
)
def test_what_means_nothing_is_refused_by_name(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SaidEvidence.model_validate({**said(), **wrong})


def test_the_schema_that_goes_with_every_call_is_small_and_strict() -> None:
    schema = SaidEvidence.model_json_schema()
    text = json.dumps(schema, separators=(",", ":"))
    assert len(text) < 1800
    assert not {"title", "default", "minLength", "pattern"} & set(_keys(schema))
    assert sorted(schema["required"]) == ["claims", "entities", "events", "relationships"]


def _keys(schema: object) -> list[str]:
    if isinstance(schema, list):
        return [key for one in schema for key in _keys(one)]
    if not isinstance(schema, dict):
        return []
    return [*schema, *(key for name, one in schema.items() if name != "properties" for key in _keys(one))]
