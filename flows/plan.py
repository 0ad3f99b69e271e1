"""How a corpus is to be indexed."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from corpusgraph.flows.engine import Engine
from corpusgraph.flows.given import Given
from corpusgraph.flows.models import RunModel
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.memory import Change
from corpusgraph.schemas.ports import Embedder
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.stages import Progress
from corpusgraph.schemas.study import Study


@dataclass(frozen=True)
class Indexing:
    """How a corpus is indexed."""

    settings: Settings
    engine: Engine
    progress: Progress
    rebuild: bool = False
    retry: bool = False
    recipe: JsonDict = field(default_factory=dict)
    given: Given | None = None


class Plan(NamedTuple):
    """What a run that has work to do goes by."""

    study: Study
    base: Path
    model: RunModel | None
    how: Indexing
    given: Given
    changes: tuple[Change, ...]
    embedder: Embedder
    config: str
