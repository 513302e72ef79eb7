"""Kill the pipeline again and again, until it is finished, and compare what it made with an uninterrupted run.

    python tests/campaigns/kills.py                       # 100 kills; an hour or two on a free core
    python tests/campaigns/kills.py --kills 500 --seed 7  # goes on from there
    python tests/campaigns/kills.py --summary

The whole pipeline runs at the micro scale, with one training by two processes, a download from a slow server, and now
and then inside `dvc repro`.  After a pause of random length, a process that is running gets SIGKILL, SIGTERM, SIGINT or
SIGUSR1: Snakemake, its whole process group, DVC, or a job.  Or the disk loses its power, fills up, or becomes read-only
(only as root on Linux).  What ended is started again with the same command, and nothing else is done by hand.

Everything is first made once without an interruption.  The killed project is a copy of that, from which the results of
one stage after the other are deleted: the data, two trainings, translations and scores, tables and figures.  When they
are made again, all artifacts are compared.

The folder --folder keeps the uninterrupted run, the project, and kills.jsonl with a line for each kill; an interrupted
campaign goes on from there.  The seed determines pauses, signals and disasters; which process a kill meets also depends
on the speed of the machine.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from killed_project import (
    STAGES,
    command,
    copy_state,
    environment,
    forget,
    make_project,
    make_repository,
    serve,
)
from loop_disk import LoopDisk

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
from transformer.common.arguments import argument_parser
from transformer.verification.published import manifest

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1]
DISASTERS = ["power cut", "full disk", "read-only disk"]
DISASTER_SHARE, DVC_SHARE, STARTUP_SHARE, WHOLE_RUN_SHARE, RETRY_SHARE = 0.15, 0.5, 0.1, 0.25, 0.9
SILENCE = 90  # seconds without a job after which a Snakemake that should end counts as hung
OUTCOMES = ["clean", "traceback", "hung", "refused", "lost"]


@dataclass
class Run:
    """One start of the pipeline."""

    process: subprocess.Popen[bytes]
    log: Path
    events: list[dict[str, Any]] = field(default_factory=list)

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


class Campaign:
    def __init__(self, folder: Path, seed: int, pause: float) -> None:
        self.folder, self.seed, self.pause = folder.resolve(), seed, pause
        self.folder.mkdir(parents=True, exist_ok=True)
        self.results = self.folder / "kills.jsonl"
        port = self.folder / "port"
        port.write_text(str(serve(int(port.read_text()) if port.exists() else 0)))
        self.port = int(port.read_text())
        self.reference = self.folder / "reference"
        self.disk: LoopDisk | None = None
        if LoopDisk.possible(self.folder):
            self.disk = LoopDisk(self.folder / "disk.img", self.folder / "disk")
            self.disk.mount()
        self.project = self.folder / "disk" / "project"
        self.refused = 0  # starts in a row that failed although nothing was killed

    def rows(self) -> list[dict[str, Any]]:
        lines = self.results.read_text().splitlines() if self.results.exists() else []
        return [json.loads(line) for line in lines]

    def write(self, *rows: dict[str, Any]) -> None:
        with self.results.open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def make_reference(self) -> None:
        """Make everything without an interruption, once."""
        finished = self.folder / "reference.finished"
        if not finished.exists():
            if not self.reference.exists():
                make_project(self.reference, self.port)
            print(f"making everything once without an interruption in {self.reference}", flush=True)
            with (self.folder / "reference.log").open("wb") as log:
                subprocess.run(
                    command(), cwd=self.reference, env=environment(), stdout=log, stderr=log, check=True
                )
            finished.touch()

    def kill(self, kills: int) -> int:
        """Go on until there are this many kills; return how many there are by then."""
        if not self.project.exists():
            make_repository(make_project(self.project, self.port))
            self.write(self.begin())
        self.end_all()  # an interrupted campaign may have left its last run, and a disk without power or room
        if self.disk:
            self.mount_again()
            self.disk.empty()
        pending: list[dict[str, Any]] = []
        while (done := sum("kind" in row for row in self.rows()) + len(pending)) < kills:
            run = self.start(random.Random(f"{self.seed}-run-{done}"))
            pending = self.work(run, done, pending)
            if run.process.returncode == 0 and not pending:
                self.write(self.compare(), self.begin())
            if self.refused >= 3:
                self.write(*pending)
                print(f"the project does not start any more; see {run.log}")
                return 1
        return self.end(pending)

    def end(self, pending: list[dict[str, Any]]) -> int:
        """Finish the stage without another kill, and compare."""
        run = self.start(None)
        run.process.wait()
        outcome = "refused" if run.process.returncode else "clean"
        self.write(*({**row, "outcome": row["outcome"] or outcome} for row in pending))
        if run.process.returncode == 0:
            self.write(self.compare(), self.begin())
        return run.process.returncode

    def begin(self) -> dict[str, Any]:
        """Copy what was made without an interruption, and delete the results of the next stage."""
        number = sum("stage" in row for row in self.rows())
        stage = list(STAGES)[number % len(STAGES)]
        copy_state(self.reference, self.project)
        asked = forget(self.project, stage)
        (self.folder / "asked.json").write_text(json.dumps({"stage": stage, "files": asked}))
        print(f"stage {number + 1}: {stage}, {len(asked)} files", flush=True)
        return {"stage": stage, "files": len(asked)}

    def start(self, rng: random.Random | None) -> Run:
        """Start the pipeline; with ``rng`` in one of several ways."""
        asked = json.loads((self.folder / "asked.json").read_text())
        line = command(*asked["files"])
        if rng and asked["stage"] == "results" and rng.random() < DVC_SHARE:
            line = [sys.executable, "-m", "dvc", "repro"]
        elif rng and rng.random() < RETRY_SHARE:  # so that several jobs can be killed in one run
            line += ["--keep-going", "--retries", "2"]
        if list(self.project.glob(".snakemake/locks/*.lock")):  # what the message of the next run says
            unlock = [sys.executable, "-m", "snakemake", "--unlock"]
            subprocess.run(unlock, cwd=self.project, env=environment(), check=True, capture_output=True)
        log = self.folder / "run.log"
        with log.open("wb") as said:
            process = subprocess.Popen(
                line, cwd=self.project, env=environment(), stdout=said, stderr=said, start_new_session=True
            )
        return Run(process, log)

    def work(self, run: Run, done: int, pending: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Kill something in this run until it has ended; return what is not yet known to be clean.

        ``pending`` is what happened to the run before; this one shows whether it can go on.
        """
        early = random.Random(f"{self.seed}-early-{done}")
        if early.random() > STARTUP_SHARE:
            while run.process.poll() is None and "Select jobs to execute" not in run.said():
                time.sleep(0.3)
        ended = run.process.poll()
        if ended is None or ended == 0:
            self.refused = 0
            self.write(*({**row, "outcome": row["outcome"] or "clean"} for row in pending))
        else:
            self.refused += 1
            self.write(*({**row, "outcome": "refused", "note": run.said()[-2000:]} for row in pending))
        while run.process.poll() is None:
            rng = random.Random(f"{self.seed}-{done + len(run.events)}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.process.wait(rng.uniform(0, 2 * self.pause))
                break
            if self.strike(run, rng, done + len(run.events)):
                break
        self.await_end(run)
        if run.events and _mistakes(run.said()):
            last = run.events[-1]
            last["outcome"], last["note"] = last["outcome"] or "traceback", run.said()[-3000:]
        if run.process.returncode and not run.events and ended is None:
            # It started and failed later by itself: what was killed before has left something broken.
            self.write({"broken": run.said()[-3000:]})
            self.refused += 1
        return run.events

    def strike(self, run: Run, rng: random.Random, number: int) -> bool:
        """Kill something; return whether the whole run must end by that."""
        disaster = self.disk is not None and rng.random() < DISASTER_SHARE
        signal_number, whole = rng.choice(SIGNALS), rng.random() < WHOLE_RUN_SHARE
        victims = self.victims(run)
        before = self.checkpoints(2.0 if disaster else 0.0)
        event: dict[str, Any] = {
            "number": number,
            "at": round(time.time()),
            "running": sorted(victims),
            "checkpoints": before,
            "outcome": "",
        }
        run.events.append(event)
        if disaster:
            event |= {"kind": (kind := rng.choice(DISASTERS)), "victim": "disk", "signal": ""}
            self.befall(kind, run, rng)
        else:
            struck = Counter(row.get("victim") for row in self.rows())
            big = [name for name in ("snakemake", "group", "dvc") if name in victims]
            small = [name for name in victims if name not in big]
            named = min(big if whole or not small else small, key=lambda name: (struck[name], rng.random()))
            event |= {"kind": "signal", "victim": named, "signal": signal_number.name}
            with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
                if named == "group":
                    os.killpg(run.process.pid, signal_number)
                else:
                    rng.choice(victims[named]).send_signal(signal_number)
            disaster = named in big
        print(f"{number + 1:4} {event['kind']:14} {event['victim']:20} {event['signal']}", flush=True)
        return disaster

    def befall(self, kind: str, run: Run, rng: random.Random) -> None:
        assert self.disk
        if kind == "power cut":
            self.disk.cut_power()
            self.end_all()
        elif kind == "full disk":
            self.disk.fill(left=rng.choice([0, 1 << 12, 1 << 16, 1 << 20]))
            self.await_end(run)
        else:
            self.disk.make_read_only()
            self.await_end(run)

    def await_end(self, run: Run) -> None:
        """Wait for the end of the run, check that no checkpoint is lost, and mend the disk if that broke."""
        quiet = time.monotonic()
        while run.process.poll() is None:
            time.sleep(0.2)
            if set(self.victims(run)) - {"snakemake", "group", "dvc"}:
                quiet = time.monotonic()
            elif time.monotonic() - quiet > SILENCE and run.events:
                run.events[-1]["outcome"] = "hung"
                self.end_all()
        if not run.events:
            return
        event = run.events[-1]
        if event["kind"] != "signal" and self.disk:
            self.end_all()
            self.disk.empty() if event["kind"] == "full disk" else self.mount_again()
        left = self.checkpoints()
        for folder, step in event.pop("checkpoints", {}).items():
            if left.get(folder, 0) < step:
                event["outcome"] = "lost"
                event["note"] = f"{folder}: step {step} before, {left.get(folder)} after"
        for earlier in run.events:
            earlier.pop("checkpoints", None)

    def mount_again(self) -> None:
        assert self.disk
        for _ in range(50):
            with contextlib.suppress(subprocess.CalledProcessError):
                self.disk.unmount()
                break
            time.sleep(0.2)
        self.disk.mount()

    def victims(self, run: Run) -> dict[str, list[psutil.Process]]:
        """Return the processes that can be killed by what they are: Snakemake, its group, DVC, a rank, a script."""
        found: dict[str, list[psutil.Process]] = {}
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = psutil.Process(run.process.pid)
            found["group"] = [parent]
            for process in (parent, *parent.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    found.setdefault(_name(process), []).append(process)
        found.pop("", None)
        return found

    def end_all(self) -> None:
        """Kill every process that works in the project, orphans too."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if Path(process.cwd()).is_relative_to(self.project):
                    process.kill()
                    process.wait(30)

    def checkpoints(self, age: float = 0.0) -> dict[str, int]:
        """Return the step of the newest checkpoint of each training from which it could resume, if it has this age."""
        newest: dict[str, int] = {}
        for state in self.project.glob("results/micro/runs/*/*/checkpoints/*/st*-*/optimizer.safetensors"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - state.parent.stat().st_mtime >= age:
                    folder, step = str(state.parents[1].relative_to(self.project)), int(state.parent.name[5:])
                    newest[folder] = max(step, newest.get(folder, 0))
        return newest

    def compare(self) -> dict[str, Any]:
        """Compare every artifact with that of the uninterrupted run, and look for what should be gone."""
        wanted, found = manifest("micro", self.reference), manifest("micro", self.project)
        differ = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
        left = [str(path) for path in self.project.rglob(".*.tmp") if ".dvc" not in path.parts]
        left += [str(path) for path in self.project.glob(".snakemake/locks/*")]
        print(
            f"{len(wanted)} artifacts, {len(differ)} differ {differ[:5]}; left over: {left[:5]}", flush=True
        )
        if differ:
            shutil.copytree(self.project, self.folder / f"differs-{len(self.rows())}", symlinks=True)
        return {"finished": len(wanted), "differ": differ, "left": left}


def _name(process: psutil.Process) -> str:
    """Return what a process is: ``snakemake``, ``dvc``, ``rank``, the name of a script of src/, or nothing."""
    line = process.cmdline()
    if line[1:3] == ["-m", "snakemake"] or any(part.endswith("bin/snakemake") for part in line[:2]):
        return "" if "--report" in line else "snakemake"
    if line[1:3] == ["-m", "dvc"]:
        return "dvc"
    scripts = [part for part in line[1:4] if part.startswith("src/") or "/src/" in part]
    name = Path(scripts[0]).stem if scripts and "python" in line[0] else ""
    return "rank" if name == "train" and "RANK" in process.environ() else name


def _mistakes(said: str) -> list[str]:
    """Return the exceptions of the tracebacks in a log, but for those of an interrupted Python that is starting."""
    parts = said.split("Traceback (most recent call last)")[1:]
    ends = [next((line for line in part.splitlines()[1:] if line[:1].strip()), "") for part in parts]
    return [end for end in ends if not end.startswith("KeyboardInterrupt")]


def summary(rows: list[dict[str, Any]]) -> str:
    """Return the counts by kind as a table in Markdown, and those of the comparisons below it."""
    kinds: dict[str, Counter[str]] = {}
    for row in rows:
        if "kind" in row:
            kind = f"{row['signal']} to {_class(row['victim'])}" if row["signal"] else row["kind"]
            kinds.setdefault(kind, Counter())[row["outcome"]] += 1
    total = sum(kinds.values(), Counter())
    lines = [f"| what | tried | {' | '.join(OUTCOMES)} |", "|---" * (len(OUTCOMES) + 2) + "|"]
    for kind, counts in [*sorted(kinds.items()), ("all", total)]:
        figures = [counts.total(), *(counts[outcome] for outcome in OUTCOMES)]
        lines.append(f"| {kind} | {' | '.join(map(str, figures))} |")
    ends = [row for row in rows if "finished" in row]
    differ = sum(len(row["differ"]) for row in ends)
    lines += [
        "",
        f"finished runs: {len(ends)}, artifacts compared: {sum(row['finished'] for row in ends)}, "
        f"of these different: {differ}, files left over: {sum(len(row['left']) for row in ends)}, "
        f"runs that failed later by themselves: {sum('broken' in row for row in rows)}",
    ]
    return "\n".join(lines)


def _class(victim: str) -> str:
    named = {"snakemake": "Snakemake", "dvc": "DVC", "group": "the group", "train": "a training"}
    named |= {
        "rank": "one of two ranks",
        "translate": "translate",
        "encode": "encode",
        "download": "download",
    }
    return named.get(victim, "another job")


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how many in all, with those of earlier calls")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pause", type=float, default=6.0, help="mean seconds between kills")
    parser.add_argument("--folder", type=Path, default=Path("build/kills"))
    parser.add_argument("--summary", action="store_true", help="only print the counts")
    arguments = parser.parse_args()
    campaign = Campaign(arguments.folder, arguments.seed, arguments.pause)
    status = 0
    if not arguments.summary:
        campaign.make_reference()
        status = campaign.kill(arguments.kills)
    print(summary(campaign.rows()))
    return status


if __name__ == "__main__":
    sys.exit(main())
