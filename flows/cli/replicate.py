"""The command that packs a study for others, and runs a packed one again."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.cli.exits import tell_report
from corpusgraph.flows.cli.options import (
    json_option,
    outputs_option,
    profile_option,
    quiet_option,
    settings,
    workers_option,
)

if TYPE_CHECKING:
    from corpusgraph.schemas.run import ReplicationReport


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="STUDY is an archive: run it again and compare every byte.")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="File to write the archive to.")
@click.option(
    "--corpus",
    default=None,
    type=click.Path(path_type=Path),
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
def replicate(
    study: Path,
    check: bool,
    to: Path | None,
    corpus: Path | None,
    from_texts: bool,
    without_corpus: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Pack a STUDY with its corpus, code and results into one archive that reruns to the same bytes.

    The study is run from what is packed before the archive is closed; replies of a language model come from
    the study's last run, and no model is asked.
    """
    from corpusgraph.flows.progress import watched
    from corpusgraph.flows.replicate.check import check as check_archive
    from corpusgraph.flows.replicate.pack import pack

    chosen = settings(**options)
    if check and (to is not None or without_corpus):
        raise click.UsageError("--to and --without-corpus are for packing, not for --check.")
    if from_texts and not check:
        raise click.UsageError("--from-texts goes with --check.")
    with watched(quiet=quiet) as progress:
        if check:
            report = check_archive(
                study, settings=chosen, progress=progress, corpus=corpus, from_texts=from_texts
            )
        else:
            report = pack(
                study,
                settings=chosen,
                progress=progress,
                to=to,
                corpus=corpus,
                with_corpus=not without_corpus,
            )
    return tell_report(report, _show, as_json=as_json, failed=not report.holds)


def _show(report: "ReplicationReport") -> None:
    for note in report.notes:
        click.echo(f"note: {note}")
    for line in report.environment:
        click.echo(f"other here: {line}")
    for change in report.evidence:
        click.echo(f"read otherwise here: {change.kind}: {change.added:,} added, {change.removed:,} removed")
    if report.from_texts and not report.evidence:
        click.echo("The texts read as they did: the same evidence.")
    for one in report.differences[:20]:
        click.echo(f"{one.what}: {one.file}" + (f" ({one.at})" if one.at else ""))
    if len(report.differences) > 20:
        click.echo(f"… and {len(report.differences) - 20} more")
    if report.done == "packed":
        if report.differences:
            click.echo("The outputs of the study are not what it gives now; the archive holds what it gives.")
        replies = f", {report.n_replies:,} replies" if report.n_replies else ""
        click.echo(
            f"{report.archive}: {report.bytes:,} bytes, {report.n_documents:,} documents{replies}, "
            f"{report.n_results} results, run from the archive's own files in {report.seconds:.1f} s"
        )
        return
    differ = len(report.differences)
    told = "the same bytes" if report.same else f"{differ} {'differs' if differ == 1 else 'differ'}"
    click.echo(f"{report.study}: {report.n_results} results made again in {report.seconds:.1f} s: {told}")
