"""What the pages of the documentation hold: links, headings, fenced blocks, commands."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^ *```([^\n`]*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z]+:")
_REDIRECTED = re.compile(r"\d?>>?\s*&?\S+|<\s*\S+")
_ENDS = frozenset({"|", "||", "&&", ";", "&", "(", ")"})
SHELLS = frozenset({"", "console", "bash", "sh", "shell"})


class Block(NamedTuple):
    """A fenced block: its page, language and text."""

    page: Path
    language: str
    text: str


def pages() -> list[Path]:
    """Return the pages for people."""
    top = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return [page for page in top if page.is_file()] + sorted((ROOT / "docs").rglob("*.md"))


def blocks(*languages: str) -> list[Block]:
    """Return the fenced blocks in these languages; "" is a block without one."""
    return [block for page in pages() for block in blocks_of(page) if block.language in languages]


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for found in _FENCE.finditer(page.read_text(encoding="utf-8")):
        yield Block(page, found[1].strip().partition(" ")[0], found[2])


def links(page: Path) -> list[str]:
    """Return the targets of links that lead to files of ours, without those in code."""
    prose = re.sub(r"`[^`\n]*`", "", _FENCE.sub("", page.read_text(encoding="utf-8")))
    return [target for target in _LINK.findall(prose) if not _ELSEWHERE.match(target)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def commands(block: Block) -> Iterator[list[str]]:
    """Yield the arguments of each `corpusgraph` that a block calls."""
    lines = block.text.replace("\\\n", " ").splitlines()
    typed = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    for line in typed or ([] if block.language == "console" else lines):
        if "corpusgraph" in line:
            yield from _calls(line)


def _calls(line: str) -> Iterator[list[str]]:
    words = shlex.shlex(_REDIRECTED.sub(" ", line), posix=True, punctuation_chars="();|&")
    words.whitespace_split = True
    call: list[str] = []
    for word in [*words, ";"]:
        if word not in _ENDS:
            call.append(word)
            continue
        while call and re.fullmatch(r"\w+=.*", call[0]):
            del call[0]
        if call and Path(call[0]).name == "corpusgraph":
            yield call[1:]
        call = []
