"""The search for cycles rests while many records are made, and only then."""

import gc
from collections.abc import Iterator

import pytest

from corpusgraph.tasks.analysis.process.models import WORTH_IT, collection_paused

MANY = range(WORTH_IT)


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_many_records_are_made_without_it_and_it_goes_on_afterwards() -> None:
    with collection_paused(MANY):
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="no record"), collection_paused(MANY):
        raise ValueError("no record")
    assert gc.isenabled()


@pytest.mark.parametrize("records", [range(WORTH_IT - 1), [], iter(MANY), None])
def test_a_few_records_are_not_worth_it(records: object) -> None:
    with collection_paused(records):
        assert gc.isenabled()


def test_what_a_program_stopped_or_froze_stays_so() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    gc.disable()
    with collection_paused(MANY):
        assert not gc.isenabled()
    assert not gc.isenabled()
    gc.enable()
    with collection_paused(MANY):
        pass
    assert gc.get_freeze_count() >= frozen * 0.9  # some of it may have been let go
    gc.unfreeze()
