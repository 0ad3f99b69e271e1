"""Methods written in the tests, and the small graph they run on."""

from typing import Any

from corpusgraph.flows.files.yaml_file import line_of, load_yaml
from corpusgraph.schemas.method import Method, MethodIssue, MethodResult, Step
from corpusgraph.tasks.method.check import check_method
from corpusgraph.tasks.method.parse import parse_method
from corpusgraph.tasks.method.run import run_method
from tests.contract.graphs import resources, rich

PORTS = dict(resources(rich()))
QUESTION = "What caused cholera in London?"


def method(text: str) -> Method:
    """Parse the text of a method file."""
    data, root = load_yaml(text)
    assert root is not None
    return parse_method(data, lambda where: line_of(root, where), "m.yml", name="m")


def steps(text: str, **more: Any) -> Method:
    """Return a method of the steps alone; it only retrieves, unless told otherwise."""
    return method(f"steps:\n{text}").model_copy(update={"answer": None, **more})


def issues(made: Method) -> list[MethodIssue]:
    """Return what the check finds."""
    return list(check_method(made).issues)


def inputs_of(made: Method, id_: str) -> dict[str, Any]:
    """Return the inputs of a step as it would run."""
    found = [n for n in check_method(made).method.steps if isinstance(n, Step) and n.id == id_]
    return dict(found[0].inputs)


def ran(made: Method, question: str = QUESTION, **ports: Any) -> MethodResult:
    """Run a method on the small graph."""
    return run_method(made, question, {**PORTS, **ports})


def ids(values: Any) -> list[str]:
    """Return the ids of scored items, in order."""
    return [value.item.id for value in values]
