"""The picture of an argument network: claims by their grounded status, attacks, supports, and a key."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, ClaimRelation
from corpusgraph.tasks.export.argument.text import grounded_status
from corpusgraph.tasks.export.figures.network import (
    Arrow,
    Kind,
    Node,
    draw_network,
    packed,
    parts,
    sign_of,
    sign_of_arrow,
)
from corpusgraph.tasks.export.figures.page import (
    GREEN,
    GREY,
    INK,
    LINE,
    MARGIN,
    ORANGE,
    RED,
    SKY,
    SMALL,
    TOP,
    WHITE,
    Entry,
    Look,
    Page,
    clean,
    mixed,
    picture,
    plural,
    width,
    wrapped,
)
from corpusgraph.tasks.export.files import Files

MOST_CLAIMS = 60
MOST_RELATIONS = 200
"""More cannot be told apart on a page."""
_WIDTH = 640.0
KINDS = {
    "accepted": Kind("box", Look(fill=mixed(SKY, 0.75), edge=INK, width=1.2), "accepted"),
    "rejected": Kind("octagon", Look(fill=mixed(ORANGE, 0.85), edge=INK, width=1.2), "rejected"),
    "undecided": Kind("ellipse", Look(fill=WHITE, edge=GREY, width=1.2, dash=(3.0, 1.5)), "undecided"),
}
ARROWS = {
    "attack": (Look(edge=RED, width=1.2), "tee"),
    "support": (Look(edge=GREEN, width=1.2, dash=(4.0, 2.0)), "arrow"),
}


@dataclass(frozen=True)
class _Part:
    """What of a network is drawn: claims and relations by their place in it."""

    claims: list[int]
    relations: list[int]


@picture
def argument_picture(network: ArgumentNetwork) -> Files:
    """Return the network as `figure.png` and `figure.svg`.

    Claims are numbered from 1 in the order of the network; groups of the SVG are `node-1` and `edge-1`. At
    most 60 claims and 200 relations are drawn: those with most relations; the caption says what is left out.

    Parameters
    ----------
    network : ArgumentNetwork
        The network.

    Returns
    -------
    dict of str to bytes
        Two files, the same bytes for the same network.

    """
    part, page = _part(network), Page(_WIDTH)
    status: dict[str, str] = {**grounded_status(network)}
    below = _draw(page, network, part, status)
    below = _key(page, network, part, below + 8)
    return page.finished(
        title=f"Argument network of {plural(len(network.claims), 'claim')}",
        caption=[_caption(network, part, status)],
        entries=_entries(network, part, status),
        below=below,
    )


def _part(network: ArgumentNetwork) -> _Part:
    """Choose the largest connected parts; of one too large, the claims nearest to its hub."""
    number = {claim.id: at for at, claim in enumerate(network.claims)}
    ends = [(number[one.source], number[one.target]) for one in network.relations]
    graph: Any = nx.Graph(ends)
    kept: set[int] = set()
    for part in parts(len(number), ends):
        room = MOST_CLAIMS - len(kept)
        if len(part) <= room:
            kept.update(part)
        elif room > 1:
            hub = max(part, key=graph.degree)
            kept.update([hub, *(v for _, v in nx.bfs_edges(graph, hub))][:room])
    inside = [at for at, pair in enumerate(ends) if kept.issuperset(pair)]
    return _Part(sorted(kept), inside[:MOST_RELATIONS])


def _draw(page: Page, network: ArgumentNetwork, part: _Part, status: dict[str, str]) -> float:
    number = {network.claims[at].id: place for place, at in enumerate(part.claims)}
    nodes = [_node(network, at, status) for at in part.claims]
    sizes = [(max(wide, 26.0), max(high, 19.0)) for wide, high in (one.size for one in nodes)]
    relations = [network.relations[at] for at in part.relations]
    arrows = [_arrow(one, at, part, number) for one, at in zip(relations, part.relations, strict=True)]
    room = page.width - 2 * MARGIN
    ends = [one.ends for one in arrows]
    plan = packed(sizes, ends, left=MARGIN + 4, top=TOP + 16, room=room)
    page.width = max(page.width, plan.width + 2 * MARGIN + 16)
    draw_network(page, plan, nodes, arrows)
    return TOP + 16 + plan.height + 6


def _node(network: ArgumentNetwork, at: int, status: Mapping[str, str]) -> Node:
    claim = network.claims[at]
    kind = KINDS[status.get(claim.id, "undecided")]
    return Node(kind, [str(at + 1)], f"node-{at + 1}", f"{at + 1}: {claim.text or claim.id} ({kind.meaning})")


def _arrow(one: ClaimRelation, at: int, part: _Part, number: Mapping[str, int]) -> Arrow:
    a, b = number[one.source], number[one.target]
    look, head = ARROWS.get(one.type, ARROWS["attack"])
    verb = "supports" if one.type == "support" else "attacks"
    hint = f"{part.claims[a] + 1} {verb} {part.claims[b] + 1}"
    return Arrow((a, b), look, f"edge-{at + 1}", hint, head)


def _key(page: Page, network: ArgumentNetwork, part: _Part, top: float) -> float:
    """Write the texts of the claims by number, in two columns."""
    gap, columns = 16.0, 2 if len(part.claims) > 6 else 1
    room = (page.width - 2 * MARGIN - (columns - 1) * gap) / columns
    hang = 6 + width(str(max(part.claims, default=0) + 1), SMALL, bold=True)
    texts = [_text(network, at, room - hang) for at in part.claims]
    total, down, column, low = sum(map(len, texts)), 0, 0, top
    for at, lines in zip(part.claims, texts, strict=True):
        if column < columns - 1 and down and (down + len(lines) / 2) * columns > total * (column + 1):
            column, down = column + 1, 0
        x, y = MARGIN + column * (room + gap), top + down * SMALL * LINE
        page.text(x + hang - 5, y + SMALL * LINE / 2, str(at + 1), size=SMALL, bold=True, anchor="end")
        low = max(low, page.lines(x + hang, y, lines, size=SMALL, gid=f"key-{at + 1}"))
        down += len(lines)
    return low


def _text(network: ArgumentNetwork, at: int, room: float) -> list[str]:
    claim = network.claims[at]
    text = clean(claim.text) or claim.id
    said = f"{text} ({claim.speaker})" if claim.speaker else text
    return wrapped(said, SMALL, room, 2)


def _caption(network: ArgumentNetwork, part: _Part, status: dict[str, str]) -> str:
    counts = Counter(status.get(one.id, "undecided") for one in network.claims)
    told = ", ".join(f"{counts[name]:,} {name}" for name in KINDS if counts[name])
    types = Counter(one.type for one in network.relations)
    between = " and ".join(plural(types[kind], kind) for kind in ("attack", "support") if types[kind])
    said = f"Grounded semantics: {told or 'no claims'}. {between or 'No relations'}."
    if len(part.claims) < len(network.claims) or len(part.relations) < len(network.relations):
        left = plural(len(network.claims) - len(part.claims), "claim")
        said += f" Left out of the picture: {left}"
        said += f" and {plural(len(network.relations) - len(part.relations), 'relation')};"
        said += " drawn are the largest connected parts, of one too large the claims nearest to its hub."
    return said


def _entries(network: ArgumentNetwork, part: _Part, status: dict[str, str]) -> Sequence[Entry]:
    seen = {status.get(network.claims[at].id, "undecided") for at in part.claims}
    types = {network.relations[at].type for at in part.relations}
    signs = [sign_of(kind) for name, kind in KINDS.items() if name in seen]
    return signs + [
        sign_of_arrow(look, f"{name}s", head=head) for name, (look, head) in ARROWS.items() if name in types
    ]
