"""A study and all it reads, copied into one folder, so that nothing outside is needed to run it."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from corpusgraph.flows.resources.journal.journal import FILE as JOURNAL
from corpusgraph.flows.resources.loaders import scan
from corpusgraph.flows.resources.loaders.sources import corpus_root, same_file, table_path
from corpusgraph.flows.resources.packaged import is_path, own_file
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Study

CORPUS = "corpus"
STUDY_FILE = "study.yml"


@dataclass(frozen=True)
class Staged:
    """The study as it stands in the folder, its corpus's files (relative paths), and what to know."""

    study: Study
    corpus: tuple[str, ...]
    notes: tuple[str, ...]


class Staging:
    """Copies what a study names; each copy is named in the study in place of the original."""

    def __init__(self, study: Study, base: Path, settings: Settings, folder: Path) -> None:
        self._study = study
        self._base = base
        self._settings = settings
        self._folder = folder
        self._notes: list[str] = []

    def make(self) -> Staged:
        """Copy everything and write the study file."""
        corpus, files = self._corpus()
        study = self._study.model_copy(
            update={
                "corpus": corpus,
                "profile": self._profile(),
                "memory": self._memory(),
                "index": self._study.index.model_copy(update=self._index()),
                "questions": tuple(
                    one.model_copy(update={"method": self._own("methods", one.method, self._base)})
                    for one in self._study.questions
                ),
            }
        )
        write_study(study, self._folder / STUDY_FILE)
        return Staged(study, tuple(files), tuple(self._notes))

    def _corpus(self) -> tuple[object, list[str]]:
        """Copy the files that are read; those that cannot be are noted, as they are in the ledger."""
        options = self._study.corpus
        root, table = corpus_root(options, self._base), table_path(options, self._base)
        files, update = [], {"path": CORPUS}
        if root.is_file():
            update["path"] = f"{CORPUS}/{root.name}"
        for source in scan(options, self._base):
            if source.problem is not None:
                self._notes.append(f"{source.relative} is not packed: {source.problem}.")
                continue
            inside = root.is_file() or source.path.is_relative_to(root)
            relative = f"{CORPUS}/{source.relative}"
            if table is not None and same_file(source.path, table) and not inside:
                relative = f"metadata/{table.name}"
            if table is not None and options.metadata and same_file(source.path, table):
                update["metadata"] = relative
            self._copy(source.path, relative)
            files.append(relative)
        return options.model_copy(update=update), files

    def _index(self) -> JsonDict:
        index = self._study.index
        changed: JsonDict = {}
        if index.openie is not None:
            changed["openie"] = self._copied(self._base / Path(index.openie).expanduser(), "findings")
        if index.patterns is not None:
            changed["patterns"] = self._copied(own_file(index.patterns, self._base), "patterns")
        if isinstance(index.annotator, dict):
            changed["annotator"] = {
                language: self._pipeline(language, name) for language, name in index.annotator.items()
            }
        prompts = self._own("prompts", index.llm.prompts, self._base)
        if prompts != index.llm.prompts:
            changed["llm"] = index.llm.model_copy(update={"prompts": prompts})
        if index.model is not None:
            self._notes.append(f"The embedder's model {index.model!r} is not packed: it has to be there.")
        return changed

    def _pipeline(self, language: str, name: str) -> str:
        """Copy the folder of a pipeline; an installed one keeps its name."""
        folder = own_file(name, self._base)
        if not folder.is_dir():
            self._notes.append(f"The pipeline {name!r} is not packed: it has to be installed.")
            return name
        relative = f"pipelines/{language}"
        shutil.copytree(folder, self._folder / relative, dirs_exist_ok=True)
        return relative

    def _memory(self) -> str | None:
        """Pack what was added by hand: the index's own journal, or else the file that the study names."""
        own = self._settings.outputs / self._study.study / JOURNAL
        if own.exists():
            return self._copied(own, "memory")
        given = self._study.memory
        return self._copied(self._base / Path(given).expanduser(), "memory") if given else None

    def _profile(self) -> str | None:
        """Pack the profile the run used; keys are in the environment, never in a profile."""
        if self._settings.profile is not None:
            return self._own("profiles", self._settings.profile, Path())
        return self._own("profiles", self._study.profile, self._base) if self._study.profile else None

    def _own(self, kind: str, name: str, base: Path) -> str:
        """Copy a file of the user's own; what comes with the package keeps its name."""
        return self._copied(own_file(name, base), kind) if is_path(name) else name

    def _copied(self, path: Path, kind: str) -> str:
        relative, n = f"{kind}/{path.name}", 1
        while (there := self._folder / relative).exists() and there.read_bytes() != path.read_bytes():
            n += 1
            relative = f"{kind}/{path.stem}_{n}{path.suffix}"
        self._copy(path, relative)
        return relative

    def _copy(self, path: Path, relative: str) -> None:
        target = self._folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def write_study(study: Study, path: Path) -> None:
    """Write a study as the YAML that a person would have written: what is not set is left out."""
    import yaml

    told = study.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    path.write_text(
        yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=100), encoding="utf-8", newline="\n"
    )
