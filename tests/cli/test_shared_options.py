"""Commands that do like things take the same options, listed in the same order, from one place."""

import click
import pytest

from corpusgraph.flows.cli import commands, options

ASKING = ["profile", "budget", "outputs", "quiet", "as_json"]
BUILDING = [
    *("profile", "budget", "estimate", "sample", "engine", "workers"),
    *("outputs", "quiet", "as_json"),
]


@pytest.mark.parametrize(
    ("command", "shared"),
    [
        (commands.evaluate, ASKING),
        (commands.retry_failed, ASKING),
        (commands.remove, ASKING),
        (commands.run, BUILDING),
        (commands.index, BUILDING),
    ],
)
def test_a_command_ends_with_the_options_of_its_kind(command: click.Command, shared: list[str]) -> None:
    assert [option.name for option in command.params][-len(shared) :] == shared


def test_options_are_put_together_in_the_order_given() -> None:
    @click.command()
    @options.asking_options
    def asked(**_: object) -> None:
        """Take options."""

    help_ = asked.get_help(click.Context(asked))
    places = [help_.index(f"--{name}") for name in ("profile", "budget", "outputs", "quiet", "json")]
    assert places == sorted(places)
