"""The codes of errors and warnings as the source has them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from corpusgraph.schemas.documents import CRASHED
from corpusgraph.schemas.llm import ReplyFailure
from corpusgraph.tasks.extract.llm.findings import _WHY

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("analysis", "dataset", "export", "table", "tools/prepare.py", "tools/transform.py")
PLACES = (*(f"tasks/{folder}" for folder in FOLDERS), "schemas/errors.py")
MAKERS = frozenset({"fix", "_note", "warned", "warning"})
"""Functions that take a code as their first argument."""
FIELDS = frozenset({"n_against", "n_for", "p_holm", "source_id", "target_id"})
"""What looks like a code in a table and is a field of a record."""
SERVING = (
    *(f"flows/{folder}" for folder in ("interop", "mcp")),
    *(f"tasks/{folder}" for folder in ("tools/memory", "overlay")),
    *(f"flows/store/{name}.py" for name in ("journal", "qdrant", "vectors")),
    "flows/files/manifest.py",
    "flows/embed/trained.py",
    *(f"flows/cli/{name}.py" for name in ("indexes", "commands")),
)
"""Where the codes of the memory, the server and interchange are."""
NO_CODES = frozenset(
    {"api_version", "azure_openai", "base_url", "indexing_model", "max_tokens", "relates_to", "search_model"}
)
"""What looks like a code in their tables and is a key."""
SERVED = "## Memory, server and interchange: codes"
LEDGER = {"UnusableError": 0, "note": 0, "_failure": 0, "_bad": 2}
"""What puts a line into the failure ledger, and which of its arguments is the code."""
STOPPED = frozenset({"budget_exhausted", "not_found", "unauthorized"})
"""Failures that end a run before it has a ledger."""
_CODE = re.compile(r"[a-z]+(_[a-z]+)*")


@cache
def codes() -> frozenset[str]:
    """Return every code that a dataset, its preparation, its export or an error class can give."""
    files = [file for place in PLACES for file in _python(ROOT / place)]
    trees = [_tree(file) for file in files]
    return frozenset(code for tree in trees for code in codes_in(tree)) - FIELDS


def serving_codes() -> set[str]:
    """Return the codes of the memory, the server, the engine contract and interchange: some of them."""
    return {code for tree in _serving() for code in codes_in(tree)} - NO_CODES


def serving_words() -> set[str]:
    """Return every text in their sources that could be a code: helpers are given codes in many ways."""
    return {
        code
        for tree in _serving()
        for node in ast.walk(tree)
        if isinstance(node, ast.expr)
        for code in _text(node)
    }


def _serving() -> list[ast.Module]:
    files = [file for place in SERVING for file in _python(ROOT / place)]
    return [_tree(file) for file in files]


def ledger_codes() -> set[str]:
    """Return every code that a loader, or the reader of findings made elsewhere, can put into the ledger."""
    trees = [_tree(file) for file in _python(ROOT / "flows/load")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [call.args[at : at + 1] for call in calls if (at := LEDGER.get(_name(call.func))) is not None]
    return (
        {code for arguments in given for argument in arguments for code in _text(argument)}
        | _of_models()
        | {CRASHED}
    )


def _of_models() -> set[str]:
    """Return the codes of what a language model fails at, and of its findings that are left out."""
    files = [
        *(
            f
            for name in ("build/llm", "extract/llm", "build/resolve.py")
            for f in _python(ROOT / "tasks" / name)
        )
    ]
    trees = [_tree(file) for file in files]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = {
        code for call in calls for word in call.keywords if word.arg == "code" for code in _text(word.value)
    }
    first = {
        c
        for call in calls
        if _name(call.func) in {"_failure", "warned"}
        for a in call.args[:1]
        for c in _text(a)
    }
    return named | first | {*_WHY, "no_reply", *get_args(ReplyFailure)} - STOPPED


def explained(page: str, section: str) -> set[str]:
    """Return the codes that the table of a section explains."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(section)[2].partition("\n## ")[0]
    heads = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)
    return {code for head in heads for code in re.findall(r"`([a-z_]+)`", head)}


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _name(function: ast.expr) -> str:
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _python(path: Path) -> list[Path]:
    return [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))


def codes_in(tree: ast.Module) -> Iterator[str]:
    """Yield `code="…"`, class attributes `code`, first arguments of makers, and the tables they come from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.ClassDef):
            yield from _of_class(node)
    tables = {name: line for line in tree.body for name in _names(line)}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        if any(_passes_on(node) for node in ast.walk(function)):
            used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            for part in (function, *(tables[name] for name in used & tables.keys())):
                yield from _of_tables(part)


def _names(line: ast.stmt) -> list[str]:
    targets = line.targets if isinstance(line, ast.Assign) else [getattr(line, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _of_call(node: ast.Call) -> Iterator[str]:
    for keyword in node.keywords:
        if keyword.arg == "code":
            yield from _text(keyword.value)
    if isinstance(node.func, ast.Name) and node.func.id in MAKERS and node.args:
        yield from _text(node.args[0])


def _of_class(node: ast.ClassDef) -> Iterator[str]:
    """Yield an error's code: the one it sets, else its name, as `CorpusgraphError` has it."""
    lines = [line for line in node.body if isinstance(line, ast.Assign)]
    codes = [line.value for line in lines if any(getattr(t, "id", "") == "code" for t in line.targets)]
    if codes:
        yield from _text(codes[0])
    elif any(_name(base).endswith("Error") and _name(base)[:-5] for base in node.bases):
        yield re.sub(r"(?<!^)(?=[A-Z])", "_", node.name.removesuffix("Error")).lower()


def _passes_on(node: ast.AST) -> bool:
    """Tell a call whose code is looked up: it comes from the function, or from a table that it names."""
    return isinstance(node, ast.Call) and (
        any(word.arg == "code" and isinstance(word.value, ast.Name) for word in node.keywords)
        or (_name(node.func) in MAKERS and bool(node.args) and isinstance(node.args[0], ast.Name))
    )


def _of_tables(tree: ast.AST) -> Iterator[str]:
    """Yield what looks like a code where a table has it: a dictionary's key, a tuple's first item."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            found = [code for key in node.keys if key is not None for code in _text(key)]
        elif isinstance(node, ast.Tuple) and node.elts:
            found = list(_text(node.elts[0]))
        else:
            continue
        yield from (code for code in found if "_" in code)  # a word alone is seldom one


def _text(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value):
        yield node.value
