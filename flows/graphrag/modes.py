"""What `search_mode` and `community_level` mean here: a method, and how fine its communities are."""

from functools import lru_cache

from corpusgraph.schemas.errors import MethodCheckError, UnknownMethodError, did_you_mean
from corpusgraph.schemas.method import Loop, Method, MethodCheck, Node, Step

MODES = {"local": "ms_local", "global": "ms_global", "drift": "ms_drift", "basic": "ms_basic"}
"""The modes of GraphRAG and the methods that do what they do; any other mode is a method's own name."""
LEVELS = ("community_level", "max_layer")
"""Parameters of tools that bound the level of communities."""


def check_mode(mode: str) -> str:
    """Return a mode that there is; another is a ValueError with the nearest."""
    if mode not in MODES:
        from corpusgraph.flows.resources.packaged import is_path

        if is_path(mode):
            message = f"search_mode is the name of a method, not a path: {mode!r}"
            raise ValueError(message)
        try:
            method_of(mode, 0)
        except UnknownMethodError as error:
            near = did_you_mean(mode, list(MODES)) or error.hint or ""
            message = f"there is no search_mode {mode!r}. {near}".strip()
            raise ValueError(message) from None
        except MethodCheckError as error:
            message = f"search_mode {mode!r} cannot run: {error.message}"
            raise ValueError(message) from None
    return mode


@lru_cache(maxsize=64)
def method_of(mode: str, level: int) -> MethodCheck:
    """Return the method of a mode, its communities no finer than a level, its answer with its context."""
    from corpusgraph.flows.methods import load_method
    from corpusgraph.tasks.method.check import checked

    method = load_method(MODES.get(mode, mode))
    levelled = method.model_copy(update={"steps": tuple(_levelled(node, level) for node in method.steps)})
    return checked(_with_context(levelled))


def has_level(mode: str) -> bool:
    """Tell whether a mode reads communities, so that their level means something."""
    return method_of(mode, 0).method != method_of(mode, 1).method


def _levelled(node: Node, level: int) -> Node:
    if isinstance(node, Loop):
        return node.model_copy(update={"steps": tuple(_levelled(inner, level) for inner in node.steps)})
    if not isinstance(node, Step):
        return node
    chosen = {name: level for name in LEVELS if name in _parameters(node.tool)}
    return node.model_copy(update={"inputs": {**node.inputs, **chosen}}) if chosen else node


def _parameters(tool: str) -> set[str]:
    from corpusgraph.tasks.method.tools import find_tool

    found = find_tool(tool)
    return set() if found is None else set(found.input.model_fields)


def _with_context(method: Method) -> Method:
    """Let the answer come with what it was made from, to be counted."""
    if method.answer is None:
        return method
    return method.model_copy(update={"answer": {**method.answer, "include_context": True}})
