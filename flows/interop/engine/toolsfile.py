"""Read a tools file; what is wrong is told with file, line and the nearest valid key."""

from pathlib import Path

from corpusgraph.flows.files.yaml_file import Keys, line_of, read_yaml
from corpusgraph.flows.interop.engine.errors import ToolsFileError
from corpusgraph.flows.interop.engine.models import VectorstoreTool
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import shown


class ToolsFile(Noun):
    """A tools file."""

    tools: tuple[VectorstoreTool, ...]


_KEYS = Keys(
    ToolsFile,
    "tools file",
    "It has the key tools: a list of mappings with name, type, engine, source, description and graphrag.",
    "A key is never written down: it is read from the environment.",
)


def load_tools(path: str | Path) -> list[VectorstoreTool]:
    """Return the tools of a YAML file, in order.

    Parameters
    ----------
    path : str or Path
        A path that begins with `~` starts at the home folder.

    Returns
    -------
    list of VectorstoreTool
        No two of one name, whatever its case.

    Raises
    ------
    ToolsFileError
        A ValueError, with file and line.

    """
    path = Path(path).expanduser()
    data, root = read_yaml(path, "tools file", ToolsFileError)
    tools = list(_KEYS.read(data, root, shown(path), ToolsFileError).tools)
    seen: dict[str, str] = {}
    for number, tool in enumerate(tools):  # two tools of one name would share a folder
        before = seen.setdefault(tool.name.casefold(), tool.name)
        if before is not tool.name and root is not None:
            line = line_of(root, ("tools", number, "name"))
            message = f"{shown(path)}:{line}: two tools are named {tool.name!r}"
            # on some systems case makes no difference
            told = "" if before == tool.name else f", the other {before!r}: they would share a folder"
            raise ToolsFileError(f"{message}{told}.", hint="Give each a name of its own.")
    return tools
