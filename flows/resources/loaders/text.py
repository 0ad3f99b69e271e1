"""Plain text and Markdown; detecting encodings."""

import codecs
import re
from typing import Any

import yaml

from corpusgraph.flows.resources.loaders.raw import Raw, UnusableError
from corpusgraph.schemas.base import JsonDict, nfc

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


def decode(data: bytes, encoding: str | None = None) -> str:
    r"""Return bytes as text in NFC with `\n` line ends: a BOM, UTF-8, else the likeliest encoding."""
    text = _decoded(data, encoding)
    if _CONTROL.search(text) and len(_CONTROL.findall(text)) > len(text) / 100:
        raise UnusableError("binary", "the file is binary, not text")
    return nfc(_CONTROL.sub(" ", text).replace("\r\n", "\n").replace("\r", "\n"))


def _decoded(data: bytes, encoding: str | None) -> str:
    guess = encoding or next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")
    try:
        return data.decode(guess)
    except (UnicodeDecodeError, LookupError) as error:
        if encoding or guess != "utf-8":
            raise UnusableError("undecodable", f"not {guess}: {error}") from None
    if b"\x00" in data[:8192]:
        raise UnusableError("binary", "the file is binary, not text")
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    if best is None:
        raise UnusableError("binary", "the file is binary, or its encoding cannot be told")
    return str(best)


def read_text(data: bytes, encoding: str | None) -> list[Raw]:
    """Read plain text; front matter, where there is some, is metadata."""
    body, metadata = split_front_matter(decode(data, encoding))
    return [Raw(text=body, title=_given_title(metadata), metadata=metadata)]


def read_markdown(data: bytes, encoding: str | None) -> list[Raw]:
    """Read Markdown as prose: markup characters go, the first heading is the title unless one is given."""
    body, metadata = split_front_matter(decode(data, encoding))
    heading = re.search(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", body, re.MULTILINE)
    title = _given_title(metadata) or (_plain(heading.group(1)) if heading else None)
    return [Raw(text=_plain(body), title=title, metadata=metadata)]


def split_front_matter(text: str) -> tuple[str, JsonDict]:
    """Return the body and the YAML front matter; front matter that is no mapping counts as text."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return text, {}
    try:
        found = yaml.safe_load(match.group(1))
    except yaml.YAMLError as error:
        raise UnusableError(
            "bad_front_matter", f"front matter is not YAML: {error}".replace("\n", " ")
        ) from None
    if not isinstance(found, dict):
        return text, {}
    return text[match.end() :], {str(key): _scalar(value) for key, value in found.items()}


def _scalar(value: Any) -> Any:
    """Turn YAML's dates to ISO text: metadata is JSON."""
    return value.isoformat() if hasattr(value, "isoformat") else value


def _given_title(metadata: JsonDict) -> str | None:
    return str(metadata["title"]) if metadata.get("title") else None


_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)"), r"\1"),
    (re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)"), r"\1"),
    (re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE), r"\1\n"),
    (re.compile(r"^[ \t]*(?:[-*_][ \t]*){3,}$", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+", re.MULTILINE), ""),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])[*_](?=\S)([^*_\n]+?)(?<=\S)[*_](?![\w*])"), r"\1"),
    (re.compile(r"`([^`\n]+)`"), r"\1"),
)


def _plain(text: str) -> str:
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return text
