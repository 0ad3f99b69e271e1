"""What indexing a tool's source runs: study, settings, language model, and what identifies them."""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from corpusgraph.flows.graphrag.config import GraphRagConfig, build_graphrag_config
from corpusgraph.flows.graphrag.models import ExecutionConfig, VectorstoreTool
from corpusgraph.flows.graphrag.profiles import ChosenModel, chosen_model, write_profile
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Study

OFFLINE = "offline"
"""Who reads the documents where no language model does."""


@dataclass(frozen=True)
class Plan:
    """How a tool's source is indexed into a folder."""

    config: GraphRagConfig
    execution: ExecutionConfig

    @cached_property
    def study(self) -> Study:
        """The corpus and how it is read."""
        return self.config.to_study()

    @cached_property
    def model(self) -> ChosenModel:
        """What reads the documents."""
        return chosen_model("indexing_model", self.config.indexing_model, self.execution)

    @property
    def reads(self) -> bool:
        """Whether a language model reads the documents."""
        return self.model.profile is not None and self.model.why is None

    @property
    def reader(self) -> str:
        """Name of the model that reads, or offline."""
        profile = self.model.profile
        return profile.llm.model if self.reads and profile is not None else OFFLINE

    def warnings(self, made_by: str = OFFLINE) -> tuple[ToolWarning, ...]:
        """Return what is done otherwise than the tool says, and what it says without effect.

        `made_by` is what read the documents of an index that stays as it is.
        """
        if self.model.why is not None and made_by != OFFLINE:
            why = self.model.why.rstrip(".")
            message = f"{why}: nothing has changed, and the index stays as {made_by} read it."
            return (ToolWarning(code="no_key", message=message), *self.config.notes(reads=True))
        return (*self.model.warnings, *self.config.notes(reads=self.reads))

    def settings(self, *, reads: bool, pays: bool = True) -> Settings:
        """Return where the run writes, and with which profile; the tool's own is written down first."""
        from corpusgraph.flows.chosen import settings

        profile: str | None = None
        if reads and self.model.profile is not None:
            own = self.model.named is None or self.execution.llm_timeout is not None
            kept = self.model.profile.model_copy(update={"profile": "indexing_model"})
            profile = str(write_profile(kept, self.config.root_dir)) if own else self.model.named
        more = {"workers": self.execution.workers, "budget": self.execution.budget if pays else None}
        found = settings(
            outputs=self.config.root_dir.parent, **{k: v for k, v in more.items() if v is not None}
        )
        without = {} if pays else {"budget": None}
        return found.model_copy(update={"profile": profile, **without})

    def fingerprints(self) -> tuple[str, ...]:
        """Return what identifies the configurations that an index may have to be current.

        Where the key of a model is not there, an index made with the model is as good as one made without.
        """
        if self.model.profile is None:
            return (self._fingerprint(reads=False),)
        if self.model.why is None:
            return (self._fingerprint(reads=True),)
        return (self._fingerprint(reads=False), self._fingerprint(reads=True))

    def _fingerprint(self, *, reads: bool) -> str:
        from corpusgraph.flows.extraction import config_fingerprint
        from corpusgraph.flows.models import with_model

        base = self.config.root_dir
        chosen = self.settings(reads=reads, pays=False)
        settled, model = with_model(self.study, base, chosen, needs_key=False)
        with model.client if model is not None else nullcontext():
            return config_fingerprint(settled.index, base, model)


def plan_of(
    tool: VectorstoreTool, storage_dir: Path, source: Path, execution: ExecutionConfig | None = None
) -> Plan:
    """Return the plan of a tool. Raises EngineConfigError for a configuration that cannot be run."""
    config = build_graphrag_config(tool, storage_dir, source)
    return Plan(config, execution or ExecutionConfig())
