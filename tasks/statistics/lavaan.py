"""Structural equation models as lavaan text (Rosseel 2012): read, write, count."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from corpusgraph.schemas.errors import InvalidInputError

Pair = tuple[str, str]

_STATEMENT = re.compile(r"(?P<left>[^=~<>|:]+?)\s*(?P<sign>=~|~~|~|:=|==|<~|[<>|])\s*(?P<right>.*)")
_TERM = re.compile(r"(?:(?P<modifier>.+)\*\s*)?(?P<name>[^\W\d][\w.]*|[01])")
_NAME = re.compile(r"[^\W\d][\w.]*")


@dataclass(frozen=True)
class Sem:
    """A model's parts. `fixed` are pairs whose parameter is set to a number, `free` ones marked NA."""

    latents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    regressions: tuple[Pair, ...] = ()
    covariances: tuple[Pair, ...] = ()
    fixed: frozenset[Pair] = frozenset()
    free: frozenset[Pair] = frozenset()
    n_constraints: int = 0
    countable: bool = True

    def observed(self) -> tuple[str, ...]:
        """Return the names that are no latent variables, in order of first use."""
        named = [name for group in self.latents.values() for name in group]
        named += [name for pair in (*self.regressions, *self.covariances) for name in pair]
        return tuple(dict.fromkeys(name for name in named if name not in self.latents))


def write(sem: Sem) -> str:
    """Write the model in lavaan's syntax, one line a factor, outcome or covariance."""
    lines = [f"{factor} =~ {' + '.join(names)}" for factor, names in sem.latents.items()]
    outcomes = dict.fromkeys(outcome for outcome, _ in sem.regressions)
    lines += [f"{y} ~ {' + '.join(x for o, x in sem.regressions if o == y)}" for y in outcomes]
    lines += [f"{a} ~~ {b}" for a, b in sem.covariances]
    return "".join(f"{line}\n" for line in lines)


def read(text: str) -> Sem:
    """Read lavaan text: `=~`, `~`, `~~`, intercepts, modifiers, labels, `:=` and `==`.

    Raises InvalidInputError with the line that is not understood. Operators whose parameters are not
    counted here (thresholds, inequalities, formative factors) make the model not `countable`.
    """
    sem, labels = Sem(), list[str]()
    for line in _statements(text):
        found = _STATEMENT.fullmatch(line)
        if not found:
            raise InvalidInputError(
                f"lavaan model: cannot read {line!r}.", hint="Write 'y ~ x' or 'f =~ a + b'."
            )
        sign, right = found["sign"], found["right"]
        if sign == ":=":
            continue
        if sign == "==":
            sem = replace(sem, n_constraints=sem.n_constraints + 1)
        elif sign not in {"=~", "~", "~~"}:
            sem = replace(sem, countable=False)
        else:
            for left in found["left"].split("+"):
                sem = _extended(sem, left.strip(), sign, _terms(right, line), labels)
    return replace(sem, n_constraints=sem.n_constraints + len(labels) - len(set(labels)))


def rename(text: str, names: Mapping[str, str]) -> str:
    """Put new names for old ones, wherever they stand alone."""
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


def _extended(sem: Sem, left: str, sign: str, terms: Sequence[tuple[str, str]], labels: list[str]) -> Sem:
    for name, modifier in terms:
        if name in {"0", "1"}:
            continue  # means are not among the moments counted
        pair = (left, name)
        if re.fullmatch(r"[+-]?[\d.]+", modifier):
            sem = replace(sem, fixed=sem.fixed | {pair})
        elif modifier == "NA":
            sem = replace(sem, free=sem.free | {pair})
        elif _NAME.fullmatch(modifier):
            labels.append(modifier)
        elif modifier:
            sem = replace(sem, countable=False)
        if sign == "=~":
            known = sem.latents.get(left, ())
            sem = replace(sem, latents={**sem.latents, left: (*known, name)})
        elif sign == "~":
            sem = replace(sem, regressions=(*sem.regressions, pair))
        else:
            sem = replace(sem, covariances=(*sem.covariances, pair))
    return sem
