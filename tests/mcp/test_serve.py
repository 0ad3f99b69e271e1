"""`corpusgraph serve`: what it says, what it refuses to start with, and how it ends."""

import json
import signal
import socket
import subprocess
from pathlib import Path

import click
import httpx
import pytest
from click.testing import CliRunner

from corpusgraph.flows.cli.main import cli
from corpusgraph.flows.mcp.http import HttpOptions, known_hosts, known_origins, listening, read_tokens
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError
from tests.mcp.live import COMMAND, PATIENCE, TOKEN, environment, live
from tests.mcp.test_http import HEADERS, OPENING, messages


def refused(*options: str) -> CorpusgraphError:
    """Return the error that the command ends with."""
    ran = CliRunner().invoke(
        cli, ["serve", "--transport", "http", "--port", "0", *options], standalone_mode=False
    )
    assert isinstance(ran.exception, CorpusgraphError), ran.output
    assert ran.exception.hint
    return ran.exception


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])  # noqa: S104
def test_off_the_loopback_a_token_is_a_must(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CORPUSGRAPH_TOKEN", raising=False)
    error = refused("--host", host)
    assert error.code == "token_required"
    assert "CORPUSGRAPH_TOKEN" in str(error)


@pytest.mark.parametrize(
    "token", ["", "short", " ", "with space in it, long", "ünïcode-token-of-some-length", "a" * 15]
)
def test_a_token_that_is_none_is_refused(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUSGRAPH_TOKEN", token)
    error = refused()
    assert error.code == "invalid_input"
    assert not token.strip() or token not in str(error)


def test_a_token_file_names_clients(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"# who may call\n\n{TOKEN}\nnotebook another-token-of-the-tests\n", encoding="utf-8")
    assert len(read_tokens(path=file)) == 2
    for bad in ("", "# none\n", f"a {TOKEN}\na {TOKEN}x\n", "a b c d\n", "a short\n", "\xff"):
        file.write_text(bad, encoding="latin-1")
        with pytest.raises(InvalidInputError):
            read_tokens(path=file)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_tokens(path=tmp_path / "nowhere")


@pytest.mark.parametrize("before", ["", "\ufeff", "# mine\n\n"])
def test_a_file_of_tokens_may_begin_with_a_mark_or_a_comment(before: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"{before}desk {TOKEN}\r\nanother-token-of-the-tests\n", encoding="utf-8")
    assert len(read_tokens(path=file)) == 2


def test_two_clients_have_two_tokens(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"a {TOKEN}\nb {TOKEN}\n")
    with pytest.raises(InvalidInputError, match="The token of b is another's too") as refused:
        read_tokens(path=file)
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize(
    "name", ["*", "*.example.org", "https://example.org", "a b", "", "example.org/x", "a:b"]
)
def test_a_pattern_is_no_host(name: str) -> None:
    with pytest.raises(InvalidInputError, match="host name"):
        known_hosts([name])


@pytest.mark.parametrize(
    "url", ["*", "null", "example.org", "ftp://example.org", "https://example.org/x", "https://*", "http://["]
)
def test_a_pattern_is_no_origin(url: str) -> None:
    with pytest.raises(InvalidInputError, match="origin"):
        known_origins([url])


@pytest.mark.parametrize("host", ["nowhere.invalid", "256.1.1.1", "a b", "x" * 300, "\udcff"])
def test_an_address_that_is_none_is_told(host: str) -> None:
    with pytest.raises(CorpusgraphError), listening(HttpOptions(host=host, port=0)):
        pass


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        error = refused("--port", str(taken.getsockname()[1]))
    assert error.code == "address_unavailable"


def test_the_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom corpusgraph.flows.cli.main import cli\n"
        "cli.main(['serve', '--help'], standalone_mode=False)\n"
        "print([m for m in ('mcp', 'uvicorn', 'starlette', 'numpy', 'lancedb') if m in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run(
        [COMMAND[0], "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert ran.stderr.strip() == "[]"
    assert "--token-file" in ran.stdout


@pytest.mark.faults
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_listens_and_ends_when_told(how: signal.Signals, tiny: tuple[Path, str]) -> None:
    with live(tiny[0]) as server:
        assert "a bearer token is asked for" in server.said[-1]
        bearer = {**HEADERS, "authorization": f"Bearer {TOKEN}"}
        with httpx.Client(headers=bearer, timeout=60) as client:
            session = client.post(server.url, json=OPENING).headers["mcp-session-id"]
            with client.stream(
                "GET", server.url, headers={"mcp-session-id": session}
            ) as stream:  # is open when it ends
                assert stream.status_code == 200
                assert server.end(how) == 0
        assert not [line for line in server.said if "Traceback" in line]
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""


@pytest.mark.faults
def test_without_a_token_it_says_so_and_listens_on_ipv6(tiny: tuple[Path, str]) -> None:
    with live(tiny[0], "--host", "::1", token=None) as server:
        assert server.url.startswith("http://[::1]:")
        assert "no token is asked for" in server.said[-1]
        assert httpx.post(server.url, json=OPENING, headers=HEADERS, timeout=60).status_code == 200


@pytest.mark.faults
def test_off_the_loopback_with_a_token_it_goes_by_its_address(tiny: tuple[Path, str]) -> None:
    with live(tiny[0], "--host", "0.0.0.0", "--allow-host", "graphs.example.org") as server:  # noqa: S104
        bearer = {**HEADERS, "authorization": f"Bearer {TOKEN}"}
        url = f"http://127.0.0.1:{server.port}/mcp"
        for host, code in (
            ("graphs.example.org", 200),
            ("127.0.0.1", 200),
            ("10.0.0.1", 421),
            ("evil.example", 421),
        ):
            sent = httpx.post(url, json=OPENING, headers={**bearer, "host": host}, timeout=60)
            assert sent.status_code == code, host
        assert httpx.post(url, json=OPENING, headers=HEADERS, timeout=60).status_code == 401


@pytest.mark.faults
def test_a_read_only_server_lists_and_changes_nothing_that_writes(tiny: tuple[Path, str]) -> None:
    with live(tiny[0], "--read-only") as server:
        bearer = {**HEADERS, "authorization": f"Bearer {TOKEN}"}
        with httpx.Client(headers=bearer, timeout=60) as client:
            session = {"mcp-session-id": client.post(server.url, json=OPENING).headers["mcp-session-id"]}
            ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            listing = messages(client.post(server.url, json=ask, headers=session))[-1]
            hints = [tool["annotations"]["readOnlyHint"] for tool in listing["result"]["tools"]]
            assert len(hints) > 40
            assert all(hints)
            call = {"name": "create_entities", "arguments": {"entities": [{"name": "X", "entityType": "y"}]}}
            made = client.post(
                server.url, json={**ask, "method": "tools/call", "params": call}, headers=session
            ).text
            assert "read_only" in made


@pytest.mark.faults
@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe\x00", b"nonsense", b"[1]", b"{}", b" "]
)
def test_over_stdio_nonsense_is_answered_or_skipped(line: bytes, tiny: tuple[Path, str]) -> None:
    listing = b'{"jsonrpc":"2.0","id":7,"method":"tools/list"}'
    ready = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    lines = [json.dumps(OPENING).encode(), ready, line, listing]
    command = [*COMMAND, "--outputs", str(tiny[0])]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b"\n".join(lines) + b"\n")
    server.stdin.flush()
    answers: list[object] = []
    while 7 not in answers:
        answers.append(json.loads(server.stdout.readline()).get("id"))
    server.communicate(timeout=PATIENCE)
    assert (server.returncode, answers[0]) == (0, 1)


def test_a_memory_is_made_where_there_is_none_and_kept_where_there_is(tmp_path: Path) -> None:
    from corpusgraph.flows import api
    from corpusgraph.flows.cli.commands import _memory

    assert _memory("notes", None, tmp_path) == "notes"
    made = api.call("create_entities", NOTE, index="notes", outputs=tmp_path)
    assert made.success, made.error
    assert _memory("notes", "notes", tmp_path) == "notes"
    assert [entity.name for entity in api.open("notes", tmp_path).graph.entities] == ["Henry Whitehead"]
    with pytest.raises(click.UsageError):
        _memory("notes", "other", tmp_path)


NOTE = {"entities": [{"name": "Henry Whitehead", "entityType": "person", "observations": []}]}
