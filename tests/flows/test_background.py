"""Writing in the background: in order, few jobs ahead, no error lost."""

from functools import partial
from threading import Event, Timer

import pytest

from corpusgraph.flows.files.background import AHEAD, Background


def fail() -> None:
    message = "disk"
    raise OSError(message)


def test_jobs_run_in_order() -> None:
    background, done = Background(), list[int]()
    jobs = [background.submit(partial(done.append, n)) for n in range(10)]
    jobs[-1].result()
    background.close()
    assert done == list(range(10))


def test_an_error_reaches_the_caller() -> None:
    background = Background()
    job = background.submit(fail)
    with pytest.raises(OSError, match="disk"):
        job.result()
    for _ in range(AHEAD - 1):
        background.submit(int)
    with pytest.raises(OSError, match="disk"):
        background.submit(int)
    background.close()


def test_closing_drops_what_has_not_begun() -> None:
    background, begun, go, done = Background(), Event(), Event(), list[int]()

    def wait() -> None:
        begun.set()
        go.wait()

    background.submit(wait)
    waiting = background.submit(partial(done.append, 1))
    begun.wait()
    Timer(0.05, go.set).start()
    background.close()
    assert waiting.cancelled()
    assert not done
