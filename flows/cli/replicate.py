"""The command that packs a study for others, and runs a packed one again."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.cli.options import (
    FAILED,
    OK,
    PATH,
    given,
    json_option,
    outputs_option,
    profile_option,
    quiet_option,
    tell_report,
    workers_option,
)
from corpusgraph.flows.progress import watched

if TYPE_CHECKING:
    from corpusgraph.schemas.run import ReplicationReport


@click.command()
@click.argument("study", type=PATH)
@click.option("--check", is_flag=True, help="STUDY is an archive: run it again and compare every byte.")
@click.option("--to", type=PATH, help="File to write the archive to.")
@click.option(
    "--corpus",
    type=PATH,
    help="Folder of documents, instead of the study's; with --check, where the archive has none.",
)
@click.option(
    "--from-texts",
    is_flag=True,
    help="With --check: read the texts anew, without the packed evidence, and count what differs.",
)
@click.option("--without-corpus", is_flag=True, help="Pack the documents' hashes, not the documents.")
@profile_option
@workers_option
@outputs_option
@quiet_option
@json_option
def replicate(study: Path, without_corpus: bool, quiet: bool, as_json: bool, **options: Any) -> int:
    """Pack a STUDY with its corpus, code and results into one archive that reruns to the same bytes.

    The study is run from what is packed before the archive is closed; replies of a language model come from
    the study's last run, and no model is asked.
    """
    from corpusgraph.flows import replicate as door

    with watched(quiet=quiet) as progress:
        report = door.replicate(study, with_corpus=not without_corpus, progress=progress, **given(options))
    return tell_report(report, _lines(report), as_json=as_json, code=OK if report.holds else FAILED)


def _lines(report: "ReplicationReport") -> list[str]:
    lines = [f"note: {note}" for note in report.notes]
    lines += [f"other here: {line}" for line in report.environment]
    lines += [
        f"read otherwise here: {change.kind}: {change.added:,} added, {change.removed:,} removed"
        for change in report.evidence
    ]
    if report.from_texts and not report.evidence:
        lines.append("The texts read as they did: the same evidence.")
    n_differ = len(report.differences)
    lines += [f"{d.what}: {d.file}" + (f" ({d.at})" if d.at else "") for d in report.differences[:20]]
    if n_differ > 20:
        lines.append(f"… and {n_differ - 20} more")
    if report.done == "packed":
        if n_differ:
            lines.append(
                "The outputs of the study are not what it gives now; the archive holds what it gives."
            )
        replies = f", {report.n_replies:,} replies" if report.n_replies else ""
        lines.append(
            f"{report.archive}: {report.bytes:,} bytes, {report.n_documents:,} documents{replies}, "
            f"{report.n_results} results, run from the archive's own files in {report.seconds:.1f} s"
        )
    else:
        told = "the same bytes" if report.same else f"{n_differ} {'differs' if n_differ == 1 else 'differ'}"
        lines.append(
            f"{report.study}: {report.n_results} results made again in {report.seconds:.1f} s: {told}"
        )
    return lines
