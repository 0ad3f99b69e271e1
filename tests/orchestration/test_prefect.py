"""With a real Prefect: the same bytes as inline, artifacts to watch, and a cron schedule that creates runs."""

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from corpusgraph.flows.pipeline import STAGES

pytestmark = [pytest.mark.orchestration, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "configs" / "studies" / "broad_street.yml"


def environment(home: Path, **more: str) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PREFECT_")}
    return {**clean, "PREFECT_HOME": str(home), "PREFECT_SERVER_ANALYTICS_ENABLED": "false", **more}


def run(*command: str, env: dict[str, str], cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def told() -> list[list[str]]:
    """Return the commands that docs/operations.md gives for scheduled runs, after the server has started."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    block = page.split("## Scheduled runs")[1].split("```")[3]
    return [shlex.split(line) for line in block.splitlines() if line.startswith("prefect ")]


def study(outputs: Path, engine: str, env: dict[str, str]) -> dict[str, Any]:
    cli = "corpusgraph.flows.cli.main"
    done = run(
        cli, "run", str(STUDY), "--engine", engine, "--outputs", str(outputs), "--json", "--quiet", env=env
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def published(outputs: Path) -> dict[str, bytes]:
    """Files a person uses: datasets, GraphRAG tables, answers, ledger."""
    home = outputs / "broad_street"
    wanted = ("datasets/**/*", "output/*", "answers.json", "failures.jsonl")
    files = (p for pattern in wanted for p in home.glob(pattern) if p.is_file())
    return {str(p.relative_to(home)): p.read_bytes() for p in sorted(files)}


def wait_for(found: Callable[[], Any], seconds: float, what: str) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(1)
    pytest.fail(f"{what} did not come within {seconds} s")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A Prefect server of its own; yields the environment of its clients."""
    home = tmp_path_factory.mktemp("prefect")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    url = f"http://127.0.0.1:{port}/api"
    env = environment(home, PREFECT_SERVER_API_PORT=port, PREFECT_API_URL=url)
    with (home / "server.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "prefect", "server", "start", "--port", port],
            env=env,
            stdout=log,
            stderr=log,
        )
        try:
            wait_for(lambda: _healthy(url), 120, "the server")
            yield env
        finally:
            process.terminate()
            process.wait(timeout=60)


def _healthy(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def post(env: dict[str, str], path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    reply = httpx.post(f"{env['PREFECT_API_URL']}{path}", json=body, timeout=30)
    reply.raise_for_status()
    found: list[dict[str, Any]] = reply.json()
    return found


def test_prefect_gives_the_bytes_of_inline_and_artifacts_to_watch(
    server: dict[str, str], tmp_path: Path
) -> None:
    inline = study(tmp_path / "inline", "inline", server)
    flow = study(tmp_path / "flow", "prefect", server)
    assert flow["engine"] == "prefect"
    assert flow["index"]["generation"] == inline["index"]["generation"]
    assert published(tmp_path / "flow") == published(tmp_path / "inline")
    artifacts = post(server, "/artifacts/filter", {"limit": 100})
    keys = {a["key"] for a in artifacts}
    assert {
        "counts",
        "failures",
        "stages",
        "study",
        *(f"stage-{name}" for name, _ in STAGES),
        "stage-datasets",
    } <= keys
    progress = {a["key"]: a["data"] for a in artifacts if a["key"] == "stage-extract"}
    assert float(progress["stage-extract"]) == 100.0
    assert flow["watch"]


def test_deployments_get_scheduled_runs_and_a_worker_completes_one(
    server: dict[str, str], tmp_path: Path
) -> None:
    env = {**server, "CORPUSGRAPH_OUTPUTS": str(tmp_path / "outputs")}
    *steps, last = told()
    for step in steps:
        done = run(*step, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
    deployments = {d["name"]: d for d in post(env, "/deployments/filter", {})}
    assert set(deployments) == {"nightly", "hourly", "questions", "datasets", "measure"}

    def scheduled() -> bool:
        body = {"flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}}, "limit": 200}
        ids = {r["deployment_id"] for r in post(env, "/flow_runs/filter", body)}
        return {deployments[name]["id"] for name in ("nightly", "hourly")} <= ids

    wait_for(scheduled, 150, "a scheduled run of each deployment that has a schedule")
    asked = run("prefect", "deployment", "run", "study/nightly", env=env)
    assert asked.returncode == 0, asked.stderr
    with (tmp_path / "worker.log").open("w") as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", *last, "--limit", "1"],
            env=env,
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
        try:
            body = {"flow_runs": {"state": {"type": {"any_": ["COMPLETED", "FAILED", "CRASHED"]}}}}
            body["flow_runs"]["deployment_id"] = {"any_": [deployments["nightly"]["id"]]}  # type: ignore[dict-item]
            ended = wait_for(lambda: post(env, "/flow_runs/filter", body), 240, "the end of the run")
        finally:
            worker.terminate()
            worker.wait(timeout=60)
    assert {r["state"]["type"] for r in ended} == {"COMPLETED"}, (tmp_path / "worker.log").read_text()[-2000:]
    assert (tmp_path / "outputs" / "broad_street" / "manifest.json").is_file()
