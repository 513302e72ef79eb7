"""The project that kills.py kills: the micro scale, and a slow server to download from."""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from base64 import urlsafe_b64decode
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "micro"))
from micro_project import copy_project  # noqa: E402

# Twenty trainings, and measurements of layers, would only repeat what the others do.
LEFT_OUT = ("table1", "table3", "layer_times")
TEST_SET = "wire"  # a further test set, which has to be downloaded
SENTENCES = {"en": "The girl sees the dog.\n", "de": "Das Mädchen sieht den Hund.\n"}
# What is deleted and made again: every output of a rule that matches.
STAGES = {
    # Without the silver trees, which need a trained parser.
    "data": r"data/(?!micro/(silver|(clean|subwords|tokenized)/en-silver))",
    "trainings": r"results/micro/runs/(base|big|parser)/en-(de|trees)/(training\.json|metrics|timing|averaged)",
    "results": r"results/(?!micro/runs|micro/baselines)",
    "scores": r"results/micro/(baselines|runs/.+/(test|dev|scores|perplexity|(un)?constrained))",
}
MADE = ("data", "results", "logs", ".snakemake/metadata")
PIECE, PAUSE = 8, 0.2  # bytes, and the seconds that the server waits after them


def make_project(folder: Path, port: int) -> Path:
    """Copy the project to ``folder``, with a training of two processes and a test set to download."""
    copy_project(folder)
    scale = folder / "config" / "micro.yaml"
    scale.write_text(scale.read_text().replace("  big: {steps: 30,", "  big: {processes: 2, steps: 30,"))
    contents = folder / "workflow" / "report" / "contents.yaml"
    lines = contents.read_text().splitlines(keepends=True)
    contents.write_text("".join(line for line in lines if line.split(":")[0].strip() not in LEFT_OUT))
    paths = {side: f"{TEST_SET}/test.{side}" for side in SENTENCES}
    about = dict.fromkeys(("title", "licence", "citation"), "none") | {"homepage": "https://example.org/"}
    files = [{"path": path, "url": f"http://127.0.0.1:{port}/{path}"} for path in paths.values()]
    with (folder / "resources" / "sources.yaml").open("a") as sources:
        sources.write(f"\n{yaml.safe_dump({TEST_SET: about | {'splits': {'test': paths}, 'files': files}})}")
    settings = folder / "config" / "config.yaml"
    chosen = {"scale": "micro", "further_tests": [TEST_SET], "mirror": f"http://127.0.0.1:{port}"}
    text = settings.read_text()
    for key, value in chosen.items():
        text = re.sub(rf"^{key}:.*$", f"{key}: {json.dumps(value)}", text, flags=re.MULTILINE)
    settings.write_text(text)
    return folder


def make_repository(project: Path) -> Path:
    """Make the project a repository of git and DVC, as `dvc repro` needs it."""
    for name in ("dvc.yaml", "params.yaml", ".dvcignore", ".gitignore"):
        shutil.copy(ROOT / name, project)
    shutil.copytree(ROOT / ".dvc", project / ".dvc", ignore=shutil.ignore_patterns("tmp", "cache"))
    for step in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "a project"]):
        subprocess.run(["git", *step], cwd=project, env=environment(), check=True)
    return project


def copy_state(source: Path, target: Path) -> None:
    """Replace what was made in the project ``target``, and Snakemake's records of it, by that of ``source``.

    It is on the disk when this returns, as what the pipeline makes is when it is made.
    """
    for name in (".snakemake", ".dvc/cache", ".dvc/tmp", *MADE):
        shutil.rmtree(target / name, ignore_errors=True)
    (target / "dvc.lock").unlink(missing_ok=True)
    for name in MADE:
        shutil.copytree(source / name, target / name)
    shutil.copy(source / "resources" / "sources.lock.yaml", target / "resources")
    os.sync()


def forget(project: Path, stage: str) -> list[str]:
    """Delete the outputs of a stage, and the checkpoints of trainings whose results are deleted; return the outputs."""
    folder = project / ".snakemake" / "metadata"
    names = [record.relative_to(folder) for record in folder.rglob("*") if record.is_file()]
    # Snakemake splits long names.
    outputs = [urlsafe_b64decode("".join(part.lstrip("@") for part in name.parts)).decode() for name in names]
    asked = [path for path in sorted(outputs) if re.match(STAGES[stage], path) and (project / path).exists()]
    for output in asked:
        path = project / output
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        if output.endswith("/training.json"):
            shutil.rmtree(path.parent / "checkpoints")
    return asked


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", "--cores", "2", *options]


def environment() -> dict[str, str]:
    """The environment of a user's Snakemake, with one thread for each process."""
    who = {
        f"GIT_{role}_{key}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {"OMP_NUM_THREADS": "1", "SNAKEMAKE_LOGGER_ATTENTION_FULL": "true", "DVC_NO_ANALYTICS": "1"}
    return {**os.environ, **who, **own, "PATH": path}


class _SlowFiles(http.server.BaseHTTPRequestHandler):
    """Serves the test set a few bytes at a time, also from the middle of a file."""

    def do_GET(self) -> None:
        text = SENTENCES.get(self.path.rpartition(".")[2])
        if text is None or not self.path.startswith(f"/{TEST_SET}/"):
            return self.send_error(404)
        content = text.encode()
        start = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(start[1]) if start else 0
        if first >= len(content):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - first))
        self.end_headers()
        for place in range(first, len(content), PIECE):
            self.wfile.write(content[place : place + PIECE])
            self.wfile.flush()
            time.sleep(PAUSE)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


def serve(port: int = 0) -> int:
    """Serve the test set in a thread of this process; return the port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), _SlowFiles)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
