"""Input and result of tool 24: nodes, arrows, conditional probabilities, and what follows from them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, field_validator

from corpusgraph.schemas.base import Described, JsonDict, Noun, OpenNoun, Text
from corpusgraph.schemas.results import Table, ToolInput, ToolWarning
from corpusgraph.tasks.analysis.checks import Passage
from corpusgraph.tasks.registry import Reads

ModelType = Literal["dag", "bayesian", "do_calculus"]
Prior = Literal["laplace", "bdeu", "none"]
Names = tuple[str, ...]


class CausalNode(OpenNoun):
    """A variable. `adjusted`: conditioned on in any case; `selected`: decides who is in the sample."""

    id: str
    name: Text = ""
    latent: bool = False
    selected: bool = False
    adjusted: bool = False
    states: Names | None = None
    cpt: Any = Field(
        default=None,
        description="conditional probabilities: rows [{'given': {parent: state}, 'p': {state: number}}], or"
        " lists of numbers in the order of states, one per parent configuration, last parent fastest",
    )

    @property
    def label(self) -> str:
        """Name, or the id where there is none."""
        return self.name or self.id


class CausalEdge(OpenNoun, use_attribute_docstrings=True):
    """An arrow from cause to effect, or a bidirected edge for an unobserved common cause."""

    id: str = ""
    source_id: str
    target_id: str
    type: str = "causes"
    """causes, prevents, or bidirected (unobserved common cause)"""
    sign: Literal[-1, 0, 1] | None = None
    """-1 prevents, 1 promotes, 0 both stated"""
    confidence: float | None = None
    """0 to 1: 1 - product of (1 - c) over passages for, times their share"""
    n_for: int | None = None
    """passages that state it"""
    n_against: int | None = None
    """passages that deny it"""
    passages: tuple[Passage, ...] = ()


def _records(values: Any) -> Any:
    """Return nouns and scored items of other tools as plain records."""
    if not isinstance(values, list | tuple):
        return values
    plain = [value.model_dump() if isinstance(value, BaseModel) else value for value in values]
    return [value["item"] if isinstance(value, dict) and "item" in value else value for value in plain]


class PrepareCausalModel(ToolInput, use_attribute_docstrings=True):
    """Variables and arrows, and which question is asked of them."""

    entities: Annotated[tuple[CausalNode, ...], BeforeValidator(_records), Reads("entities")]
    """the variables"""
    relationships: Annotated[tuple[CausalEdge, ...], BeforeValidator(_records), Reads("relationships")] = ()
    """the arrows, from cause to effect"""
    model_type: ModelType = "dag"
    """what to make of them"""
    exposure: str | Names | None = None
    """id or name; several for a joint effect"""
    outcome: str | Names | None = None
    """id or name; several for a joint effect"""
    data: tuple[JsonDict, ...] | Table | None = None
    """rows with one value per variable: for tables, tests and the script"""
    weights: str | None = None
    """column of data: how many rows each row stands for, in tables"""
    given: str | Names | None = None
    """ids or names: ask for the effect among those who share their values"""
    prior: Prior = Field(
        default="laplace",
        description="of tables from data. laplace: `prior_weight` per state; bdeu: `equivalent_sample_size`"
        " spread evenly over the table (Heckerman et al. 1995); none: frequencies (maximum likelihood)",
    )
    prior_weight: float = Field(default=1.0, ge=0)
    """laplace: pseudo-count of each state in each row; 0: frequencies"""
    equivalent_sample_size: float = Field(default=10.0, gt=0)
    """bdeu: rows the prior is worth"""
    drop_edges: tuple[str | tuple[str, str], ...] = ()
    """arrows to remove: relationship ids, or pairs [source, target]"""
    on_cycle: Literal["error", "report"] = "error"
    """report: answer with the network and its cycles, and nothing else"""
    notes: tuple[ToolWarning, ...] = ()
    """noted earlier; passed on as warnings"""

    @field_validator("exposure", "outcome", "given")
    @classmethod
    def _one_or_several(cls, value: str | Names | None) -> Names | None:
        return (value,) if isinstance(value, str) else value


class Independence(Noun):
    """`x` is independent of `y` given the others, whatever the numbers."""

    x: str
    y: str
    given: Names = ()


class MarkovStatement(Noun):
    """`x` is independent of all `others` at once, given the rest. All of them imply every independence."""

    x: str
    others: Names
    given: Names = ()


class IndependenceTest(Independence, use_attribute_docstrings=True):
    """An implied independence and what the data say; p is None where it could not be tested.

    `test`: partial_correlation (all numbers; Fisher's z, no df), chi_square (all categories; Pearson's
    statistic summed over the strata of `given`), pillai (mixed; canonical correlations of what is left of x
    and y after linear regression on `given`, categories as dummies, Pillai's trace as F).
    """

    test: Literal["partial_correlation", "chi_square", "pillai"] | None = None
    """Fisher's z, chi-square within strata, or Pillai (numbers and categories)"""
    n: int = 0
    """rows without a gap in x, y and given"""
    estimate: float | None = None
    """partial correlation; Cramer's V of the pooled statistic; Pillai's trace"""
    statistic: float | None = None
    """z, chi-square, or F"""
    df: float | None = None
    """degrees of freedom"""
    df_error: float | None = None
    """degrees of freedom of the error, of F"""
    p: float | None = None
    """p value; small: the data contradict the graph"""
    p_holm: float | None = None
    """adjusted for all tests listed (Holm 1979)"""
    why_not: str = ""
    """why it was not tested"""


class ConditionalEffect(Noun):
    """The effect of the exposure among those with the same values of `given`."""

    given: Names
    identifiable: bool | None = None
    estimand: str | None = None
    hedge: "Hedge | None" = None
    reason: str = ""


class Instrument(Noun):
    """A variable that moves the exposure and reaches the outcome only through it."""

    instrument: str
    given: Names = ()


class Hedge(Noun):
    """Two nested confounded groups that share their roots: the reason an effect is not identifiable."""

    forest: Names
    inner: Names


class CptRow(Described):
    """One distribution: probabilities in the order of the node's states."""

    given: dict[str, str] = Field(default_factory=dict)
    """parent id -> its state"""
    p: tuple[float, ...]
    n: float | None = None
    """rows of the data in this configuration"""


class Cpt(Described):
    """The conditional probability table of a node; rows in the order of the parents, last one fastest."""

    node: str
    states: Names
    parents: Names = ()
    rows: tuple[CptRow, ...]
    prior: Prior | None = None
    """None: the table was given"""
    prior_weight: float | None = None
    """pseudo-count of each state in each row"""


class CausalModel(Described):
    """A causal model and all that follows from its structure. Names in sets are node ids.

    `minimal_adjustment_sets`: [] none exists, [[]] the empty set is valid; None: no query was asked.
    `identifiable` is None where it is not decided; `reason` then says why.
    """

    model_type: ModelType
    nodes: tuple[CausalNode, ...]
    edges: tuple[CausalEdge, ...]
    acyclic: bool = True
    cycles: tuple[Names, ...] = ()
    dropped_edges: tuple[CausalEdge, ...] = ()
    topological_order: Names = ()
    roots: Names = ()
    leaves: Names = ()
    exposure: Names = ()
    outcome: Names = ()
    minimal_adjustment_sets: tuple[Names, ...] | None = None
    minimal_front_door_sets: tuple[Names, ...] | None = None
    instruments: tuple[Instrument, ...] | None = None
    identifiable: bool | None = None
    estimand: str | None = None
    identified_by: Literal["adjustment", "front_door", "id"] | None = None
    hedge: Hedge | None = None
    reason: str = ""
    conditional: ConditionalEffect | None = None
    implied_independencies: tuple[Independence, ...] = ()
    basis_set: tuple[MarkovStatement, ...] = ()
    tests: tuple[IndependenceTest, ...] = ()
    cpts: tuple[Cpt, ...] = ()
    data: Table | None = None
    """the rows that were read; columns are ids of nodes"""
