"""From a corpus to a knowledge graph to datasets: the door for a notebook.

import corpusgraph as cg
cg.run("configs/studies/broad_street.yml")
cg.ask("What caused the outbreak?", index="broad_street")
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corpusgraph.flows.api import ask, call, evaluate, index, open, remove, run, tools
    from corpusgraph.flows.replicate import replicate
    from corpusgraph.schemas.errors import CorpusgraphError
    from corpusgraph.schemas.results import Scored, Table, ToolResult
    from corpusgraph.schemas.study import Study

__version__ = "0.1.0"
__all__ = ["CorpusgraphError", "Scored", "Study", "Table", "ToolResult", "__version__"]
__all__ += ["ask", "call", "evaluate", "index", "open", "remove", "replicate", "run"]
__all__ += ["tools"]

_HOMES = {
    "CorpusgraphError": "corpusgraph.schemas.errors",
    "Scored": "corpusgraph.schemas.results",
    "Study": "corpusgraph.schemas.study",
    "Table": "corpusgraph.schemas.results",
    "replicate": "corpusgraph.flows.replicate",
    "ToolResult": "corpusgraph.schemas.results",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: the door itself stays light."""
    from importlib import import_module

    if name not in __all__:
        message = f"module 'corpusgraph' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOMES.get(name, "corpusgraph.flows.api")), name)


def __dir__() -> list[str]:
    """List what the door offers."""
    return list(__all__)
