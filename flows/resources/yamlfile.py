"""YAML as people mean it: `no` and 007 are text, dates stay as written, a repeated key is an error."""

import re
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the plain scalars of YAML 1.2's JSON schema."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's way

    aliases = True

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Refuse aliases where the file is not the researcher's own: a few lines can mean gigabytes."""
        if not self.aliases and self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(
                None,
                None,
                "aliases (*name) are not read here",
                self.peek_event().start_mark,  # type: ignore[no-untyped-call]
            )
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Refuse a second value for a key, which PyYAML would take without a word."""
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                problem = f"the key {key.value!r} is already on line {seen[key.value]}"
                raise yaml.composer.ComposerError(None, None, problem, key.start_mark)
            seen[key.value] = key.start_mark.line + 1
        return node


class _Data(_Loader):
    """The loader for documents of a corpus."""

    aliases = False


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan",
        "-+0123456789.",
    ),
    ("merge", r"<<", "<"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), list(_first))


def load_yaml(text: str, *, aliases: bool = True) -> tuple[Any, yaml.Node | None]:
    """Return the data and the node it was made from; raise `yaml.YAMLError` for what is no YAML."""
    loader = _Loader(text) if aliases else _Data(text)
    try:
        node = loader.get_single_node()
        return (None if node is None else loader.construct_document(node)), node
    except RecursionError:
        raise yaml.YAMLError("nested too deeply") from None
    finally:
        loader.dispose()
