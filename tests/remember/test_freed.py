"""A view that nobody looks at any more is gone at once: it does not wait for the collector."""

import gc
import weakref

from corpusgraph.schemas.memory import Change
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.state import advance, folded
from corpusgraph.tasks.overlay.view import RememberedGraph
from tests.remember.build import corpus
from tests.remember.test_following import GLANCES, WATER, scenes


def test_no_view_holds_itself() -> None:
    whole = corpus([[text] for text in WATER])
    live = folded((), Base(whole.graph, whole.told))
    said = scenes()["renamed, then spoken of"]
    changes = [
        Change(number=number, at="", by="", operations=tuple(operations))
        for number, operations in enumerate(said, 1)
    ]
    gc.disable()
    try:
        advance(live, changes[0])
        first = RememberedGraph(live.frozen())
        for glance in GLANCES.values():
            glance(first)
        assert len(first.reports) <= len(first.communities)
        advance(live, changes[1])
        second = RememberedGraph(live.frozen())
        for glance in GLANCES.values():
            glance(second)
        views = [weakref.ref(first), weakref.ref(second)]
        del first, second
        assert [view() for view in views] == [None, None]
    finally:
        gc.enable()
