"""Kill the pipeline at random moments, let it finish, and compare its Table 2 with that of an undisturbed run.

    python benchmarks/kill_at_random.py --work /tmp/killed --reference results/demo/tables/table2.tex --kills 10

It copies the tracked files of this checkout to the folder ``--work``, starts the main job there, sends SIGKILL to all
its processes after a random time, and repeats this.  The last start runs to the end.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

COMMAND = [sys.executable, "-m", "snakemake", "results/table2.tex"]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="an empty or absent folder")
    parser.add_argument("--reference", type=Path, required=True, help="table2.tex of an undisturbed run")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument(
        "--longest", type=float, default=150, help="longest time until a kill, in seconds (150)"
    )
    parser.add_argument("--cores", default="all")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random moments")
    arguments = parser.parse_args()
    copy_checkout(arguments.work)
    command = [*COMMAND, "--cores", arguments.cores]
    rng = random.Random(arguments.seed)
    for number in range(1, arguments.kills + 1):
        seconds = rng.uniform(1, arguments.longest)
        ended = run(command, arguments.work, seconds)
        print(
            f"kill {number}: {'too late, the job had ended' if ended else f'after {seconds:.1f} s'}",
            flush=True,
        )
        if ended:
            break
    started = time.monotonic()
    run(command, arguments.work, None)
    print(f"last start: ended by itself after {time.monotonic() - started:.0f} s")
    table = arguments.work / "results" / "table2.tex"
    if table.read_bytes() != arguments.reference.read_bytes():
        print(f"{table} differs from {arguments.reference}", file=sys.stderr)
        return 1
    print(f"{table}: byte-identical to {arguments.reference}")
    return 0


def copy_checkout(folder: Path) -> None:
    """Copy the files that git tracks, in their present state, to ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    files = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True).stdout
    pack = subprocess.Popen(["tar", "--null", "-T", "-", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpack = subprocess.Popen(["tar", "-x", "-C", str(folder)], stdin=pack.stdout)
    assert pack.stdin is not None
    pack.stdin.write(files)
    pack.stdin.close()
    if pack.wait() or unpack.wait():
        raise SystemExit("error: the checkout could not be copied")


def run(command: list[str], folder: Path, seconds: float | None) -> bool:
    """Run ``command`` and kill it after ``seconds``; return whether it ended by itself.  SystemExit if it fails."""
    with open(folder / "run.log", "ab") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False
    if status:
        raise SystemExit(f"error: the job failed by itself; see {folder / 'run.log'}")
    return True


if __name__ == "__main__":
    sys.exit(main())
