"""Plain text, and the front matter that text and Markdown may begin with."""

import re

import yaml

from corpusgraph.flows.files.yaml_file import load_yaml
from corpusgraph.flows.load.decoding import Format, Raw, UnusableError, clean, decode
from corpusgraph.flows.load.rows import json_value
from corpusgraph.schemas.base import JsonDict

_FRONT_MATTER = re.compile(r"\A\s*?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY_FIRST = re.compile(r"\A(?:#.*\n)*['\"]?\w[^\n:]*:(?:\s|\Z)|\A\s*\Z")


def read_text(data: bytes, encoding: str | None) -> list[Raw]:
    """Read plain text; front matter, where there is some, is metadata.

    Parameters
    ----------
    data : bytes
        Of a whole file.
    encoding : str or None
        The researcher's word; None to find out.

    Returns
    -------
    list of Raw
        One.

    Raises
    ------
    UnusableError
        For a file that is no text, and for front matter that is no YAML.

    """
    text, chosen = decode(data, encoding)
    body, metadata = split_front_matter(text)
    return [Raw(text=body, metadata=metadata, problems=chosen.problems)]


def split_front_matter(text: str) -> tuple[str, JsonDict]:
    """Return the body and the YAML front matter; what stands between rules but has no keys counts as text.

    Parameters
    ----------
    text : str
        Of a whole file.

    Returns
    -------
    tuple of str and JsonDict
        Values as JSON has them.

    Raises
    ------
    UnusableError
        `bad_front_matter`, with its line.

    """
    match = _FRONT_MATTER.match(text)
    if not match or not _KEY_FIRST.match(match[1]):
        return text, {}
    try:
        found, _ = load_yaml(text[: match.end(1)], aliases=False)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = f"{f'line {mark.line + 1}: ' if mark else ''}{getattr(error, 'problem', None) or error}"
        message = f"front matter is not YAML: {problem}".replace("\n", " ")
        raise UnusableError("bad_front_matter", message) from None
    if not isinstance(found, dict):
        return (text[match.end() :], {}) if found is None else (text, {})
    return text[match.end() :], {clean(str(key)): json_value(value) for key, value in found.items()}


FORMAT = Format(("txt",), read_text)
