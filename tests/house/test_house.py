"""The house stands as its plan says: layers, packages, imports."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RINGS = ("schemas", "tasks", "flows")
SOURCES = sorted(p for ring in RINGS for p in (ROOT / ring).rglob("*.py"))


def test_every_folder_is_listed_as_a_package() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {"corpusgraph"} | {
        f"corpusgraph.configs.{folder}"
        for folder in (
            "agents",
            "lexicons",
            "methods",
            "methods.seed",
            "pages",
            "patterns",
            "profiles",
            "prompts",
        )
    }
    for ring in RINGS:
        found |= {
            ".".join(("corpusgraph", *p.parent.relative_to(ROOT).parts))
            for p in (ROOT / ring).rglob("__init__.py")
        }
    assert listed == found


def test_packages_are_imported_by_their_full_name() -> None:
    """A bare `tasks.x` works in a checkout and breaks in the wheel."""
    bare = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        for name in imported(path)
        if name.split(".")[0] in RINGS
    ]
    assert bare == []


@cache
def imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.append(node.module or "")
    return names


def test_tasks_touch_no_disk_and_no_network() -> None:
    """`tempfile` is allowed in one place: pyreadstat can only write to a path."""
    forbidden = {"pathlib", "shutil", "socket", "subprocess", "urllib", "tempfile"}
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        if path.relative_to(ROOT).parts[0] != "flows"
        for name in imported(path)
        if name.split(".")[0] in forbidden
    }
    assert found <= {
        "schemas/errors.py: pathlib",
        "schemas/settings.py: pathlib",
        "tasks/export/files.py: pathlib",
        "tasks/export/files.py: tempfile",
    }


def test_the_door_is_small() -> None:
    door = ROOT / "src" / "corpusgraph" / "__init__.py"
    assert len(door.read_text().splitlines()) <= 60
    import corpusgraph

    assert len(corpusgraph.__all__) <= 15
    assert all(getattr(corpusgraph, name) is not None for name in corpusgraph.__all__)


def test_the_project_names_no_host_and_no_folder_of_a_machine() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("not a checkout")
    constraints = (ROOT / "constraints.txt").read_text()
    assert not re.search(r"https?://|--index-url|--find-links", constraints)


def test_tools_load_without_the_heavy_libraries() -> None:
    code = (
        "import sys\nfrom corpusgraph.tasks.registry import load\nload()\n"
        "heavy = ['prefect', 'lancedb', 'dowhy', 'pgmpy', 'statsmodels', 'pandas', 'polars', 'pyreadstat', 'spacy']\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
