"""The study to run or to index: read from a file, or made of a bare folder."""

import unicodedata
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from corpusgraph.flows.files.yaml_file import Keys, error_of, line_of, read_yaml
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import (
    MethodCheckError,
    MethodFileError,
    StudyFileError,
    UnknownMethodError,
    shown,
)
from corpusgraph.schemas.study import Corpus, IndexOptions, Study
from corpusgraph.tasks import registry as _tool

Made = TypeVar("Made", bound=BaseModel)
_KEYS = Keys(
    Study,
    "study file",
    "It has the keys study and corpus, and may have title, index, questions and datasets.",
)


def read_study(path: Path) -> Study:
    """Return the study in a YAML file.

    Parameters
    ----------
    path : Path
        Of YAML.

    Returns
    -------
    Study
        Validated, questions and their methods too.

    Raises
    ------
    StudyFileError
        For what is not there, no YAML or no study, with file, line and the nearest key.

    """
    data, root = read_yaml(path, _KEYS.whole, StudyFileError)
    study = _KEYS.read(data, root, shown(path), StudyFileError)
    if root is not None and study.questions:
        _check_methods(path, root, study)
    return study


def _check_methods(path: Path, root: yaml.Node, study: Study) -> None:
    """Raise for a question whose method is unknown or cannot run, with the study's line."""
    from corpusgraph.flows.answer import method_named

    problems = []
    for number, question in enumerate(study.questions):
        try:
            method_named(question.method, path.parent)
        except (UnknownMethodError, MethodFileError, MethodCheckError) as error:
            line = line_of(root, ("questions", number, "method"))
            problems.append((line, f"questions[{number}].method: {error.message}", error.hint))
    if problems:
        raise error_of(shown(path), _KEYS.whole, problems, StudyFileError)


def made(model: type[Made], what: str, fields: JsonDict) -> Made:
    """Validate fields; what is wrong is told in one line.

    Parameters
    ----------
    model : type of Made
        What is to be made.
    what : str
        Begins the message.
    fields : JsonDict
        Field -> value.

    Returns
    -------
    Made
        Validated.

    Raises
    ------
    InvalidInputError
        With the fields that are wrong.

    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise _tool.invalid_input(error, model, what) from None


def load_study(study: str | Path | Study, corpus: str | Path | None = None) -> tuple[Study, Path]:
    """Return a study and the folder its paths start from.

    Parameters
    ----------
    study : str or Path or Study
        A study file (.yml) or a study, whose paths start here.
    corpus : str or Path, optional
        Documents, in place of the study's own.

    Returns
    -------
    tuple of Study and Path
        Validated, questions and their methods too where it is a file.

    Raises
    ------
    StudyFileError
        For a file that cannot be read as a study.

    """
    read, base = (
        (study, Path.cwd()) if isinstance(study, Study) else (read_study(Path(study)), Path(study).parent)
    )
    if corpus is None:
        return read, base
    there = str(Path(corpus).expanduser().resolve())
    return read.model_copy(update={"corpus": read.corpus.model_copy(update={"path": there})}), base


def folder_study(folder: Path, name: str | None = None) -> Study:
    """Return the study of a bare folder: default options, no questions, no datasets.

    Parameters
    ----------
    folder : Path
        Of documents.
    name : str, optional
        Of the index; made of the folder's unless given.

    Returns
    -------
    Study
        Its path is absolute.

    Raises
    ------
    InvalidInputError
        For what cannot be the name of an index.

    """
    there = folder.expanduser().resolve()
    fields = {"study": name or _tidy(there.name), "corpus": Corpus(path=str(there))}
    return made(Study, "index", fields)


def study_of(
    corpus: str | Path | Study,
    name: str | None = None,
    *,
    embedder: str | None = None,
    model: str | None = None,
    from_openie: str | Path | None = None,
) -> tuple[Study, Path]:
    """Return the study to index, and where its paths start: of a study file, or of a folder of documents.

    Parameters
    ----------
    corpus : str or Path or Study
        A folder, a file of documents, a study file (.yml) or a study.
    name : str, optional
        Of the index of a folder.
    embedder : str, optional
        Replaces that of the study.
    model : str, optional
        Of the embedder; replaces that of the study.
    from_openie : str or Path, optional
        File of findings; replaces the extractor of the study.

    Returns
    -------
    tuple of Study and Path
        Validated.

    Raises
    ------
    StudyFileError
        For a file that cannot be read as a study.
    InvalidInputError
        For options that do not go together.

    """
    if isinstance(corpus, Study) or Path(corpus).suffix in {".yml", ".yaml"}:
        study, base = load_study(corpus)
    else:
        study, base = folder_study(Path(corpus), name), Path.cwd()
    given: JsonDict = {"embedder": embedder or ("sentence-transformers" if model else None), "model": model}
    if from_openie is not None:
        there = str(Path(from_openie).expanduser().resolve())
        given |= {"extractor": "openie", "openie": there}
    given = {key: value for key, value in given.items() if value is not None}
    if not given:
        return study, base
    index = made(IndexOptions, "index", {**study.index.model_dump(exclude_unset=True), **given})
    return study.model_copy(update={"index": index}), base


def _tidy(name: str) -> str:
    """Return a name an index can have; where letters are lost, a hash keeps two folders apart."""
    name = unicodedata.normalize("NFC", name)
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "_" for c in name).strip("_.-")
    if name.isascii():
        return kept or "corpus"
    return f"{kept or 'corpus'}-{blake2b(name.encode(), digest_size=3).hexdigest()}"
