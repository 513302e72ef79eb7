"""A real SLURM on this one machine, for tests: its own daemons, no systemd, no accounting.

The partition ``cpu`` has two nodes, and ``gpu`` one with two GPUs, which are not there.

Needs root, and Debian's packages slurm-wlm and munge.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NODES = {"n1": "", "n2": "", "g1": "Gres=gpu:fake:2"}
CONFIG = Path("/etc/slurm/slurm.conf")  # where daemons and job steps look; steps lose SLURM_CONF
GPUS = CONFIG.with_name("gres.conf")


def available() -> bool:
    """Whether a cluster can be started here: the programs, root, and no cluster that is already configured."""
    programs = all(map(shutil.which, ("slurmctld", "slurmd", "munged")))
    ours = not CONFIG.exists() or CONFIG.read_text().startswith("# for tests")
    return programs and os.geteuid() == 0 and ours


def _configuration(folder: Path, host: str, address: str) -> str:
    nodes = "\n".join(
        f"NodeName={name} NodeHostname={host} NodeAddr={address} Port={17001 + n} CPUs=4 RealMemory=32000 {gres}"
        for n, (name, gres) in enumerate(NODES.items())
    )
    return f"""# for tests
ClusterName=test
SlurmctldHost={host}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldPort=16817
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PropagateResourceLimits=NONE
ReturnToService=2
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs.txt
SchedulerParameters=sched_interval=2,batch_sched_delay=0,bf_interval=2
KillWait=5
MinJobAge=3600
GresTypes=gpu
EnforcePartLimits=ALL
{nodes}
PartitionName=cpu Nodes=n1,n2 Default=YES MaxTime=1440 State=UP
PartitionName=gpu Nodes=g1 MaxTime=1440 State=UP
"""


@contextmanager
def running(folder: Path) -> Iterator[Path]:
    """Start the cluster with its files in ``folder``; gives the file in which ended jobs are listed."""
    folder.mkdir(parents=True, exist_ok=True)
    host = socket.gethostname().split(".")[0]
    address = socket.gethostbyname(host)
    for name in ("state", *(f"spool-{node}" for node in NODES)):
        (folder / name).mkdir(exist_ok=True)
    CONFIG.parent.mkdir(exist_ok=True)
    CONFIG.write_text(_configuration(folder, host, address))
    # SLURM wants a file for each GPU, and asks nothing of it.
    GPUS.write_text(
        "".join(f"NodeName=g1 Name=gpu Type=fake File={file}\n" for file in ("/dev/null", "/dev/zero"))
    )
    hosts = Path("/etc/hosts")
    for node in NODES:  # the nodes find each other by name
        if not any(line.split()[1:] == [node] for line in hosts.read_text().splitlines() if line.strip()):
            with hosts.open("a") as lines:
                lines.write(f"{address} {node}\n")
    _start_munge()
    try:
        subprocess.run(["slurmctld"], check=True)
        for node in NODES:
            subprocess.run(["slurmd", "-N", node], check=True)
        _wait_for_nodes()
        yield folder / "jobs.txt"
    finally:
        subprocess.run(["scancel", "--user", "root"], capture_output=True)
        for file in folder.glob("slurm*.pid"):
            _stop(int(file.read_text()))
        for file in (CONFIG, GPUS):
            file.unlink()


def jobs() -> list[dict[str, str]]:
    """What SLURM knows of the jobs of the last hour: ``Partition``, ``Comment`` (the rule), ``JobState`` and others."""
    told = subprocess.run(
        ["scontrol", "show", "job", "--oneliner"], capture_output=True, text=True, check=True
    ).stdout
    return [dict(field.split("=", 1) for field in line.split() if "=" in field) for line in told.splitlines()]


def _start_munge() -> None:
    if subprocess.run("munge -n | unmunge", shell=True, capture_output=True).returncode:
        Path("/run/munge").mkdir(exist_ok=True)
        shutil.chown("/run/munge", "munge", "munge")
        subprocess.run(["runuser", "-u", "munge", "--", "/usr/sbin/munged"], check=True)


def _wait_for_nodes() -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = subprocess.run(
            ["sinfo", "-h", "-N", "-t", "idle", "-o", "%N"], capture_output=True, text=True
        )
        if set(found.stdout.split()) == set(NODES):
            return
        time.sleep(0.2)
    raise RuntimeError("the nodes did not come up")


def _stop(process: int) -> None:
    for signal_number in (15, 9):
        with suppress(ProcessLookupError):
            os.kill(process, signal_number)
            for _ in range(50):
                os.kill(process, 0)
                time.sleep(0.1)
