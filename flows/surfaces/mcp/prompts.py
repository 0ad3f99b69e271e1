"""Prompts: how to begin with a question, a comparison of methods, and a study."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from corpusgraph.schemas.errors import did_you_mean

Given = Mapping[str, str]


@dataclass(frozen=True)
class _Prompt:
    """A prompt: its arguments (name, what it is, whether it must be given) and the text made of them."""

    title: str
    about: str
    arguments: tuple[tuple[str, str, bool], ...]
    text: Callable[[Given], str]


_INDEX = ("index", "name of the index; left out: the only one there is", False)


def _on(given: Given) -> str:
    return f' in the index "{given["index"]}"' if given.get("index") else ""


def _ask(given: Given) -> str:
    method = f' with the method "{given["method"]}"' if given.get("method") else ""
    about = f' It is about "{given["entity"]}": look that up first.' if given.get("entity") else ""
    return (
        f"Answer this question{_on(given)}: {given['question']}\n\n"
        f"Call `ask`{method}.{about} Use only what the result says, and cite each sentence by document title "
        "and passage as the result does. If `supported` is false, or a passage contradicts another, say so. "
        "If the answer is thin, look further with `entity_similarity_link` on the names in the question, "
        "`relationship_onehop_extract` on what that finds, and `chunk_from_relationships`; then answer."
    )


def _compare_methods(given: Given) -> str:
    methods = given.get("methods") or "default, bm25, hipporag, lgraphrag"
    return (
        f"Compare retrieval methods{_on(given)} on this question: {given['question']}\n\n"
        f"Call `ask` once with each of the methods {methods} (`list_methods` describes all) and the same "
        "top_k. Make a table: method, answer in one line, documents cited, passages that no other method "
        "found, milliseconds, tokens, and cost. Then say which passages bear on the question, which method "
        "found most of them, and where the methods disagree. Judge by passages, not by how an answer reads."
    )


def _prepare_study(given: Given) -> str:
    unit = given.get("unit") or "the unit that fits it (entity, document, chunk, event, community or pair)"
    about = f' Begin with "{given["entity"]}".' if given.get("entity") else ""
    return (
        f"Prepare a dataset{_on(given)} for this research question: {given['question']}\n\n"
        f"The unit of analysis is {unit}.{about}\n"
        "1. Say which claim is to be tested, and which outcome, predictors and confounders it needs.\n"
        "2. Read the graph: `list_indexes`, `community_by_layer`, `entity_vdb_search`, and the passages "
        "behind what you find. Invent no values: each comes from a passage, or is computed by a tool.\n"
        "3. Turn it into a table with `transform_graph_to_table`.\n"
        "4. Call the tool that fits: `prepare_statistical_analysis` (regression, sem, descriptive), "
        "`prepare_causal_model` (dag, bayesian, do_calculus), `prepare_argument_network` or "
        "`prepare_process_trace`; give `bundle` a folder name where it is taken: files are written.\n"
        "5. Report: every variable with unit, range and missing values; every warning of the tools; what the "
        "corpus cannot tell, and why it may be biased."
    )


PROMPTS: dict[str, _Prompt] = {
    "ask": _Prompt(
        "Ask a question",
        "Answer a question from an index, with citations.",
        (
            ("question", "the question, in any words", True),
            _INDEX,
            ("method", "retrieval method [default]", False),
            ("entity", "what the question is about", False),
        ),
        _ask,
    ),
    "compare_methods": _Prompt(
        "Compare methods",
        "Ask one question by several retrieval methods, and compare what they find.",
        (
            ("question", "the question, in any words", True),
            _INDEX,
            (
                "methods",
                "methods with commas between them [a simple, a lexical and two graph methods]",
                False,
            ),
        ),
        _compare_methods,
    ),
    "prepare_study": _Prompt(
        "Prepare a study",
        "From a research question to a dataset with its codebook and files.",
        (
            ("question", "the research question", True),
            _INDEX,
            ("unit", "unit of analysis: entity, document, chunk, event, community, pair", False),
            ("entity", "what the study is about", False),
        ),
        _prepare_study,
    ),
}


async def list_prompts(_ctx: object, _params: object) -> types.ListPromptsResult:
    """Answer prompts/list."""
    return types.ListPromptsResult(prompts=[_listed(name, one) for name, one in PROMPTS.items()])


def _listed(name: str, one: _Prompt) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=word, description=about, required=required)
        for word, about, required in one.arguments
    ]
    return types.Prompt(name=name, title=one.title, description=one.about, arguments=arguments)


async def get_prompt(_ctx: object, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Answer prompts/get; an unknown prompt or argument, or one that is missing, is an error with a hint."""
    one = PROMPTS.get(params.name)
    if one is None:
        raise _refused(
            "unknown_prompt", f"Unknown prompt {params.name!r}.", did_you_mean(params.name, list(PROMPTS))
        )
    given = {name: value for name, value in (params.arguments or {}).items() if value.strip()}
    known = [name for name, _, _ in one.arguments]
    for name in given:
        if name not in known:
            raise _refused(
                "invalid_input", f"{params.name} has no argument {name!r}.", did_you_mean(name, known)
            )
    for name, about, required in one.arguments:
        if required and name not in given:
            raise _refused("invalid_input", f"{params.name} needs {name!r}: {about}.", None)
    content = types.TextContent(text=one.text(given))
    message = types.PromptMessage(role="user", content=content)
    return types.GetPromptResult(description=one.about, messages=[message])


def _refused(code: str, message: str, hint: str | None) -> MCPError:
    data: dict[str, Any] = {"code": code, "message": message, "hint": hint}
    return MCPError(INVALID_PARAMS, f"{message} {hint}" if hint else message, data)
