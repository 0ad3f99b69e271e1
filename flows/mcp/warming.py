"""What a first call would wait for, done beforehand: schemas of tools, the index, the modules that search.

It begins once a client can be answered, in a thread of its own and in small pieces, so that whoever asks
meanwhile hardly waits for it. Nothing is asked of a language model or of an embedder, and nothing written.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import partial

from corpusgraph.flows.imports import whole_first
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.running import made
from corpusgraph.flows.mcp.server import selected
from corpusgraph.flows.open_index import open
from corpusgraph.schemas.errors import CorpusgraphError

_PAUSE = 0.005
"""Seconds between two pieces: a thread that waits for its turn has it then."""
_END_SECONDS = 2.0


class Warming:
    """The thread that does it; a daemon, for a piece that takes long keeps no server from ending."""

    def __init__(self, options: ServeOptions) -> None:
        self._options = options
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="warming", daemon=True)

    def begin(self) -> None:
        """Begin; more than once is once."""
        if self._thread.ident is None:
            self._thread.start()

    def end(self, seconds: float = _END_SECONDS) -> None:
        """Begin no further piece, and wait for the one at hand, for so long at most."""
        self._ended.set()
        self.wait(seconds)

    def wait(self, seconds: float) -> bool:
        """Wait until all is done, for so long at most; return whether it is."""
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        whole_first()
        with contextlib.suppress(CorpusgraphError):  # a call that needs what is not there tells so itself
            for piece in _pieces(self._options):
                if self._ended.wait(_PAUSE):
                    return
                piece()


def _pieces(options: ServeOptions) -> Iterator[Callable[[], object]]:
    offered, _ = selected(options)
    for one in offered.values():
        yield partial(made, one.tool)
    opened = open(options.index, options.outputs)
    yield lambda: opened.graph
    if opened.manifest.counts.get("chunks"):  # a memory without documents is not searched by its text
        yield lambda: opened.match("chunks", "a", 1)
