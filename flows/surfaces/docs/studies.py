"""docs/studies.md: every key of a study file, made from its models and from the measures."""

import json
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel

from corpusgraph.flows.surfaces.docs.studies_text import INTRODUCTION, NOTES, UNITS
from corpusgraph.schemas import study
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.datasets import UnitOfAnalysis
from corpusgraph.tasks.dataset.measures.registry import ALL, MEASURES
from corpusgraph.tasks.dataset.units import SCOPES
from corpusgraph.tasks.prepare.argument.semantics import SEMANTICS

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
