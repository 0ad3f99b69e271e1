"""Terms of a regression: variables, interactions and powers."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import combinations, product

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.analysis.statistics.analysis import Term
from corpusgraph.tasks.graph.names import grouped

MAX_POWER = 20
_POWER = re.compile(r"(.+)\^(\d+)")


def read_terms(given: Iterable[str], known: Collection[str]) -> tuple[Term, ...]:
    """Read `a`, `a:b` (product), `a*b` (a, b and a:b) and `a^2`; a column of that very name goes first.

    Each term comes once. A name that is no column stays in its term, for the caller to complain of.

    Parameters
    ----------
    given : iterable of str
        Terms as written.
    known : collection of str
        Names of the columns.

    Returns
    -------
    tuple of Term
        Each once, in order.

    Raises
    ------
    InvalidInputError
        For a power outside 1 to 20, or a variable twice in a term.

    References
    ----------
    Wilkinson & Rogers (1973), Applied Statistics 22(3), 392-399.

    """
    terms: list[Term] = []
    for text in given:
        for term in _expanded(text.strip(), known):
            if term not in terms:
                terms.append(term)
    return tuple(terms)


def _expanded(text: str, known: Collection[str]) -> list[Term]:
    if text in known:
        return [{text: 1}]
    parts = [part.strip() for part in text.split("*")]
    sets = [names for size in range(1, len(parts) + 1) for names in combinations(parts, size)]
    factors = {part: [part] if part in known else [one.strip() for one in part.split(":")] for part in parts}
    return [_product([name for part in names for name in factors[part]], text) for names in sets]


def _product(factors: Sequence[str], text: str) -> Term:
    term: Term = {}
    for factor in factors:
        found = _POWER.fullmatch(factor)
        name, power = (found[1].strip(), int(found[2])) if found else (factor, 1)
        if not name or name in term or not 1 <= power <= MAX_POWER:
            raise InvalidInputError(
                f"Cannot read the term {text!r}.",
                hint=f"Write a, a:b, a*b, or a^2 (up to {MAX_POWER}); each variable once.",
            )
        term[name] = power
    return term


def variables_of(terms: Iterable[Term]) -> tuple[str, ...]:
    """Return the names in the terms, each once, in order.

    Parameters
    ----------
    terms : iterable of dict of str to int
        Terms: variable -> power.

    Returns
    -------
    tuple of str
        In order of first use.

    """
    return tuple(dict.fromkeys(name for term in terms for name in term))


def term_text(term: Mapping[str, int], power: str = "{}^{}") -> str:
    """Write a term; `power` is how the program writes a power.

    Parameters
    ----------
    term : mapping of str to int
        Variable -> power.
    power : str
        A format of variable and power.

    Returns
    -------
    str
        Such as `a:b^2`.

    """
    return ":".join(name if k == 1 else power.format(name, k) for name, k in term.items())


def whole_categories(
    terms: Sequence[Term], categories: AbstractSet[str], *, intercept: bool
) -> tuple[frozenset[str], ...]:
    """Return for each term the categories that enter it with all their levels, as R and Stata have it.

    A category loses its reference level where the term without it is in the model too: in `x:g` without `x`
    each level has a slope of its own. Without intercept the first category keeps all levels.

    Parameters
    ----------
    terms : sequence of dict of str to int
        Terms: variable -> power.
    categories : set of str
        Which variables are categories.
    intercept : bool
        Whether the model has one.

    Returns
    -------
    tuple of frozenset of str
        One for each term.

    References
    ----------
    Chambers & Hastie 1992, Statistical Models in S, section 2.4.1.

    """
    found = []
    for term in terms:
        rest = {name: {n: k for n, k in term.items() if n != name} for name in term if name in categories}
        found.append({name for name, others in rest.items() if others and others not in terms})
    crossed = sorted(
        (at for at, term in enumerate(terms) if categories & term.keys()), key=lambda at: len(terms[at])
    )
    if crossed and not intercept:
        found[crossed[0]].add(next(name for name in terms[crossed[0]] if name in categories))
    return tuple(map(frozenset, found))


def polynomials(terms: Sequence[Term], *, intercept: bool) -> dict[str, int]:
    """Return variable -> degree where all powers from 1 to the degree are terms, and there is an intercept.

    Such powers can be fitted around the middle of the variable without changing the model; a variable that
    is also in an interaction is left as it is.

    Parameters
    ----------
    terms : sequence of dict of str to int
        Terms: variable -> power.
    intercept : bool
        Whether the model has one.

    Returns
    -------
    dict of str to int
        Degrees above 1; empty without an intercept.

    """
    crossed = {name for term in terms if len(term) > 1 for name in term}
    powers = grouped(part for term in terms if len(term) == 1 for part in term.items())
    full = {name: max(ks) for name, ks in powers.items() if name not in crossed and len({*ks}) == max(ks) > 1}
    return full if intercept else {}


Pair = tuple[str, str]

_STATEMENT = re.compile(r"(?P<left>[^=~<>|:]+?)\s*(?P<sign>=~|~~|~|:=|==|<~|[<>|])\s*(?P<right>.*)")
_TERM = re.compile(r"(?:(?P<modifier>.+)\*\s*)?(?P<name>\.?[^\W\d][\w.]*|[01])")
_NAME = re.compile(r"\.?[^\W\d][\w.]*")


@dataclass(frozen=True)
class Sem:
    """The parts of a structural equation model.

    Attributes
    ----------
    latents : mapping of str to tuple of str
        Factor -> its indicators.
    regressions : tuple of (str, str)
        (outcome, predictor).
    covariances : tuple of (str, str)
        Pairs that covary.
    fixed : frozenset of (str, str)
        Pairs whose parameter is set to a number.
    free : frozenset of (str, str)
        Pairs whose parameter is marked NA, so estimated.
    n_constraints : int
        Parameters that constraints and shared labels take away.
    countable : bool
        Whether all that the text has is counted here.

    """

    latents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    regressions: tuple[Pair, ...] = ()
    covariances: tuple[Pair, ...] = ()
    fixed: frozenset[Pair] = frozenset()
    free: frozenset[Pair] = frozenset()
    n_constraints: int = 0
    countable: bool = True

    def observed(self) -> tuple[str, ...]:
        """Return the names that are no latent variables, in order of first use.

        Returns
        -------
        tuple of str
            Indicators, then regressions, then covariances.

        """
        named = [name for group in self.latents.values() for name in group]
        named += [name for pair in (*self.regressions, *self.covariances) for name in pair]
        return tuple(dict.fromkeys(name for name in named if name not in self.latents))


def write(sem: Sem) -> str:
    """Write the model in lavaan's syntax, one line a factor, outcome or covariance.

    Parameters
    ----------
    sem : Sem
        The parts of a model.

    Returns
    -------
    str
        It ends in a line feed; variances and intercepts are left to the program.

    References
    ----------
    Rosseel (2012), J. Stat. Softw. 48(2).

    """
    lines = [f"{factor} =~ {' + '.join(names)}" for factor, names in sem.latents.items()]
    outcomes = dict.fromkeys(outcome for outcome, _ in sem.regressions)
    lines += [f"{y} ~ {' + '.join(x for o, x in sem.regressions if o == y)}" for y in outcomes]
    lines += [f"{a} ~~ {b}" for a, b in sem.covariances]
    return "".join(f"{line}\n" for line in lines)


def read(text: str) -> Sem:
    """Read lavaan text: `=~`, `~`, `~~`, intercepts, modifiers, labels, `:=` and `==`.

    Operators whose parameters are not counted here (thresholds, inequalities, formative factors) make the
    model not `countable`.

    Parameters
    ----------
    text : str
        The model in lavaan's syntax.

    Returns
    -------
    Sem
        Its parts.

    Raises
    ------
    InvalidInputError
        With the line that is not understood.

    References
    ----------
    Rosseel (2012), J. Stat. Softw. 48(2).

    """
    latents: dict[str, tuple[str, ...]] = {}
    pairs: dict[str, list[Pair]] = {"~": [], "~~": []}
    fixed, free, labels = set[Pair](), set[Pair](), list[str]()
    n_constraints, countable = 0, True
    for line in _statements(text):
        found = _STATEMENT.fullmatch(line)
        if not found:
            raise InvalidInputError(
                f"lavaan model: cannot read {line!r}.", hint="Write 'y ~ x' or 'f =~ a + b'."
            )
        sign, right = found["sign"], found["right"]
        n_constraints += sign == "=="
        if sign not in {"=~", *pairs}:
            countable = countable and sign in {":=", "=="}
            continue
        terms = [term for term in _terms(right, line) if term[0] not in {"0", "1"}]  # means are not counted
        for left, (name, modifier) in product(map(str.strip, found["left"].split("+")), terms):
            if re.fullmatch(r"[+-]?[\d.]+", modifier):
                fixed.add((left, name))
            elif modifier == "NA":
                free.add((left, name))
            elif _NAME.fullmatch(modifier):
                labels.append(modifier)
            elif modifier:
                countable = False
            if sign == "=~":
                latents[left] = (*latents.get(left, ()), name)
            else:
                pairs[sign].append((left, name))
    n_constraints += len(labels) - len(set(labels))
    both = (tuple(pairs["~"]), tuple(pairs["~~"]))
    return Sem(latents, *both, frozenset(fixed), frozenset(free), n_constraints, countable)


def rename(text: str, names: Mapping[str, str]) -> str:
    """Put new names for old ones, wherever they stand alone.

    Parameters
    ----------
    text : str
        A formula, or lavaan's syntax.
    names : mapping of str to str
        Old name -> new name.

    Returns
    -------
    str
        A name inside a longer one is not touched.

    """
    return _NAME.sub(lambda found: names.get(found[0], found[0]), text)


def _statements(text: str) -> list[str]:
    lines = [re.split(r"[#!]", line, maxsplit=1)[0].strip() for line in re.split(r"[\n;]", text)]
    joined: list[str] = []
    for line in filter(None, lines):
        if joined and (joined[-1].endswith(("+", "~", "*")) or line.startswith(("+", "*"))):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
    return joined


def _terms(right: str, line: str) -> list[tuple[str, str]]:
    found = [_TERM.fullmatch(term.strip()) for term in right.split("+")]
    if None in found:
        raise InvalidInputError(f"lavaan model: cannot read {line!r}.", hint="Terms are joined by '+'.")
    return [(term["name"], (term["modifier"] or "").strip()) for term in found if term]
