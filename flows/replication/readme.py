"""README.md of an archive: what it holds and how to run it again."""

from corpusgraph.schemas.replication import Replication


def readme(told: Replication, wheel: str) -> str:
    """Write the page."""
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
