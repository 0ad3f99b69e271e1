"""Which steps ask a language model, and which of them need not wait for each other."""

from collections.abc import Iterator, Sequence

from corpusgraph.schemas.method import Loop, Node, Step, Union
from corpusgraph.tasks.method.refs import parsed, references_in
from corpusgraph.tasks.method.tools import find_tool


def asks(node: Node) -> bool:
    """Tell whether a step may ask a language model; a loop does where a step of it does."""
    if isinstance(node, Loop):
        return any(asks(inner) for inner in node.steps)
    tool = find_tool(node.tool) if isinstance(node, Step) else None
    return tool is not None and "llm" in tool.ports


def apart(loop: Loop) -> bool:
    """Tell whether a loop's rounds, each for an item, know nothing of each other."""
    return loop.each is not None and not loop.next and loop.until is None


def side_by_side_order(nodes: Sequence[Node]) -> list[set[int]] | None:
    """Return for each node the places of those it waits for; None where all that ask wait for each other."""
    asking = [at for at, node in enumerate(nodes) if asks(node)]
    if len(asking) < 2:
        return None
    waits = _waits(nodes)
    together = any(one not in waits[other] for at, other in enumerate(asking) for one in asking[:at])
    return waits if together else None


def _waits(nodes: Sequence[Node]) -> list[set[int]]:
    """Return for each node the places of all before it that it rests on, or whose name it takes over."""
    reads = [set(names_read(node)) for node in nodes]
    waits: list[set[int]] = []
    for at, node in enumerate(nodes):
        before = {
            i for i in range(at) if nodes[i].id in reads[at] or node.id in reads[i] or nodes[i].id == node.id
        }
        waits.append(before.union(*(waits[i] for i in before)))
    return waits


def names_read(node: Node) -> Iterator[str]:
    """Yield the names that a node refers to, those inside a loop too."""
    texts: list[str] = []
    if isinstance(node, Step):
        texts = [*references_in(node.inputs), *_condition(node.when)]
    elif isinstance(node, Union):
        texts = list(node.union)
    else:
        texts = [*references_in(node.carry), *node.next.values(), *node.collect.values()]
        texts += [*_condition(node.until), *([node.each] if node.each else [])]
        for inner in node.steps:
            yield from names_read(inner)
    for text in texts:
        yield from (reference.name for reference in parsed(text) or ())


def _condition(text: str | None) -> list[str]:
    return [text.strip().removeprefix("not").strip()] if text else []
