"""Commands that build, ask, compare, pack and serve, and those about methods and profiles."""

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.cli.options import (
    BAD_INPUT,
    FAILED,
    OK,
    PATH,
    WHOLE,
    asking_options,
    budget_option,
    building_options,
    emit,
    given,
    interrupted,
    json_option,
    outputs_option,
    profile_option,
    quiet_option,
    settings,
    tell,
    tell_report,
    workers_option,
)
from corpusgraph.flows.progress import shown_steps, watched
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError

if TYPE_CHECKING:
    from corpusgraph.schemas.answer import AnswerResult
    from corpusgraph.schemas.llm import Price, Profile
    from corpusgraph.schemas.run import IndexReport, ReplicationReport
    from corpusgraph.tasks.registry import Tool


@click.command()
@click.argument("study", type=PATH)
@click.option("--corpus", help="Folder of documents, instead of the study's.")
@click.option("--rebuild", is_flag=True, help="Build the index anew even if it was made with other options.")
@building_options
def run(
    study: Path, corpus: str | None, estimate: bool, sample: int, quiet: bool, as_json: bool, **options: Any
) -> int:
    """Run a STUDY file: index its corpus, answer its questions, make its datasets."""
    from corpusgraph.flows import api
    from corpusgraph.flows.annotate.offline import ReadingOptions
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.load import scan
    from corpusgraph.flows.studies import load_study
    from corpusgraph.flows.study import check_study
    from corpusgraph.schemas.run import StudyReport

    _check_estimate(estimate, sample)
    rebuild = options.pop("rebuild")
    chosen = settings(**options | {"engine": options["engine"] or "prefect"})
    made, base = load_study(study, corpus)
    if estimate:
        return _estimate((made, base), chosen, sample, as_json=as_json)
    check_study(made, base, chosen)  # bad input is told before an engine is started
    scan(made.corpus, base)
    ReadingOptions.of(made.index, base)
    if chosen.engine == "prefect":
        parameters = {"study_file": str(study), "corpus": corpus, "rebuild": rebuild}
        report = StudyReport.model_validate(_in_prefect("study", chosen, parameters, quiet=quiet))
    else:
        with watched(quiet=quiet) as progress:
            report = api.run(study, corpus, rebuild=rebuild, progress=progress, **given(options))
    failed = report.index.n_failures or any(dataset.error for dataset in report.datasets)
    return tell_report(report, console.show_study, as_json=as_json, code=FAILED if failed else OK)


@click.command()
@click.argument("corpus", type=PATH)
@click.option("--name", help="Name of the index [the folder's name].")
@click.option("--embedder", help="hashing or sentence-transformers [hashing].")
@click.option("--model", help="Model of sentence-transformers: folder or hub's name [MiniLM].")
@click.option(
    "--from-openie",
    type=click.Path(),
    help="Findings made elsewhere, instead of the rules: JSON Lines {id, entities, triples}.",
)
@click.option("--rebuild", is_flag=True, help="Build anew even if the index was made with other options.")
@click.option("--update", is_flag=True, help="Add or replace these documents; all others stay.")
@building_options
def index(
    corpus: Path, name: str | None, estimate: bool, sample: int, quiet: bool, as_json: bool, **options: Any
) -> int:
    """Index a CORPUS: a folder of documents, or a study file; with --update one document will do."""
    from corpusgraph.flows import api
    from corpusgraph.flows.studies import study_of
    from corpusgraph.schemas.run import IndexReport

    _check_estimate(estimate, sample, update=options["update"])
    made_by = {key: options.pop(key) for key in ("embedder", "model", "from_openie")}
    how = {**made_by, **{key: options.pop(key) for key in ("rebuild", "update")}}
    chosen = settings(**options)
    if estimate:
        return _estimate(study_of(corpus, name, **made_by), chosen, sample, as_json=as_json)
    if chosen.engine == "prefect":
        parameters = {"corpus": str(corpus), "name": name, **how}
        report = IndexReport.model_validate(_in_prefect("index", chosen, parameters, quiet=quiet))
    else:
        with watched(quiet=quiet) as progress:
            report = api.index(corpus, name, progress=progress, **how, **given(options))
    return _tell_index(report, as_json=as_json)


def _tell_index(report: "IndexReport", *, as_json: bool) -> int:
    from corpusgraph.flows.cli import console

    code = FAILED if report.n_failures else OK
    return tell_report(report, console.show_index, as_json=as_json, code=code)


def _check_estimate(estimate: bool, sample: int, *, update: bool = False) -> None:
    """Raise UsageError for options that go together only in one way."""
    if sample and not estimate:
        raise click.UsageError("--sample goes with --estimate: it asks about some chunks to price the rest.")
    if estimate and update:
        raise click.UsageError("--estimate prices a whole corpus: give its folder, without --update.")


def _estimate(study: tuple[Any, Path], chosen: Any, sample: int, *, as_json: bool) -> int:
    """Tell what a run would ask a language model; as JSON with its sum."""
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.estimate import estimate_index

    estimate = estimate_index(*study, settings=chosen, sample=sample)
    told = {**estimate.model_dump(mode="json"), "cost": estimate.cost}
    return tell_report(told, lambda _: console.show_estimate(estimate), as_json=as_json)


def _in_prefect(flow: str, chosen: Any, parameters: JsonDict, *, quiet: bool) -> JsonDict:
    """Run a flow of the orchestrator; its own log is left to its dashboard unless asked for."""
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    if not os.environ.get("PREFECT_API_URL") and not quiet:
        sys.stderr.write(
            "Starting Prefect's embedded server (10 to 30 s; `--engine inline` does without) …\n"
        )
    from corpusgraph.flows import prefect

    shared = chosen.model_dump(include={"workers", "profile", "budget"})
    with watched(quiet=quiet) as progress:
        flow_of = getattr(prefect, flow)
        return prefect.orchestrated(flow_of, progress, **parameters, **shared, outputs=str(chosen.outputs))


@click.command()
@click.argument("name")
@click.argument("documents", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show the documents and leave the index as it is.")
@asking_options
def remove(
    name: str, documents: tuple[str, ...], dry_run: bool, quiet: bool, as_json: bool, **options: Any
) -> int:
    """Remove DOCUMENTS from the index NAME: by id, title, source or glob of sources.

    The corpus is not needed and not touched. Indexing it again leaves the documents out, until they are
    brought back by --rebuild or by `index FILE --update`.
    """
    from corpusgraph.flows import api
    from corpusgraph.flows.cli import console

    with watched(quiet=quiet) as progress:
        removal = api.remove(name, documents, dry_run=dry_run, progress=progress, **given(options))
    code = FAILED if removal.report is not None and removal.report.n_failures else OK
    return tell_report(
        removal, lambda report: console.show_removal(report, dry_run), as_json=as_json, code=code
    )


@click.command("retry-failed")
@click.argument("name")
@asking_options
def retry_failed(name: str, quiet: bool, as_json: bool, **options: Any) -> int:
    """Repeat the calls of a language model that failed when the index NAME was made, and complete it.

    Only those are paid for: all replies there were are kept. `corpusgraph status NAME` lists what failed.
    """
    from corpusgraph.flows import api

    with watched(quiet=quiet) as progress:
        report = api.retry_failed(name, progress=progress, **given(options))
    return _tell_index(report, as_json=as_json)


@click.command()
@click.argument("question")
@click.option("--index", help="Index to ask [the only one there is].")
@click.option("--method", default="default", help="Retrieval method: a name or a file (.yml).")
@click.option("--top-k", type=click.IntRange(1), default=5, help="Passages to use.")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="FIELD=VALUE",
    help="See only such documents: author=Jay, author=Jay|Madison, author!=Jay, date>=1787, date<=1788-03; "
    "may be given several times, and all must hold.",
)
@click.option("--explain", is_flag=True, help="Show the steps of the method, their time and cost.")
@profile_option
@budget_option
@outputs_option
@json_option
def ask(question: str, filters: tuple[str, ...], explain: bool, as_json: bool, **options: Any) -> int:
    """Answer a QUESTION with cited sentences, those of the passages or, with a profile, its model's."""
    from corpusgraph.flows import api
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.docs.listing import trace_lines, usage_line
    from corpusgraph.tasks.filter.conditions import parse_filters

    def show(answer: "AnswerResult") -> None:
        console.show_answer(answer)
        if explain:
            for line in (*trace_lines(answer.trace), *usage_line(answer.usage)):
                click.echo(line)

    return tell_report(api.ask(question, filter=parse_filters(filters), **options), show, as_json=as_json)


@click.command()
@json_option
def tools(as_json: bool) -> int:
    """List the tools."""
    from corpusgraph.flows.docs import listing

    return tell_report(listing.tool_list(), listing.tool_lines(), as_json=as_json)


@click.command()
@click.argument("name")
@click.option("--input", "source", help="File with the arguments as JSON, or - for stdin.")
@click.option("--index", help="Index the tool reads.")
@click.option("--schema", is_flag=True, help="Print the schemas of input and output instead.")
@click.option(
    "--table",
    type=PATH,
    help="File with the table: csv, tsv, parquet, jsonl, sav or dta, instead of rows in the arguments.",
)
@click.option(
    "--bundle",
    type=PATH,
    help="Folder for the files of what tools 23 to 26 prepare; they open in R, Stata, SPSS, Python.",
)
@profile_option
@budget_option
@outputs_option
@json_option
def tool(
    name: str, source: str | None, schema: bool, table: Path | None, as_json: bool, **options: Any
) -> int:
    """Call the tool NAME and print its result."""
    from corpusgraph.flows import api
    from corpusgraph.tasks import registry

    called = registry.find(name)
    if schema:
        emit({"input": called.input_schema(), "output": called.output_schema()})
        return OK
    arguments = _arguments(source) | (_table(called, table) if table is not None else {})
    try:
        with shown_steps(quiet=not sys.stderr.isatty()):
            result = api.call(name, arguments, **options)
    except KeyboardInterrupt:
        return interrupted(as_json=as_json, hint=WHOLE)
    has_files = options["bundle"] is not None and result.success
    if has_files:  # their names instead of what they hold
        result = result.model_copy(update={"data": None})
    if as_json:
        emit(result)
    elif result.success:
        if has_files:
            click.echo("\n".join(f"{result.metadata['bundle']}/{file}" for file in result.metadata["files"]))
        else:
            emit(result.model_dump(mode="json")["data"])
        for warning in result.warnings:
            click.echo(f"warning: {warning.message} ({warning.code})", err=True)
    if result.error is not None:
        click.echo(f"error: {result.error.message} {result.error.hint or ''}".rstrip(), err=True)
    return OK if result.success else BAD_INPUT


def _table(tool: "Tool", path: Path) -> dict[str, Any]:
    """Read a file into the argument that takes a table."""
    from corpusgraph.flows.load.frames import read_frame

    field = next((name for name in ("data", "table_data") if name in tool.input.model_fields), None)
    if field is None:
        raise InvalidInputError(f"{tool.name} takes no table.", hint="Leave --table out.")
    return {field: read_frame(path)}


def _arguments(source: str | None) -> dict[str, Any]:
    if source is None:
        return {}
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
        value = json.loads(text)
    except OSError as error:
        raise InvalidInputError(f"Cannot read {source}: {error.strerror}.") from None
    except ValueError as error:
        raise InvalidInputError(f"{source} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        hint = 'Arguments are an object: {"name": value}.'
        raise InvalidInputError(f"{source} holds no JSON object.", hint=hint)
    return value


@click.command()
@click.option("--corpus", required=True, type=PATH, help="Passages: JSON Lines {id, title, text}.")
@click.option("--queries", required=True, type=PATH, help="Questions: JSON Lines {question, gold: [ids]}.")
@click.option("--method", default="default", help="Methods, between commas.")
@click.option("--k", "ranks", default="2,5", help="Passages that count, between commas.")
@click.option("--embedder", default="hashing", help="hashing or sentence-transformers.")
@click.option("--from-openie", type=PATH, help="Findings made elsewhere: {id, entities, triples}.")
@click.option("--limit", type=click.IntRange(1), help="Ask so many questions [all].")
@asking_options
def evaluate(method: str, ranks: str, quiet: bool, as_json: bool, **options: Any) -> int:
    """Measure methods on questions whose documents are known: recall, answers, cost, time.

    With --json, one object per method, each on a line of its own. The first method is what the others are
    compared with. Tables and a plot are written into the outputs. A profile's language model answers; the
    index is made by rules.
    """
    from corpusgraph.flows import api
    from corpusgraph.flows.cli import console

    try:
        k = tuple(int(part) for part in ranks.split(","))
    except ValueError:
        raise InvalidInputError(f"--k is {ranks!r}.", hint="Whole numbers between commas: 2,5.") from None
    methods = [name.strip() for name in method.split(",") if name.strip()]
    with watched(quiet=quiet) as progress:
        report = api.evaluate(methods=methods, k=k, progress=progress, **given(options))
    if as_json:
        for record in report.records():
            click.echo(json.dumps(record, ensure_ascii=False))
    else:
        console.show_evaluation(report)
    return OK


@click.group()
def method() -> None:
    """List, show, check and price retrieval methods."""


@method.command("list")
@json_option
def list_methods(as_json: bool) -> int:
    """List the methods that come with the package."""
    from corpusgraph.flows.methods import summaries

    rows = summaries()
    width = max((len(row["method"]) for row in rows), default=0)
    lines = [
        f"{row['method']:<{width}}  {row['title']}"
        + (f" [also: {', '.join(row['aliases'])}]" if row["aliases"] else "")
        + (f" ({row['cite']})" if row["cite"] else "")
        for row in rows
    ]
    return tell_report(rows, lines, as_json=as_json)


@method.command("show")
@click.argument("name")
@json_option
def show_method(name: str, as_json: bool) -> int:
    """Show the method NAME, or the one in a file, as it is written."""
    from corpusgraph.flows.methods import load_method, source_text

    return tell_report(load_method(name), [source_text(name).rstrip()], as_json=as_json)


@method.command("check")
@click.argument("name")
@json_option
def check_method(name: str, as_json: bool) -> int:
    """Type-check the method NAME, or the one in a file: exit code 2 if it cannot run."""
    from corpusgraph.flows.docs.listing import check_lines
    from corpusgraph.flows.methods import load_method
    from corpusgraph.tasks.method.check import check_method as checked

    loaded = load_method(name)
    result = checked(loaded)
    code = OK if result.ok else BAD_INPUT
    return tell_report(result, check_lines(loaded, result), as_json=as_json, code=code)


@method.command()
@click.argument("name")
@json_option
def plan(name: str, as_json: bool) -> int:
    """Show the chain of the method NAME, or of a file, with the most that a language model may cost."""
    from corpusgraph.flows.docs.listing import plan_lines
    from corpusgraph.flows.methods import load_method
    from corpusgraph.tasks.method.plan import plan_method

    made = plan_method(load_method(name))
    return tell_report(made, plan_lines(made), as_json=as_json)


@click.group()
def profile() -> None:
    """List, show and check profiles of language models."""


@profile.command("list")
@json_option
def list_profiles(as_json: bool) -> int:
    """List the profiles that come with the package."""
    from corpusgraph.flows.llm.profiles import all_profiles

    profiles = all_profiles()
    width = max((len(p.profile) for p in profiles), default=0)
    lines = [
        f"{p.profile:<{width}}  {p.llm.model}: {p.about}"
        + (f" (key: {p.llm.api_key_env})" if p.llm.api_key_env else "")
        for p in profiles
    ]
    return tell_report(profiles, lines, as_json=as_json)


@profile.command("show")
@click.argument("name")
@json_option
def show_profile(name: str, as_json: bool) -> int:
    """Show the profile NAME, or the one in a file, as it is written."""
    from corpusgraph.flows.llm.profiles import load_profile, source_text

    return tell_report(load_profile(name), [source_text(name).rstrip()], as_json=as_json)


@profile.command("check")
@click.argument("name")
@click.option("--outputs", type=PATH, help="Also show what is in its response cache.")
@json_option
def check_profile(name: str, outputs: Path | None, as_json: bool) -> int:
    """Make one small call with the profile NAME, or of a file, and tell how it went."""
    from corpusgraph.flows.llm.client import check_profile as checked
    from corpusgraph.flows.llm.profiles import load_profile

    loaded = load_profile(name)
    result = checked(loaded, outputs)
    if as_json:
        emit({"success": result.error is None, **vars(result)})
    elif result.error is None:
        click.echo(f"{loaded.profile}: {result.model} answered in {result.seconds:.2f} s")
        click.echo(f"  shape asked for by: {result.mode}")
        click.echo(f"  price: {_price(loaded, result.price)}")
        if (seen := result.ratio) is not None:
            ratios = (
                f"{seen['characters_per_token']:.2f} characters a token, "
                f"{seen['completion_per_prompt']:.2f} tokens out for each in (by {seen['n']} replies)"
            )
            click.echo(f"  in the cache: {ratios if seen['n'] else 'no reply of this model'}")
    else:
        hint = f"After {result.seconds:.1f} s; nothing was stored."
        tell(result.code or "error", f"{loaded.profile}: {result.error.rstrip('.')}.", hint, as_json=False)
    return OK if result.error is None else FAILED


def _price(loaded: "Profile", price: "Price | None") -> str:
    if price is None:
        return "unknown (give one in the profile: a budget needs it)"
    source = "of the profile" if loaded.llm.price is not None else "as published"
    return f"${price.input:g} in, ${price.output:g} out per million tokens, {source}"


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


@click.command()
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    help="stdio: for the program that starts this one; http: for many.",
)
@click.option("--host", default="127.0.0.1", help="Address to listen on (http).")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    help="Port to listen on (http); 0: any.",
)
@click.option("--index", help="Index of a call that names none [the only one there is].")
@click.option("--memory", metavar="NAME", help="The same, and made empty where there is none of that name.")
@click.option("--tools", "groups", multiple=True, metavar="GROUPS", help="Groups of tools to offer [all].")
@click.option("--read-only", is_flag=True, help="Offer nothing that changes an index or writes files.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with the tokens of the clients: a token, or a name and a token, a line.",
)
@click.option("--token", help="Token of the one client [CORPUSGRAPH_TOKEN]; other users can see it here.")
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="Another name that this server goes by (Host)."
)
@click.option(
    "--allow-origin", multiple=True, metavar="URL", help="Site whose pages may call (Origin): https://…"
)
@click.option(
    "--max-body",
    type=click.FloatRange(0.001, 1024),
    default=4,
    metavar="MEGABYTES",
    help="The most that a request may hold.",
)
@click.option(
    "--timeout",
    "seconds",
    type=click.FloatRange(0.1, 86400),
    default=300,
    metavar="SECONDS",
    help="How long a call may take.",
)
@profile_option
@budget_option
@outputs_option
def serve(
    transport: str,
    index: str | None,
    memory: str | None,
    groups: tuple[str, ...],
    outputs: Path,
    **more: Any,
) -> int:
    """Serve tools, resources and prompts to agents over MCP."""
    from corpusgraph.flows.mcp.options import ServeOptions

    if memory is not None:
        index = _memory(memory, index, outputs)
    calls = {name: more[name] for name in ("read_only", "profile", "budget", "seconds")}
    options = ServeOptions(outputs=outputs, index=index, groups=groups, **calls)
    if index is not None and memory is None:
        _look_for(index, outputs)
    if transport == "stdio":
        from corpusgraph.flows.mcp.stdio import serve_stdio

        serve_stdio(options)
        return OK
    from corpusgraph.flows.mcp import http

    listen = http.HttpOptions(
        host=more["host"],
        port=more["port"],
        tokens=http.read_tokens(more["token"], more["token_file"]),
        hosts=http.known_hosts(more["allow_host"]),
        origins=http.known_origins(more["allow_origin"]),
        max_body=int(more["max_body"] * http.MEGABYTE),
    )
    asked = "a bearer token is asked for" if len(listen.tokens) else "no token is asked for"

    def say(address: str) -> None:  # on stderr, as all that is no result
        click.echo(f"Serving MCP at {address} ({asked}); Ctrl-C ends.", err=True)

    http.serve_http(options, listen, say)
    return OK


def _memory(name: str, index: str | None, outputs: Path) -> str:
    """Return the name of an index that is there, if need be by making it."""
    from corpusgraph.flows.interop.sources import new_memory
    from corpusgraph.flows.store.store import IndexStore

    if index not in {None, name}:
        raise click.UsageError("--memory names an index, and --index another: give one of the two.")
    if IndexStore(outputs).manifest(name) is None:
        new_memory(name, outputs=outputs)
    return name


def _look_for(index: str, outputs: Path) -> None:
    """Warn on stderr of an index that is not there: it may be made while the server runs, or be misspelt."""
    from corpusgraph.flows.store.store import IndexStore

    try:
        IndexStore(outputs).published(index)
    except CorpusgraphError as error:
        click.echo(f"warning: {error} Calls that name no other index fail until it is there.", err=True)
