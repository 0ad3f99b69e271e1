"""What the grounded labelling says of each claim, in words."""

from typing import get_args

from corpusgraph.tasks.prepare._argument_nouns import ClaimStatus
from corpusgraph.tasks.prepare._argumentation import Framework, Label, Pair

_LABELS = get_args(Label)


def statuses(framework: Framework, supports: frozenset[Pair]) -> tuple[ClaimStatus, ...]:
    """Return status, reason, attackers, defenders and supporters of each claim, in the order given."""
    label = framework.grounded()
    allies = Framework(framework.arguments, supports).attackers
    place = {claim: n for n, claim in enumerate(framework.arguments)}
    return tuple(
        ClaimStatus(
            id=claim,
            status=label[claim],
            why=_why(claim, framework, label),
            attackers=framework.attackers[claim],
            defenders=tuple(
                sorted(
                    {d for a in framework.attackers[claim] for d in framework.attackers[a]},
                    key=place.__getitem__,
                )
            ),
            supporters=allies[claim],
        )
        for claim in framework.arguments
    )


def _why(claim: str, framework: Framework, label: dict[str, Label]) -> str:
    attackers = framework.attackers[claim]
    by_label = {its: ", ".join(a for a in attackers if label[a] == its) for its in _LABELS}
    if label[claim] == "rejected":
        return f"attacked by accepted {by_label['accepted']}"
    if label[claim] == "undecided":
        return f"attacked by undecided {by_label['undecided']}, and by no accepted claim"
    return f"every attacker is rejected: {by_label['rejected']}" if attackers else "not attacked"
