"""The collector is as it was once the last of several runs has ended."""

import gc

from corpusgraph.flows.engine import RARELY, rare_collection


def test_overlapping_runs_leave_the_collector_as_they_found_it() -> None:
    before = gc.get_threshold()
    one, other = rare_collection(), rare_collection()
    one.__enter__()
    other.__enter__()
    assert gc.get_threshold() == RARELY
    one.__exit__(None, None, None)
    other.__exit__(None, None, None)
    assert gc.get_threshold() == before
