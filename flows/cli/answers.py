"""Show an answer to a person: its sentences, where each stands, and what to mind."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from corpusgraph.schemas.results import ToolWarning

if TYPE_CHECKING:
    from corpusgraph.schemas.answer import Answer


def show_answer(answer: "Answer") -> None:
    """Show an answer and where each sentence stands."""
    from rich.console import Console

    from corpusgraph.schemas.answer import AnswerResult

    console = Console()
    console.print(answer.text or "Nothing in the corpus answers this.", highlight=False, markup=False)
    for number, citation in enumerate(answer.citations, start=1):
        page = f", page {citation.page}" if citation.page else ""
        place = f"{citation.document_title}{page}, characters {citation.start} to {citation.end}"
        console.print(f"[dim]{escape(f'[{number}] {place}')}[/dim]", highlight=False)
    for code, message in warnings_of(answer.warnings) if isinstance(answer, AnswerResult) else ():
        console.print(f"[yellow]{escape(message)}[/yellow] [dim]({code})[/dim]", highlight=False)


def warnings_of(warnings: Sequence[ToolWarning]) -> list[tuple[str, str]]:
    """Return code and message of warnings; what several steps did without a language model is one message."""
    lead = "There is no language model: "
    instead = [
        message.partition(lead)[2].removesuffix(".")
        for warning in warnings
        if warning.code == "no_llm" and lead in (message := warning.message)
    ]
    joined = [("no_llm", f"{lead}{'; '.join(dict.fromkeys(instead))}.")] if instead else []
    others = [(w.code, w.message) for w in warnings if w.code != "no_llm" or lead not in w.message]
    return list(dict.fromkeys([*joined, *others]))
