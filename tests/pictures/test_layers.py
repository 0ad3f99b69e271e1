"""Layered drawings: arrows point one way, nodes keep their distance, fewer lines cross."""

from itertools import combinations, pairwise, permutations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.export.figures.network import (
    Box,
    _crossings,
    arc,
    layered,
    packed,
    parts,
    positioned,
)
from corpusgraph.tasks.export.figures.page import Look, Page
from tests.examples import tried

EDGES = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20, unique=True),
    )
)


@settings(max_examples=tried(40), deadline=None)
@given(EDGES)
def test_arrows_point_forward_unless_they_close_a_cycle(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = graph
    plan = layered([(30.0, 12.0)] * n, edges)
    for at, (a, b) in enumerate(edges):
        if a != b:
            ahead = plan.places[b][0] - plan.places[a][0]
            assert ahead < 0 if at in plan.back else ahead > 0
    kept = [edge for at, edge in enumerate(edges) if at not in plan.back and edge[0] != edge[1]]
    assert _is_acyclic(n, kept)
    if _is_acyclic(n, edges):
        assert not plan.back


def _is_acyclic(n: int, edges: list[tuple[int, int]]) -> bool:
    left = set(range(n))
    while free := {v for v in left if not any(a in left and b == v for a, b in edges)}:
        left -= free
    return not left


@settings(max_examples=tried(40), deadline=None)
@given(EDGES)
def test_nodes_do_not_overlap_and_routes_join_their_ends(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = graph
    sizes = [(20.0 + 7 * v, 10.0 + 3 * v) for v in range(n)]
    plan = layered(sizes, edges)
    for v, w in combinations(range(n), 2):
        (x, y), (u, t) = plan.places[v], plan.places[w]
        apart_along = abs(x - u) - (sizes[v][0] + sizes[w][0]) / 2
        apart_across = abs(y - t) - (sizes[v][1] + sizes[w][1]) / 2
        assert max(apart_along, apart_across) > -1e-6
    for at, points in plan.routes.items():
        assert (points[0], points[-1]) == (plan.places[edges[at][0]], plan.places[edges[at][1]])
    assert set(plan.routes) == {at for at, (a, b) in enumerate(edges) if a != b}


@settings(max_examples=tried(40), deadline=None)
@given(EDGES, st.booleans())
def test_curves_leave_and_reach_the_sides_of_their_boxes(
    graph: tuple[int, list[tuple[int, int]]], downward: bool
) -> None:
    n, edges = graph
    sizes = [(24.0, 14.0)] * n
    plan = layered(sizes if not downward else [(h, w) for w, h in sizes], edges)
    put = positioned(
        plan, [(h, w) for w, h in sizes] if downward else sizes, edges, (5.0, 5.0), downward=downward
    )
    boxes = put.boxes
    assert all((box.half_width, box.half_height) == (12.0, 7.0) for box in boxes.values())
    for at, curve in put.curves.items():
        assert len(curve) % 3 == 1
        for end, v in ((curve[0], edges[at][0]), (curve[-1], edges[at][1])):
            box = boxes[v]
            dx, dy = abs(end[0] - box.x) / box.half_width, abs(end[1] - box.y) / box.half_height
            assert max(dx, dy) == pytest.approx(1.0)


def test_crossings_are_counted_like_pairs() -> None:
    for order in permutations(range(4, 8)):
        edges = [(0, 4), (0, 7), (1, 6), (2, 4), (2, 5), (3, 7), (3, 4)]
        place = {v: at for at, v in enumerate(order)}
        brute = sum((a - c) * (place[b] - place[d]) < 0 for (a, b), (c, d) in combinations(edges, 2))
        assert _crossings([range(4), order], nx.DiGraph(edges)) == brute


def test_a_tangle_that_can_be_drawn_without_crossings_is() -> None:
    edges = [(0, 7), (1, 6), (2, 5), (3, 4)]
    plan = layered([(10.0, 10.0)] * 8, edges)
    lines = [(plan.places[a][1], plan.places[b][1]) for a, b in edges]
    assert not any((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(lines, 2))


@settings(max_examples=tried(40), deadline=None)
@given(EDGES)
def test_parts_are_packed_without_overlap(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = graph
    found = packed([(20.0, 10.0)] * n, edges, left=0.0, top=0.0, room=150.0)
    assert set(found.boxes) == set(range(n))
    for v, w in combinations(found.boxes.values(), 2):
        assert abs(v.x - w.x) >= 20 - 1e-6 or abs(v.y - w.y) >= 10 - 1e-6
    sizes = [len(part) for part in parts(n, edges)]
    assert sum(sizes) == n
    assert all(a >= b for a, b in pairwise(sizes))


@settings(max_examples=tried(40), deadline=None)
@given(EDGES, st.booleans())
def test_arrows_do_not_run_under_nodes_of_the_layers_they_pass(
    graph: tuple[int, list[tuple[int, int]]], downward: bool
) -> None:
    n, edges = graph
    sizes = [(20.0 + 9 * (v % 3), 14.0) for v in range(n)]
    own = [(h, w) for w, h in sizes] if downward else sizes
    put = positioned(layered(own, edges), own, edges, (0.0, 0.0), downward=downward)
    boxes = put.boxes
    for at, curve in put.curves.items():
        for x, y in curve[3:-3:3]:
            for v in set(boxes) - set(edges[at]):
                box = boxes[v]
                assert abs(x - box.x) > box.half_width or abs(y - box.y) > box.half_height


def test_a_bowed_edge_goes_round_what_stands_between() -> None:
    boxes = {0: Box(0, 0, 10, 8), 1: Box(100, 0, 10, 8), 2: Box(50, -20, 12, 10)}
    page = Page(200, 100)
    arc(page, 0, 1, boxes, Look(edge="#000000"), "arc")
    (patch,) = page.axes.patches
    assert min(y for _, y in patch.get_path().vertices) >= -8, "below, for above it would meet the third box"
