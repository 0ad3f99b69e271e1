"""Columns of a model as SPSS variables: 0/1 for each level but the reference, powers, products."""

from dataclasses import dataclass

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.export.statistical.coding import codes, user_missing, whole_in_terms
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.statistics.names import legal_names
from corpusgraph.tasks.statistics.settle import CATEGORIES


@dataclass(frozen=True)
class Made:
    """Commands that make variables, and the names of the terms, the outcome and the offset."""

    commands: tuple[str, ...]
    names: tuple[str, ...]
    outcome: str
    offset: str | None = None


def quoted(text: str) -> str:
    """Return an SPSS string on one line."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"


class _Maker:
    def __init__(self, result: StatisticalAnalysis) -> None:
        self.result = result
        self.commands: list[str] = []
        self.levels: dict[tuple[str, int], str] = {}
        self.taken = list(result.name_map.values())

    def column(self, name: str) -> Column:
        return next(column for column in self.result.table.columns if column.name == name)

    def compute(self, wanted: str, formula: str, label: str) -> str:
        name = legal_names([*self.taken, wanted], "spss")[wanted]
        while name in self.taken:
            wanted += "_"
            name = legal_names([*self.taken, wanted], "spss")[wanted]
        self.taken.append(name)
        self.commands.append(f"COMPUTE {name} = {formula}.")
        self.commands.append(f"VARIABLE LABELS {name} {quoted(label)}.")
        return name

    def parts(self, name: str, power: int, *, whole: bool) -> list[str]:
        """Return the variables of one factor of a term; a `whole` category has one for each level."""
        column = self.column(name)
        if column.dtype not in CATEGORIES:
            return (
                [name]
                if power == 1
                else [self.compute(f"{name}_p{power}", f"{name} ** {power}", f"{name} ^ {power}")]
            )
        numbers, texts = codes(column, self.result.table.column(name))
        base = level_number(self.result, name, self.result.model.reference[name])
        present = sorted({code for code in numbers if code is not None} - set(user_missing(column)))
        return [self.level(name, n, texts[n]) for n in present if whole or n != base]

    def level(self, name: str, n: int, text: str) -> str:
        """Return the 0/1 variable of a level, made when it is first wanted."""
        if (name, n) not in self.levels:
            self.levels[name, n] = self.compute(f"{name}_{n}", f"({name} = {n})", f"{name}: {text}")
        return self.levels[name, n]


def columns(result: StatisticalAnalysis) -> Made:
    """Make the variables of the model."""
    model, maker = result.model, _Maker(result)
    made: dict[tuple[str, int, bool], list[str]] = {}
    names: list[str] = []
    for term, whole in zip(model.terms, whole_in_terms(result), strict=True):
        product = [""]
        for name, power in term.items():
            part = (name, power, name in whole)
            if part not in made:
                made[part] = maker.parts(name, power, whole=name in whole)
            product = [f"{a} * {b}" if a else b for a in product for b in made[part]]
        names += [maker.compute(p.replace(" * ", "_x_"), p, p) if " * " in p else p for p in product]
    outcome = model.outcome or ""
    if model.kind == "logistic" and maker.column(outcome).dtype != "boolean":
        base = level_number(result, outcome, model.reference[outcome])
        outcome = maker.compute(
            f"{outcome}_01", f"({outcome} <> {base})", f"{outcome}: not {model.reference[outcome]}"
        )
    offset = model.offset
    if model.exposure:
        logged = f"LN({model.exposure})" + (f" + {offset}" if offset else "")
        offset = maker.compute("log_exposure", logged, f"log of {model.exposure}")
    return Made(tuple(maker.commands), tuple(names), outcome, offset)


def level_number(result: StatisticalAnalysis, name: str, level: str) -> int:
    """Return the number that stands for a level."""
    column = next(column for column in result.table.columns if column.name == name)
    levels = column.levels or ()
    if all(one.lstrip("+-").isdigit() for one in levels):
        return int(level)
    return levels.index(level) + 1
