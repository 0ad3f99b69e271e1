"""Threads of the server that begin with different parts of one library do not wait for each other."""

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, sys, threading
sys.setswitchinterval(1e-6)
from corpusgraph.flows.mcp.threads import Pool
barrier, ended, failed = threading.Barrier(3), threading.Semaphore(0), []
def work(name):
    def one(done):
        try:
            barrier.wait()
            importlib.import_module(name)
        except Exception as error:
            failed.append(repr(error))
        done()
        ended.release()
    return one
pool = Pool(3)
for name in ("scipy.sparse.csgraph", "scipy.sparse", "scipy.sparse.linalg"):
    pool.run(work(name))
for _ in range(3):
    ended.acquire()
print(failed)
"""


@pytest.mark.faults
def test_no_thread_gets_half_of_a_library() -> None:
    for _ in range(5):
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=True
        )
        assert run.stdout.strip() == "[]", run.stdout + run.stderr
