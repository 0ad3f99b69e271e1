"""Expressions in observed probabilities, simplified as they are built, and their text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Term:
    """P(variables | given)."""

    variables: tuple[str, ...]
    given: tuple[str, ...] = ()

    @cached_property
    def free(self) -> frozenset[str]:
        """Variables whose values the expression depends on."""
        return frozenset(self.variables + self.given)

    @property
    def size(self) -> int:
        """Probabilities in the expression."""
        return 1


@dataclass(frozen=True)
class Sum:
    """A sum over the values of some variables."""

    over: tuple[str, ...]
    body: "Expression"

    @cached_property
    def free(self) -> frozenset[str]:
        """Variables of the body that are not summed over."""
        return self.body.free - set(self.over)

    @cached_property
    def size(self) -> int:
        """Probabilities in the expression."""
        return self.body.size


@dataclass(frozen=True)
class Product:
    """A product of expressions; without factors it is 1."""

    factors: tuple["Expression", ...]

    @cached_property
    def free(self) -> frozenset[str]:
        """Variables of all factors."""
        return frozenset().union(*(factor.free for factor in self.factors))

    @cached_property
    def size(self) -> int:
        """Probabilities in the expression."""
        return sum(factor.size for factor in self.factors)


@dataclass(frozen=True)
class Fraction:
    """A quotient of expressions."""

    numerator: "Expression"
    denominator: "Expression"

    @cached_property
    def free(self) -> frozenset[str]:
        """Variables above and below the line."""
        return self.numerator.free | self.denominator.free

    @cached_property
    def size(self) -> int:
        """Probabilities in the expression."""
        return self.numerator.size + self.denominator.size


Expression = Term | Sum | Product | Fraction


def product(factors: Sequence[Expression]) -> Expression:
    """Multiply, without nesting products."""
    flat = [part for factor in factors for part in _parts(factor)]
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def sum_out(over: Collection[str], body: Expression) -> Expression:
    """Sum over variables; a probability that sums to one on its own is dropped."""
    if isinstance(body, Term):
        return _marginal(frozenset(over), body)
    if isinstance(body, Sum):
        return sum_out((set(over) & body.free) | set(body.over), body.body)
    left = set(over) & body.free
    factors = _parts(body)
    while (at := _droppable(factors, left)) is not None:
        left -= set(getattr(factors.pop(at), "variables", ()))
    rest = product(factors) if factors else Product(())
    return Sum(tuple(sorted(left)), rest) if left else rest


def _parts(e: Expression) -> list[Expression]:
    return list(e.factors) if isinstance(e, Product) else [e]


def _marginal(over: frozenset[str], term: Term) -> Expression:
    kept = tuple(name for name in term.variables if name not in over)
    conditions = tuple(sorted(over & set(term.given)))
    inner: Expression = Term(kept, term.given) if kept else Product(())
    return Sum(conditions, inner) if conditions and kept else inner


def _droppable(factors: Sequence[Expression], over: set[str]) -> int | None:
    """Return the place of a term whose variables are all summed over and occur nowhere else."""
    for at, factor in enumerate(factors):
        if not isinstance(factor, Term) or not set(factor.variables) <= over:
            continue
        if all(other.free.isdisjoint(factor.variables) for i, other in enumerate(factors) if i != at):
            return at
    return None


def quotient(numerator: Expression, denominator: Expression) -> Expression:
    """Divide, cancelling equal factors."""
    above, below = _parts(numerator), _parts(denominator)
    for factor in list(below):
        if factor in above:
            above.remove(factor)
            below.remove(factor)
    top = product(above) if above else Product(())
    return Fraction(top, product(below)) if below else top


def render(expression: Expression, names: Mapping[str, str], used: Collection[str] = ()) -> str:
    """Write an expression; a summed variable that is also in use outside gets a prime."""
    return _render(expression, {name: names.get(name, name) for name in sorted(expression.free)}, names, used)


def _render(e: Expression, shown: Mapping[str, str], names: Mapping[str, str], used: Collection[str]) -> str:
    if isinstance(e, Term):
        given = f" | {', '.join(shown[name] for name in e.given)}" if e.given else ""
        return f"P({', '.join(shown[name] for name in e.variables)}{given})"
    if isinstance(e, Sum):
        bound = {name: names.get(name, name) + ("'" if name in used else "") for name in e.over}
        inner = _render(e.body, {**shown, **bound}, names, {*used, *e.over})
        return f"Σ_{{{', '.join(bound.values())}}} {inner}"
    if isinstance(e, Product):
        scope = {*used, *e.free}
        return " ".join(_factor(factor, shown, names, scope) for factor in e.factors) or "1"
    above, below = (_render(part, shown, names, used) for part in (e.numerator, e.denominator))
    return f"[{above}] / [{below}]"


def _factor(e: Expression, shown: Mapping[str, str], names: Mapping[str, str], used: Collection[str]) -> str:
    text = _render(e, shown, names, used)
    return f"({text})" if isinstance(e, Sum) else text
