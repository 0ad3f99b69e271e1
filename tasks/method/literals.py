"""The values that a step is given word for word, validated before anything runs."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from corpusgraph.tasks._tool import Tool
from corpusgraph.tasks.method.kinds import Kind
from corpusgraph.tasks.method.ports import names_of, stand_in
from corpusgraph.tasks.method.refs import literal

Problem = tuple[str, str, str | None]
"""Code of an issue, message and hint."""


def value_problems(tool: Tool, inputs: Mapping[str, Any], kinds: Mapping[str, Kind]) -> Iterator[Problem]:
    """Yield what is wrong with the values of a step; `kinds` are the fields that refer to results.

    The tool's own model validates them, beside samples of what those fields will be given. Where a sample
    cannot be made, what the model says about fields together is left to the run.
    """
    given = {name: literal(value) for name, value in inputs.items() if name not in kinds}
    samples = {name: stand_in(tool, name, kind) for name, kind in kinds.items()}
    known = {name: sample for name, sample in samples.items() if sample is not None}
    try:
        tool.input.model_validate({**given, **known})
    except ValidationError as error:
        for problem in error.errors(include_url=False):
            field = names_of(tool).get(str(problem["loc"][0]), "") if problem["loc"] else ""
            if field in kinds or (not field and len(known) < len(samples)):
                continue
            if problem["type"] == "missing":
                about = tool.input.model_fields[field].description
                yield "missing_input", f"{tool.name} needs {field}", about
                continue
            said = problem["msg"].removeprefix("Value error, ")
            where = f"{tool.name}.{field}" if field else tool.name
            written = f", not {inputs[field]!r}" if field in inputs else ""
            yield "bad_value", f"{where}: {said[0].lower()}{said[1:]}{written}", None
