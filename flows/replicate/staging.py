"""A study with all it names, copied into a folder, and the page that explains the archive of it."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from corpusgraph.flows.files.yaml_file import is_path, own_file
from corpusgraph.flows.load import scan
from corpusgraph.flows.load.sources import corpus_root, same_file, table_path
from corpusgraph.flows.store.journal import FILE as JOURNAL
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.run import Replication
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Study

CORPUS = "corpus"
STUDY_FILE = "study.yml"


def copy(path: Path, target: Path) -> None:
    """Copy a file, with the folders it is to stand in.

    Parameters
    ----------
    path : Path
        Of a file.
    target : Path
        Of the copy.

    """
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


@dataclass
class Staging:
    """Copies what a study names; each copy is named in the study in place of the original.

    Attributes
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    settings : Settings
        Where its outputs are, and the profile of a language model.
    folder : Path
        Where the copies go.
    corpus : list of str
        Relative paths of the files of its corpus, once they are copied.
    notes : list of str
        What to know, a sentence each.

    """

    study: Study
    base: Path
    settings: Settings
    folder: Path
    corpus: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def make(self) -> Study:
        """Copy everything, write the study file, and return the study with paths inside the folder.

        Returns
        -------
        Study
            Whatever it names is below the folder.

        """
        profile, base = self.settings.profile, Path()
        if profile is None:
            profile, base = self.study.profile, self.base
        questions = (
            one.model_copy(update={"method": self._own("methods", one.method, self.base)})
            for one in self.study.questions
        )
        update = {
            "corpus": self._corpus(),
            # keys are in the environment, never in a profile
            "profile": self._own("profiles", profile, base) if profile else None,
            "memory": self._memory(),
            "index": self.study.index.model_copy(update=self._index()),
            "questions": tuple(questions),
        }
        study = self.study.model_copy(update=update)
        # as the YAML that a person would have written: what is not set is left out
        told = study.model_dump(mode="json", exclude_unset=True, exclude_none=True)
        text = yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=100)
        (self.folder / STUDY_FILE).write_text(text, encoding="utf-8", newline="\n")
        return study

    def _corpus(self) -> object:
        """Copy the files that are read; those that cannot be are noted, as they are in the ledger."""
        options = self.study.corpus
        root, table = corpus_root(options, self.base), table_path(options, self.base)
        update = {"path": f"{CORPUS}/{root.name}" if root.is_file() else CORPUS}
        for source in scan(options, self.base):
            if source.problem is not None:
                self.notes.append(f"{source.relative} is not packed: {source.problem}.")
                continue
            relative = f"{CORPUS}/{source.relative}"
            if table is not None and same_file(source.path, table):
                if not (root.is_file() or source.path.is_relative_to(root)):
                    relative = f"metadata/{table.name}"
                if options.metadata:
                    update["metadata"] = relative
            copy(source.path, self.folder / relative)
            self.corpus.append(relative)
        return options.model_copy(update=update)

    def _index(self) -> JsonDict:
        index = self.study.index
        changed: JsonDict = {}
        if index.openie is not None:
            changed["openie"] = self._copied(self.base / Path(index.openie).expanduser(), "findings")
        if index.patterns is not None:
            changed["patterns"] = self._copied(own_file(index.patterns, self.base), "patterns")
        if isinstance(index.annotator, dict):
            named = index.annotator.items()
            changed["annotator"] = {language: self._pipeline(language, name) for language, name in named}
        prompts = self._own("prompts", index.llm.prompts, self.base)
        if prompts != index.llm.prompts:
            changed["llm"] = index.llm.model_copy(update={"prompts": prompts})
        if index.model is not None:
            self.notes.append(f"The embedder's model {index.model!r} is not packed: it has to be there.")
        return changed

    def _pipeline(self, language: str, name: str) -> str:
        """Copy the folder of a pipeline; an installed one keeps its name."""
        folder = own_file(name, self.base)
        if not folder.is_dir():
            self.notes.append(f"The pipeline {name!r} is not packed: it has to be installed.")
            return name
        relative = f"pipelines/{language}"
        shutil.copytree(folder, self.folder / relative, dirs_exist_ok=True)
        return relative

    def _memory(self) -> str | None:
        """Pack what was added by hand: the index's own journal, or else the file that the study names."""
        own = self.settings.outputs / self.study.study / JOURNAL
        if own.exists():
            return self._copied(own, "memory")
        named = self.study.memory
        return self._copied(self.base / Path(named).expanduser(), "memory") if named else None

    def _own(self, kind: str, name: str, base: Path) -> str:
        """Copy a file of the user's own; what comes with the package keeps its name."""
        return self._copied(own_file(name, base), kind) if is_path(name) else name

    def _copied(self, path: Path, kind: str) -> str:
        relative, n = f"{kind}/{path.name}", 1
        while (there := self.folder / relative).exists() and there.read_bytes() != path.read_bytes():
            n += 1
            relative = f"{kind}/{path.stem}_{n}{path.suffix}"
        copy(path, self.folder / relative)
        return relative


def readme(told: Replication, wheel: str) -> str:
    """Return the page that explains an archive, as Markdown; `wheel` is the name of the program in it.

    Parameters
    ----------
    told : Replication
        What is in the archive.
    wheel : str
        Name of the program in it.

    Returns
    -------
    str
        For README.md of the archive.

    """
    title = told.title or told.study
    corpus = (
        "the corpus is in `study/corpus`"
        if told.corpus_included
        else "the corpus is not packed: `replication.json` lists its files with their SHA-256"
    )
    replies = (
        f"`replies/` holds the {told.replies:,} replies of the language model that the run used: no model is"
        " asked, no key is needed.\n\n"
        if told.replies
        else ""
    )
    given = "" if told.corpus_included else " --corpus FOLDER"
    return f"""# {title}

The study `{told.study}` with all it reads and all it gives. Whoever runs it again gets the same bytes: the
{len(told.results)} files listed under `results` in `replication.json`.

## Run it again

In this folder, with Python {told.environment["python"]}:

```
python -m venv ../venv
../venv/bin/pip install -r code/requirements.txt code/{wheel}
../venv/bin/corpusgraph replicate --check ..{given}
```

The last line runs the study in a folder of its own, compares every file, and says which differ. To only
run it: `../venv/bin/corpusgraph run study/study.yml --engine inline`.

What was found in the texts (names, relations, claims, events) is taken from `evidence.jsonl.gz`, a line for
each document: a parser may read a sentence otherwise on another processor. `--check .. --from-texts` reads
the texts anew, and counts what is found otherwise and how many results differ for it.

## What is here

- `study/study.yml` is the study; {corpus}. Methods, prompts and profiles of its own are beside it.
- `results/datasets` holds the bundles for R, Stata, SPSS, Python and the other programs,
  `results/answers.json` the answers to its questions. The tables of the graph are in `replication.json` by
  their hashes.
- `code/` holds the program that ran, as a wheel, and the versions of all libraries.
- `replication.json` says what was packed, and where: {told.environment["implementation"]}
  {told.environment["python"]}, {told.environment["platform"]}.

{replies}The folder above is a BagIt bag (RFC 8493): `sha256sum -c manifest-sha256.txt` there tells whether a
file was changed.
"""
