"""An OpenAI-compatible server for tests: right answers from the text it is shown, or faults by name.

In a test: `with FaultServer(rate=0.3, seed=1) as server: ... server.base_url`. For other processes:

    python -m tests.faults.server --port 8765 --latency-ms 50 --rate 0.3

which answers also GET /stats and GET /calls, and POST /reset and /config?latency_ms=&rate=.
"""

import argparse
import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Self

from tests.faults.server_app import App, Call, Options
from tests.faults.server_faults import FAULTS, Fault, mixed


class FaultServer:
    """The server in a thread, on a free port of the loopback interface.

    `faults` is a fault's name, for every prompt, or rates by name; `rate` shares itself among all faults.
    Further options are those of `Options`.
    """

    def __init__(
        self,
        faults: Fault | Mapping[Fault, float] | None = None,
        *,
        rate: float = 0.0,
        port: int = 0,
        **options: Any,
    ) -> None:
        self.app = App(Options(faults=rates(faults, rate), **options))
        self._port = port
        self._thread: threading.Thread | None = None
        self._server: Any = None

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()

    @property
    def base_url(self) -> str:
        """Where it listens; the same after `down` and `up`."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def calls(self) -> list[Call]:
        """All requests for models and embeddings so far, in order of arrival."""
        return list(self.app.calls)

    def stats(self) -> dict[str, Any]:
        """Count the calls by kind, fault and status, and prompts asked again after a right answer."""
        return self.app.stats()

    def answered(self, before: float = float("inf")) -> set[str]:
        """Return the keys of the prompts that had a right answer before a moment of `time.time()`."""
        return {call.key for call in self.calls if call.good and (call.answered or 0) < before}

    def reset(self) -> None:
        """Forget all calls and attempts."""
        self.app.reset()

    def set(self, faults: Fault | Mapping[Fault, float] | None = None, *, rate: float = 0.0) -> None:
        """Change the faults from now on; without arguments there are none."""
        self.app.options.faults = rates(faults, rate)

    def up(self) -> None:
        """Listen, at first on a free port, later on the same."""
        import uvicorn

        sock = listening(self._port)
        self._port = sock.getsockname()[1]
        self._server = uvicorn.Server(
            uvicorn.Config(
                self.app, log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1
            )
        )
        run = self._server.run
        self._thread = threading.Thread(target=run, kwargs={"sockets": [sock]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            if not self._thread.is_alive():
                message = "the test server did not start"
                raise RuntimeError(message)
            time.sleep(0.005)

    def down(self) -> None:
        """Refuse connections, and end those there are, in the middle of an answer too."""
        if self._thread is None:
            return
        with contextlib.suppress(RuntimeError):
            self.app.loop().call_soon_threadsafe(self._abort)
        self._server.should_exit = True
        self._thread.join(10)
        self._thread = None

    def _abort(self) -> None:
        for server in self._server.servers:
            server.close()
        for connection in list(self._server.server_state.connections):
            connection.transport.abort()

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Be down for a while."""
        self.down()
        try:
            yield
        finally:
            self.up()


def rates(faults: Fault | Mapping[Fault, float] | None, rate: float) -> dict[Fault, float]:
    """Return a rate for each fault that may happen."""
    named: dict[Fault, float] = {faults: 1.0} if isinstance(faults, str) else dict(faults or {})
    unknown = sorted(set(named) - set(FAULTS))
    if unknown:
        message = f"no such fault: {', '.join(unknown)}; there are {', '.join(FAULTS)}"
        raise ValueError(message)
    return named or (mixed(rate) if rate else {})


def listening(port: int) -> socket.socket:
    """Return a socket that listens on a port, or on a free one."""
    # asyncio sends at once only where the protocol is named; else every answer is held up for 40 ms
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen(2048)
    return sock


def main() -> None:
    """Serve until stopped."""
    import uvicorn

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--rate", type=float, default=0.0, help="share of calls that fail, all faults mixed")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=RATE", help="may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--attempts", type=int, default=None, help="of a prompt, that may fail")
    parser.add_argument("--hang", type=float, default=30.0, help="seconds of a time-out")
    parser.add_argument("--most", type=int, default=0, help="entities of one round of extraction")
    given = parser.parse_args()
    named = dict(one.rpartition("=")[::2] for one in given.fault)
    options = Options(
        faults=rates({name: float(share) for name, share in named.items()}, given.rate),
        seed=given.seed,
        latency=given.latency_ms / 1000,
        attempts=given.attempts,
        hang=given.hang,
        most=given.most,
    )
    config = uvicorn.Config(
        App(options), log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1
    )
    asyncio.run(uvicorn.Server(config).serve(sockets=[listening(given.port)]))


if __name__ == "__main__":
    main()
