"""What language models cost: counted while a method runs, and estimated before."""

import pytest

from corpusgraph.schemas.errors import MethodCheckError
from corpusgraph.schemas.llm import Usage
from corpusgraph.tasks.method.plan import plan_method
from tests.llm.fake import FakeModel
from tests.method.given import method, ran, steps

BEAM = """
steps:
  - entity_similarity_link: {entities: [John Snow, cholera], top_k: 1}
    as: topics
  - loop:
      rounds: 3
      carry: {frontier: $topics}
      steps:
        - relationship_agent_find: {entity_context: $frontier, width: 3}
          as: picked
        - entity_agent_find: {entities: $frontier, relationships: $picked, width: 3}
          as: kept
        - query_sufficiency: {relationships: $picked}
          as: enough
      next: {frontier: $kept}
      until: $enough
      collect: {triples: $picked}
    as: beam
answer: {relationships: $beam.triples}
"""


def test_calls_are_counted_step_by_step_and_in_all() -> None:
    fake = FakeModel({}, fault="error")
    found = ran(method(BEAM), llm=fake)
    assert found.usage == fake.usage
    assert found.usage.calls == len(fake.prompts) > 0
    assert sum((line.usage for line in found.trace), Usage()) == found.usage
    assert found.trace[0].usage == Usage()
    assert "llm_failed" in {warning.code for warning in found.warnings}


def test_without_a_model_nothing_is_counted_and_the_stand_ins_say_so() -> None:
    found = ran(method(BEAM))
    assert found.usage == Usage()
    assert "no_llm" in {warning.code for warning in found.warnings}


def test_a_plan_tells_every_step_what_it_reads_and_writes_and_the_most_it_costs() -> None:
    plan = plan_method(method(BEAM))
    found = {step.id: step for step in plan.steps}
    assert list(found) == ["topics", "beam", "picked", "kept", "enough", "answer"]
    assert found["beam"].does == "at most 3 rounds until $enough"
    assert found["picked"].reads == ("$frontier", "$q")
    assert found["picked"].writes == "relationships"
    assert found["picked"].llm_calls == 3 * 3
    assert found["kept"].llm_calls == 3 * 3 * 3
    assert found["enough"].llm_calls == 3
    assert found["enough"].llm_tokens == 3 * (4000 + 500)
    assert found["answer"].llm_calls == 1
    assert plan.llm_calls == 9 + 27 + 3 + 1
    assert plan.llm_tokens == sum(step.llm_tokens for step in plan.steps)


def test_the_most_is_never_less_than_what_a_run_calls() -> None:
    fake = FakeModel({}, fault="error")
    ran(method(BEAM), llm=fake)
    assert len(fake.prompts) <= plan_method(method(BEAM)).llm_calls


def test_map_and_reduce_is_a_call_for_each_group_and_one() -> None:
    made = method(
        "steps:\n  - community_by_layer: {max_layer: 1, top_k: 200}\nanswer: {mode: map_reduce, group_tokens: 12000}\n"
    )
    assert plan_method(made).llm_calls == 1 + 200 * 300 // 12000


def test_a_loop_over_a_result_is_counted_by_its_cap() -> None:
    made = steps(
        "  - chunk_vdb_search: {top_k: 4}\n    as: hits\n  - loop: {each: $hits, steps: [query_reason: {chunks: $item}]}\n"
    )
    assert plan_method(made).llm_calls == 4


def test_a_method_without_calls_says_nothing_of_them() -> None:
    plan = plan_method(steps("  - chunk_vdb_search: {}\n"))
    assert (plan.llm_calls, plan.llm_tokens, plan.notes) == (0, 0, ())


def test_adapters_are_marked_and_told() -> None:
    plan = plan_method(steps("  - entity_ppr_rank: {}\n", adapt=True))
    assert [step.adapter for step in plan.steps] == [True, False]
    assert plan.notes == ("entity_ppr_rank: entity_vdb_search makes entities of the question",)


def test_what_cannot_run_has_no_plan() -> None:
    with pytest.raises(MethodCheckError):
        plan_method(steps("  - entity_ppr_rank: {}\n"))
