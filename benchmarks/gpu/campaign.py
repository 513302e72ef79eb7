"""Test, measure and use a GPU for this project, in one call or several.

    export PYTHONPATH=src
    python benchmarks/gpu/campaign.py --pack small.tar.gz                  where Snakemake and the data are
    python benchmarks/gpu/campaign.py --data small.tar.gz --output OUT     where the GPU is
    python benchmarks/gpu/campaign.py --rehearse --output OUT              everything, tiny, on a CPU

A second call with the same --output continues where the first stopped or was killed.  README.md beside this file says
what each stage shows and what comes back.
"""

import argparse
import fcntl
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import IO, Any

import campaign_report
import decoding_times
import device_tests
import small_trainings
import torch
import training_speeds
from campaign_record import Record, run_items
from packing import pack_scale, tiny_pack, unpack
from workload import FULL, REHEARSAL, Sizes, write_sentences

from transformer.common.arguments import argument_parser
from transformer.common.errors import UserError, run_script
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model.device import device_name, prepare_gpu

# The stages in their order, with the minutes that each may take over all calls; the last takes what remains.
STAGES = {
    device_tests.STAGE: 5.0,
    training_speeds.STAGE: 12.0,
    decoding_times.STAGE: 3.0,
    small_trainings.STAGE: float("inf"),
}
ROOT = Path(__file__).parents[2]
# The library, and the search that the tests compare with.
MODULES = (ROOT / "src", ROOT / "tests" / "decoding")
RESERVE = 15  # seconds for the report at the end
GRACE = 30  # seconds after which a stage that does not end by itself is killed
STARTS = 3  # of a stage in one call, since an error of the device ends its process
PREPARED = "prepared data"  # the folder of OUT with what can be made again


@dataclass(frozen=True)
class Campaign:
    """What the stages share."""

    output: Path
    rehearse: bool
    jobs: int | None
    device: torch.device

    @property
    def sizes(self) -> Sizes:
        return REHEARSAL if self.rehearse else FULL

    @property
    def pack(self) -> Path:
        """The folder of the unpacked archive."""
        return self.output / PREPARED / "pack"

    def generated(self, name: str, sizes: Sizes) -> TokenizedDataset:
        """Return generated sentences; they are written once."""
        prefix = self.output / PREPARED / name
        if not prefix.with_name(f"{name}.json").exists():
            write_sentences(prefix, sizes)
        return TokenizedDataset.open(prefix)

    def run_stage(self, stage: str, until: float) -> None:
        """Do what is left of a stage, in this process."""
        record = Record(self.output / "campaign.json")
        if stage == small_trainings.STAGE:
            if (self.pack / "runs.json").exists():
                small_trainings.train(self.pack, self.output, record, until, self.jobs)
            else:
                print("no --data, so nothing to train", flush=True)
            return
        items: list[Any]
        if stage == device_tests.STAGE:
            small = (
                REHEARSAL
                if self.rehearse
                else Sizes(**vars(FULL) | {"vocabulary": 1000, "pairs": 3000, "longest": 100})
            )
            data = self.generated("tests", small)
            items = device_tests.make_tests(data, self.device, self.rehearse).items()
        elif stage == training_speeds.STAGE:
            sentences = cache(partial(self.generated, "wmt-like", self.sizes))
            items = training_speeds.items(self.sizes, sentences, self.device)
        else:
            pair = self.pack / "en-de"
            items = decoding_times.items(self.sizes, pair if pair.exists() else None, self.device)
        run_items(record, stage, items, until, hurried=self.rehearse)


def main() -> int | None:
    arguments = parse_arguments()
    if arguments.pack:
        pack_scale(arguments.pack, arguments.scale, ROOT)
        return None
    if arguments.rehearse and arguments.data:
        raise UserError("--rehearse makes its own data; leave out --data")
    if arguments.output is None:
        raise UserError("--output is missing; name the folder for the results, or --pack FILE")
    device = (
        torch.device("cpu")
        if arguments.rehearse or not torch.cuda.is_available()
        else torch.device("cuda", 0)
    )
    if device.type == "cpu" and not arguments.rehearse:
        raise UserError("torch finds no GPU; use --rehearse to try everything in small on the CPU")
    output = arguments.output.resolve()
    campaign = Campaign(output, arguments.rehearse, arguments.jobs, device)
    if device.type == "cuda":
        prepare_gpu()  # as training and decoding do
    if arguments.stage:
        campaign.run_stage(arguments.stage, arguments.until)
        return None
    output.mkdir(parents=True, exist_ok=True)
    with alone(output / ".lock") as lock:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        conduct(campaign, arguments, lock)
    return None


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--pack", type=Path, metavar="FILE", help="write the data and settings of a scale's trainings"
    )
    parser.add_argument("--scale", default="small", help="with --pack: the scale (small)")
    parser.add_argument("--output", type=Path, help="folder for results, logs and the record")
    parser.add_argument(
        "--data", type=Path, help="the file of --pack; without it nothing is trained to its end"
    )
    parser.add_argument("--minutes", type=float, default=40, help="that this call may take (40)")
    parser.add_argument("--jobs", type=int, help="trainings side by side (as many as cores and memory allow)")
    parser.add_argument("--rehearse", action="store_true", help="tiny versions of all stages on the CPU")
    parser.add_argument("--stage", choices=STAGES, help=argparse.SUPPRESS)
    parser.add_argument("--until", type=float, help=argparse.SUPPRESS)
    return parser.parse_args()


def alone(path: Path) -> IO[str]:
    """Return a file that is locked until this process and its stage have ended."""
    lock = open(path, "w")  # noqa: SIM115 (the caller closes it)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"waiting for the campaign that still works in {path.parent}", flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def conduct(campaign: Campaign, arguments: argparse.Namespace, lock: IO[str]) -> None:
    """Run the stages in their order, each in a process of its own, and write the report after each."""
    deadline = time.time() + 60 * arguments.minutes - RESERVE
    record = Record(campaign.output / "campaign.json")
    record.content["calls"] += 1
    record.content["rehearsal"] = campaign.rehearse
    record.content["machine"] = describe_machine(campaign.device)
    record.save()
    prepare(campaign, arguments.data)
    for stage, minutes in STAGES.items():
        started = time.time()
        run_process(
            campaign, stage, min(deadline, started + 60 * minutes - record.stage(stage)["seconds"]), lock
        )
        record = Record(campaign.output / "campaign.json")
        record.stage(stage)["seconds"] += round(time.time() - started, 1)
        record.save()
        campaign_report.write(campaign.output, record)
    print(f"see {campaign.output / 'results.md'}")


def prepare(campaign: Campaign, data: Path | None) -> None:
    """Unpack the archive; a rehearsal without one makes a tiny one first."""
    if data is not None:
        unpack(data, campaign.pack)
    elif campaign.rehearse and not (campaign.pack / "runs.json").exists():
        with tempfile.TemporaryDirectory() as folder:
            tiny_pack(Path(folder, "tiny.tar.gz"), Path(folder))
            unpack(Path(folder, "tiny.tar.gz"), campaign.pack)


def run_process(campaign: Campaign, stage: str, until: float, lock: IO[str]) -> None:
    """Run a stage in a process of its own until its end or the time ``until``; start it again after a crash."""
    log = campaign.output / "logs" / f"{stage.replace(' ', '-')}.log"
    log.parent.mkdir(exist_ok=True)
    command = [
        sys.executable, __file__, "--output", campaign.output, "--stage", stage, "--until", until,
        *(["--rehearse"] if campaign.rehearse else []), *(["--jobs", campaign.jobs] if campaign.jobs else []),
    ]  # fmt: skip
    for _ in range(STARTS):
        if time.time() > until:
            print(f"{stage}: no time left in this call", flush=True)
            return
        print(f"{stage}: at most {until - time.time():.0f} s, log in {log}", flush=True)
        with open(log, "ab") as file:
            process = subprocess.Popen(
                list(map(str, command)),
                stdout=file,
                stderr=subprocess.STDOUT,
                # cuBLAS reads the first when it starts, for the tests of deterministic training.
                env=os.environ
                | {
                    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
                    "PYTHONUNBUFFERED": "1",
                    "PYTHONPATH": os.pathsep.join([*map(str, MODULES), os.environ.get("PYTHONPATH", "")]),
                },
                process_group=0,
                pass_fds=[lock.fileno()],
            )
            if wait_for(process, until) == 0:
                return
        print(f"{stage}: its process ended with {process.returncode}", flush=True)


def wait_for(process: subprocess.Popen[bytes], until: float) -> int:
    """Wait for a stage, and end it, with all that it has started, when it takes much too long or this process ends."""
    try:
        return process.wait(max(0, until - time.time()) + GRACE)
    except subprocess.TimeoutExpired:
        return 0  # its time is up, so it is not started again
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            if process.poll() is None:
                os.killpg(process.pid, number)
                try:
                    process.wait(GRACE)
                except subprocess.TimeoutExpired:
                    continue


def describe_machine(device: torch.device) -> dict[str, Any]:
    """Return what the report says about the machine."""
    return {
        "device": device_name(device),
        "memory": torch.cuda.get_device_properties(device).total_memory if device.type == "cuda" else None,
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.machine()} {platform.system()}, Python {platform.python_version()}",
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
    }


if __name__ == "__main__":
    run_script(main)
