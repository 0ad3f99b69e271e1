"""Threads of the server that begin with different parts of one library do not wait for each other."""

import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, importlib, sys, threading
from pathlib import Path
sys.setswitchinterval(1e-6)
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.threads import Threads
barrier = threading.Barrier(3)
def work(name):
    barrier.wait()
    importlib.import_module(name)
async def main():
    threads = Threads(ServeOptions(Path("."), concurrency=3))
    names = ("scipy.sparse.csgraph", "scipy.sparse", "scipy.sparse.linalg")
    print(await asyncio.gather(*(threads.run(lambda name=name: work(name)) for name in names)))
asyncio.run(main())
"""


@pytest.mark.faults
def test_no_thread_gets_half_of_a_library() -> None:
    for _ in range(5):
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=True
        )
        assert run.stdout.strip() == "[None, None, None]", run.stdout + run.stderr
