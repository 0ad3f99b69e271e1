"""dagitty.R of the causal bundle: the same question asked of the R package dagitty."""

from collections.abc import Mapping

from corpusgraph.tasks.prepare.causal.nouns import CausalModel


def dagitty_script(result: CausalModel, names: Mapping[str, str]) -> bytes:
    """Write dagitty.R: implied independencies, adjustment sets, instruments, in dagitty's own answers."""
    lines = [
        '# The package dagitty: install.packages("dagitty")',
        "library(dagitty)",
        'g <- dagitty(paste(readLines("dagitty.txt", encoding = "UTF-8"), collapse = "\\n"))',
        "print(impliedConditionalIndependencies(g))",
    ]
    if result.exposure and result.outcome:
        lines += ['print(adjustmentSets(g, type = "minimal", effect = "total"))']
        if len(result.exposure) == len(result.outcome) == 1:
            ends = f"{_r(names[result.exposure[0]])}, {_r(names[result.outcome[0]])}"
            lines.append(f"print(instrumentalVariables(g, {ends}))")
    return "\n".join([*lines, ""]).encode()


def _r(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
