"""What tools 20 to 26 make, as the folder of files that a researcher opens."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpusgraph.flows.resources.bundlefolder import publish_folder, written_files
from corpusgraph.flows.resources.files import bring_back
from corpusgraph.flows.resources.manifest import is_bundle
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Noted, ToolWarning

Files = dict[str, bytes]
_TOOLS = (
    "prepare_statistical_analysis, prepare_causal_model, prepare_argument_network or prepare_process_trace"
)


def bundle_of(
    data: Any,
    warnings: Sequence[ToolWarning] = (),
    *,
    name: str = "",
    title: str = "",
) -> Files:
    """Return the bundle of a tool's result: relative file name -> bytes, the same for the same result.

    Raises InvalidInputError for a result that has no bundle.
    """
    from corpusgraph.tasks.prepare.argument.nouns import ArgumentNetwork
    from corpusgraph.tasks.prepare.causal.nouns import CausalModel
    from corpusgraph.tasks.prepare.process.nouns import ProcessTrace
    from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis

    if isinstance(data, StatisticalAnalysis):
        from corpusgraph.tasks.export.statistical.bundle import statistical_bundle

        return statistical_bundle(data, data.output_format)
    named: dict[str, Any] = {"title": title, **({"name": name} if name else {})}
    if isinstance(data, CausalModel):
        from corpusgraph.tasks.export.causal.bundle import causal_bundle

        return causal_bundle(data, warnings, **named)
    if isinstance(data, ArgumentNetwork):
        from corpusgraph.tasks.export.argument.bundle import argument_bundle

        return argument_bundle(data, warnings, **named)
    if isinstance(data, ProcessTrace):
        from corpusgraph.tasks.export.process.bundle import process_bundle

        return process_bundle(data, warnings, **named)
    raise InvalidInputError("There is no bundle of this tool's result.", hint=f"Call {_TOOLS}.")


def write_bundle(noted: Noted[Any], folder: Path) -> list[str]:
    """Write the bundle of a result to a folder, in one step, and return its files.

    A folder that is no bundle is never replaced: InvalidInputError. Of one that is, files that are not the
    program's stay, and those that somebody changed are moved to `previous/`.
    """
    bring_back(folder)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not is_bundle(folder)):
        raise InvalidInputError(
            f"{folder} is there and is no bundle: it is left as it is.", hint="Name another folder."
        )
    files = bundle_of(noted.data, noted.warnings, name=folder.name)
    publish_folder(folder, files, written_files(folder))
    return sorted(files)
