"""Other processes: another hash seed, and the instructions of another processor as far as libraries can be told.

OpenBLAS chooses its kernels by `OPENBLAS_CORETYPE`, numpy its loops by `NPY_DISABLE_CPU_FEATURES`, the C library
its logarithms by `GLIBC_TUNABLES`.
"""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
_X86 = platform.machine() in {"x86_64", "AMD64"}
_SIMD: Any = cast("Any", np.show_config(mode="dicts"))["SIMD Extensions"]
_FOUND: list[str] = _SIMD.get("found", []) if _X86 else []
_PLAIN = {
    "NPY_DISABLE_CPU_FEATURES": " ".join(_FOUND),
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-AVX512F",
}
_KERNELS = ("Haswell", "SkylakeX") if "X86_V4" in _FOUND else ("Haswell",) if "X86_V3" in _FOUND else ()
PROCESSORS: dict[str, dict[str, str]] = {
    "this one": {},
    **({kernel: {"OPENBLAS_CORETYPE": kernel} for kernel in (*_KERNELS, "Prescott")} if _X86 else {}),
    **({"no vectors": {**_PLAIN, "OPENBLAS_CORETYPE": "Prescott"}} if _FOUND else {}),
}
"""Name -> environment, of processors whose instructions this one has."""
SEEDS = (0, 1, 4_294_967_295, 77, 4242)


def python(*arguments: str | Path, cwd: Path, seed: int = 0, processor: str = "this one") -> str:
    """Run Python in a process of its own and return what it writes."""
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), **PROCESSORS[processor]}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def corpusgraph(*arguments: str | Path, cwd: Path, seed: int = 0, processor: str = "this one") -> str:
    """Run the program."""
    return python("-m", "corpusgraph.flows.cli.main", *arguments, cwd=cwd, seed=seed, processor=processor)


def answers(seed: int, processor: str) -> dict[str, Any]:
    """Return what every tool and every method answers in another process, by name."""
    written = python("-m", "tests.replication.processes", cwd=ROOT, seed=seed, processor=processor)
    found: dict[str, Any] = json.loads(written.splitlines()[-1])
    return found


def _answers() -> dict[str, Any]:
    """Answer by every tool and every method; trees also of passages at equal distances, and of three topics."""
    from corpusgraph.flows.methods import load_method
    from corpusgraph.schemas.documents import Chunk
    from corpusgraph.schemas.graph import Entity
    from corpusgraph.tasks.graph.view import MemoryGraph
    from corpusgraph.tasks.method.run import run_method
    from corpusgraph.tasks.registry import TOOLS
    from tests.contract.graphs import resources, rich
    from tests.contract.test_every_tool import answer, plain
    from tests.presets.test_every_preset import METHODS, QUESTION, RUNNABLE
    from tests.presets.test_shapes import orchard
    from tests.presets.world import ports

    apart = [
        Chunk(id=f"c{i:02d}", content=f"word{i} same", source_doc=f"d{i}", end=11, entities=("e",))
        for i in range(12)
    ]
    worlds = {name: (QUESTION, resources(rich())) for name in RUNNABLE}
    questions = {
        **{name: (name, *world) for name, world in worlds.items()},
        "raptor, all apart": (
            "raptor",
            "word0 word1 word2 word3",
            ports(MemoryGraph([Entity(id="e")], chunks=apart)),
        ),
        "raptor, three topics": ("raptor", "brick", {**orchard(), "llm": None}),
    }
    found: dict[str, Any] = {name: plain(tool, answer(tool)) for name, tool in TOOLS.items()}
    for label, (name, question, given) in questions.items():
        result = run_method(METHODS.get(name) or load_method(name), question, given)
        found[label] = result.model_dump(mode="json", include={"passages", "entities", "results", "answer"})
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_answers()))
