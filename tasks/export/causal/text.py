"""Causal graphs as text: dagitty, GML, DOT."""

from collections.abc import Iterator, Mapping

from corpusgraph.tasks.prepare.causal.nouns import CausalEdge, CausalModel, CausalNode
from corpusgraph.tasks.statistics.names import legal_names

Names = Mapping[str, str]


def node_names(result: CausalModel) -> dict[str, str]:
    """Map node ids to names that formulas accept; letters of every script stay."""
    labels = [node.label for node in result.nodes]
    keys = [label if labels.count(label) == 1 else f"{label} {n}" for n, label in enumerate(labels, 1)]
    legal = legal_names(keys, "python")
    return {node.id: legal[key] for node, key in zip(result.nodes, keys, strict=True)}


def roles(result: CausalModel, node: CausalNode) -> list[str]:
    """Return the parts a node plays: exposure, outcome, latent, adjusted, selected."""
    parts = {
        "exposure": node.id in result.exposure,
        "outcome": node.id in result.outcome,
        "latent": node.latent,
        "adjusted": node.adjusted,
        "selected": node.selected,
    }
    return [part for part, played in parts.items() if played]


def dagitty(result: CausalModel, names: Names) -> bytes:
    """Write the syntax of dagitty (Textor et al. 2016): roles in brackets, names in quotes."""
    lines = ["dag {"]
    for node in result.nodes:
        told = ",".join(roles(result, node))
        lines.append(f'"{names[node.id]}"' + (f" [{told}]" if told else ""))
    for edge in result.edges:
        arrow = "<->" if edge.type == "bidirected" else "->"
        lines.append(f'"{names[edge.source_id]}" {arrow} "{names[edge.target_id]}"')
    return "\n".join([*lines, "}", ""]).encode()


def gml(result: CausalModel, names: Names, *, canonical: bool = False) -> bytes:
    """Write GML (Himsolt 1997), a directed graph in ASCII with character entities.

    `canonical`: as dowhy wants it, with every bidirected edge as a latent common cause and
    `observed "no"` on what is not observed; else bidirected edges are edges with their type.
    """
    lines = ["graph [", "  directed 1"]
    number = {node.id: n for n, node in enumerate(result.nodes)}
    for node in result.nodes:
        lines += _gml_node(number[node.id], names[node.id], node)
    hidden = len(result.nodes)
    for edge in result.edges:
        ends = (number[edge.source_id], number[edge.target_id])
        if canonical and edge.type == "bidirected":
            label = f"U_{names[edge.source_id]}_{names[edge.target_id]}"
            lines += _gml_node(hidden, label, CausalNode(id=label, latent=True))
            lines += [line for end in ends for line in _gml_edge(hidden, end, None)]
            hidden += 1
        else:
            lines += _gml_edge(*ends, edge)
    return "\n".join([*lines, "]", ""]).encode("ascii")


def _gml_node(number: int, label: str, node: CausalNode) -> Iterator[str]:
    yield "  node ["
    yield f"    id {number}"
    yield f'    label "{_entities(label)}"'
    yield f'    name "{_entities(node.label)}"'
    yield f'    observed "{"no" if node.latent else "yes"}"'
    yield "  ]"


def _gml_edge(source: int, target: int, edge: CausalEdge | None) -> Iterator[str]:
    yield "  edge ["
    yield f"    source {source}"
    yield f"    target {target}"
    if edge is not None:
        yield f'    type "{edge.type}"'
        for key, value in (
            ("sign", edge.sign),
            ("confidence", edge.confidence),
            ("nfor", edge.n_for),
            ("nagainst", edge.n_against),
        ):
            if value is not None:
                yield f"    {key} {value:.6f}" if isinstance(value, float) else f"    {key} {value}"
    yield "  ]"


def _entities(text: str) -> str:
    """Write what is not plain ASCII, and quotes and ampersands, as numeric character references."""
    return "".join(c if " " <= c <= "~" and c not in '&"' else f"&#{ord(c)};" for c in text)


def dot(result: CausalModel, names: Names) -> bytes:
    """Write DOT: latent nodes dashed, preventing arrows with a bar, bidirected edges dashed."""
    lines = ["digraph causal {"]
    for node in result.nodes:
        style = ", style=dashed" if node.latent else ""
        lines.append(f"  {_quoted(names[node.id])} [label={_quoted(node.label)}{style}];")
    for edge in result.edges:
        style = {"bidirected": " [dir=both, style=dashed]"}.get(edge.type, "")
        if edge.sign == -1 or edge.type == "prevents":
            style = " [arrowhead=tee]"
        lines.append(f"  {_quoted(names[edge.source_id])} -> {_quoted(names[edge.target_id])}{style};")
    return "\n".join([*lines, "}", ""]).encode()


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') + '"'
