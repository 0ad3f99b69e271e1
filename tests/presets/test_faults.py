"""Every preset with every fault of a language model: it answers, and each sentence cites what is there."""

import re

import pytest

from corpusgraph.tasks.method.run import run_method
from tests.contract.graphs import resources, rich
from tests.every import every
from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.presets.test_every_preset import METHODS, QUESTION, RUNNABLE, SAID

ITEMS = rich()
TEXTS = {chunk.id: chunk.content for chunk in ITEMS["chunks"]}
PORTS = resources(ITEMS)
CITED = re.compile(r"[^\[\]]*\w[^\[\]]*(\[\d+\])+")
"""A sentence, or more that one source says, with its citations."""
TELLING = {
    **SAID,
    "NextStep": {"sentence": "Contaminated water caused cholera.", "query": "London", "done": False},
    "Primed": {"sentences": [{"text": "Water caused it.", "sources": [1]}], "follow_up_queries": ["Where?"]},
    "RatedPoints": {"points": [{"text": "Water caused cholera.", "score": 90, "sources": [1, 2, 3]}]},
    "WrittenText": {
        "sentences": [
            {"text": "Contaminated water caused cholera.", "sources": [1, 2, 3]},
            {"text": "Comets bring misfortune.", "sources": [1]},
            {"text": "Nobody knows.", "sources": []},
        ]
    },
}


@every("name", RUNNABLE)
@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_leaves_a_sentence_without_a_citation(name: str, fault: Fault) -> None:
    llm = FakeModel(lambda _prompt, answer: TELLING.get(answer.__name__, {}), fault=fault)
    found = run_method(METHODS[name], QUESTION, {**PORTS, "llm": llm})
    answer = found.answer
    assert answer is not None
    assert answer.text
    assert answer.supported == bool(answer.citations)
    if answer.supported:
        assert CITED.sub("", answer.text).strip() == ""
        numbers = {int(n) for n in re.findall(r"\[(\d+)\]", answer.text)}
        assert numbers == set(range(1, len(answer.citations) + 1))
        assert all(citation.chunk_id in TEXTS and citation.text for citation in answer.citations)
        assert "Comets" not in answer.text
    assert found.usage.calls == llm.usage.calls
    if fault == "error" and llm.prompts:
        assert "llm_failed" in {warning.code for warning in found.warnings}
