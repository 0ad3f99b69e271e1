"""Argumentation frameworks read from text, to compare with what the bundle wrote."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.tasks.analysis.argument.models import ArgumentClaim, ClaimRelation, PrepareArgumentNetwork

_FACT = re.compile(r"\s*(arg|att|support)\(\s*([^,()]+?)\s*(?:,\s*([^,()]+?)\s*)?\)\s*\.")
_AIF_TYPE = {"RA": "support", "MA": "support", "CA": "attack"}


def read_af(text: str) -> PrepareArgumentNetwork:
    """Read the numeric format of ICCMA 2023; arguments are named by their numbers, from 1.

    Errors: `unreadable_framework`, with the line.
    """
    size: int | None = None
    attacks: list[tuple[str, str]] = []
    for number, line in _lines(text):
        words = line.split()
        if words[:2] == ["p", "af"] and len(words) == 3 and words[2].isdecimal() and size is None:
            size = int(words[2])
        elif size is not None and len(words) == 2 and all(w.isdecimal() for w in words):
            attacks.append((words[0], words[1]))
        else:
            raise _unreadable("af", number, line)
    if size is None:
        raise _unreadable("af", 1, "")
    names = tuple(str(n) for n in range(1, size + 1))
    return PrepareArgumentNetwork(claims=(), arguments=names, attacks=tuple(attacks))


def read_apx(text: str) -> PrepareArgumentNetwork:
    """Read facts of ASPARTIX, arg(a). att(a,b). and support(a,b). of its bipolar kind.

    Errors: `unreadable_framework`, with the line.
    """
    found: dict[str, list[tuple[str, str]]] = {"arg": [], "att": [], "support": []}
    for number, line in _lines(text, comment="%"):
        at = 0
        while line[at:].strip():
            fact = _FACT.match(line, at)
            if fact is None or (fact[1] == "arg") != (fact[3] is None):
                raise _unreadable("apx", number, line)
            found[fact[1]].append((fact[2], fact[3] or ""))
            at = fact.end()
    return _of_pairs([a for a, _ in found["arg"]], found["att"], found["support"])


def read_tgf(text: str) -> PrepareArgumentNetwork:
    """Read the trivial graph format: nodes, #, edges; the label of an edge is attack (or none) or support.

    Errors: `unreadable_framework`, with the line.
    """
    names: list[str] = []
    pairs: dict[str, list[tuple[str, str]]] = {"attack": [], "support": []}
    edges = False
    for number, line in _lines(text, comment=None):
        words = line.split()
        if words == ["#"] and not edges:
            edges = True
        elif not edges:
            names.append(words[0])
        elif len(words) in (2, 3) and (words[2:] or ["attack"])[0] in pairs:
            pairs[(words[2:] or ["attack"])[0]].append((words[0], words[1]))
        else:
            raise _unreadable("tgf", number, line)
    return _of_pairs(names, pairs["attack"], pairs["support"])


def read_aif(text: str) -> PrepareArgumentNetwork:
    """Read AIF-JSON: I-nodes are claims, RA-nodes supports, CA-nodes attacks; other nodes are passed over.

    An inference from several premises is a support by each of them.
    Errors: `unreadable_framework`.
    """
    try:
        content: Any = json.loads(text)
        nodes = {str(node["nodeID"]): node for node in content["nodes"]}
        edges = [(str(edge["fromID"]), str(edge["toID"])) for edge in content["edges"]]
        claims = tuple(
            ArgumentClaim(id=key, text=str(node.get("text") or ""))
            for key, node in nodes.items()
            if node["type"] == "I"
        )
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable("AIF-JSON", 1, f"{type(error).__name__}: {error}") from None
    relations = []
    for key, node in nodes.items():
        kind = _AIF_TYPE.get(node["type"])
        sources = [a for a, b in edges if b == key and nodes[a]["type"] == "I"] if kind else []
        targets = [b for a, b in edges if a == key and nodes[b]["type"] == "I"] if kind else []
        relations += [ClaimRelation(source=a, target=b, type=str(kind)) for a in sources for b in targets]
    supported = any(relation.type == "support" for relation in relations)
    return PrepareArgumentNetwork(
        claims=claims, relations=tuple(relations), framework="bipolar" if supported else "dung"
    )


READERS: dict[str, Callable[[str], PrepareArgumentNetwork]] = {
    "af": read_af,
    "apx": read_apx,
    "tgf": read_tgf,
    "aif.json": read_aif,
}
"""Ending of the file -> its reader."""


def _of_pairs(
    names: Iterable[str], attacks: Iterable[tuple[str, str]], supports: Iterable[tuple[str, str]]
) -> PrepareArgumentNetwork:
    given = tuple(supports)
    return PrepareArgumentNetwork(
        claims=(),
        arguments=tuple(names),
        attacks=tuple(attacks),
        supports=given,
        framework="bipolar" if given else "dung",
    )


def _lines(text: str, comment: str | None = "#") -> Iterable[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not (comment and line.lstrip().startswith(comment)):
            yield number, line


def _unreadable(kind: str, number: int, line: str) -> PreparationError:
    return PreparationError(
        f"Line {number} is not {kind}: {line.strip()[:80]!r}.",
        code="unreadable_framework",
        hint="Formats: .af (ICCMA 2023), .apx (ASPARTIX), .tgf, AIF-JSON.",
    )
