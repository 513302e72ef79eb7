"""What the jobs of a run of Snakemake need: processors, memory, GPUs, and in which order trainings start.

Snakemake calls the methods, and gives them what their arguments are called.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from transformer.common.errors import UserError
from transformer.planning.host_memory import model_of, training_mb
from transformer.planning.plan import step_flops
from transformer.settings.config_files import PARSERS
from transformer.settings.settings import Settings
from transformer.workflow.job_inputs import pair_of
from transformer.workflow.machine import Machine

CORES_PER_GPU = 4

# The MB of a job that is for a run and a pair, on a GPU or not (planning/host_memory.py).
Estimate = Callable[[Settings, str, str, bool], int]


# torchrun passes these on to its processes, and waits for their checkpoints, by itself for 30 seconds only: schedulers
# kill a job ten minutes after the signal.
SIGNALS = "SIGTERM,SIGUSR1,SIGINT,SIGHUP,SIGQUIT"
PATIENCE = "TORCH_ELASTIC_SHUTDOWN_TIMEOUT=540"


def torchrun(processes: int) -> list[str]:
    """Return the command that starts a program in so many processes on this machine.

    torchrun would set OMP_NUM_THREADS itself, with a warning of five lines; a training sets its own number of threads.
    """
    options = ["--standalone", "--nnodes=1", "--local-addr=127.0.0.1", f"--signals-to-handle={SIGNALS}"]
    return ["env", "OMP_NUM_THREADS=1", PATIENCE, "torchrun", *options, f"--nproc-per-node={processes}"]


@dataclass(frozen=True)
class JobResources:
    """What jobs need at the scale of ``settings`` on a machine.

    On this machine, the resource ``gpu`` counts places on GPUs: `jobs_per_gpu` of the settings for each.
    """

    settings: Settings
    machine: Machine

    @property
    def gpu_places(self) -> int:
        """How many jobs with one GPU run here at a time."""
        return self.machine.gpus * self.settings.jobs_per_gpu

    def needs(self, mb: int | Estimate, minutes: int) -> dict[str, Any]:
        """Return memory and time of a job, after which SLURM ends it.

        A job that is tried again, because it was killed, gets twice as much memory.
        """

        def memory(wildcards: Any, attempt: int) -> int:
            if isinstance(mb, int):
                return attempt * mb
            return attempt * mb(self.settings, *self._run_of(wildcards), self._on_gpu(wildcards))

        return {"mem_mb": memory, "runtime": minutes}

    def needs_gpu(self, mb: int | Estimate, minutes: int) -> dict[str, Any]:
        """Return memory, time and the GPU of a job that uses one if there is one for it."""
        return self.needs(mb, minutes) | {
            "gpu": lambda wildcards: self._claimed(wildcards, 1),
            "gres": self.gres,
        }

    @property
    def training_needs(self) -> dict[str, Any]:
        """Return what a training needs on each node, and the options that make it use that.

        Options of hardware are resources, since Snakemake does not record these: another machine trains nothing again.
        """
        return self.needs(training_mb, 24 * 60) | {
            "device": lambda wildcards: self._hardware(wildcards)["device"],
            "max_tokens": lambda wildcards: str(self._hardware(wildcards)["max_tokens"]),
            "deterministic": lambda wildcards: "--deterministic" * self._hardware(wildcards)["deterministic"],
            "nodes": 1,
            "tasks": 1,
            "gpu": lambda wildcards: self._claimed(wildcards, self._processes(wildcards)),
            "gres": lambda wildcards: self.gres(wildcards, self._processes(wildcards)),
            "cpus_per_task": self._training_cores,
            # For SLURM only, as the two below.  `mpi`, even if it is empty, keeps the executor from starting the whole
            # job in a step of its own, which no signal would reach.  Without `tasks_per_gpu`, it would ask for
            # a task per GPU, each of which sees one GPU only.
            "tasks_per_gpu": 0,
            "mpi": "",
        }

    def threads(self, wildcards: Any) -> int:
        """Return the number of threads that all processes of a training use together on one node."""
        training = self.settings.run(*self._run_of(wildcards))["training"]
        return int(training["threads"] * self._processes(wildcards))

    def gres(self, wildcards: Any, count: int = 1) -> str:
        """Return what a job asks SLURM for, per node: ``gpu:8``, or ``gpu:a100:8`` with the type of the GPUs."""
        if self.machine.is_here or not self._on_gpu(wildcards):
            return ""
        return ":".join(filter(None, ["gpu", self.machine.gpu_type, str(count)]))

    def gpus_option(self, wildcards: Any, resources: Any) -> list[Any]:
        """Return how many GPUs reserve.py gives a job: those it claims, or those that SLURM gave, uncounted."""
        if self._on_gpu(wildcards) and not self.machine.is_here:
            return []
        shared = self.settings.jobs_per_gpu
        if resources.gpu % shared:
            return ["--gpus", 1, "--jobs-per-gpu", shared]
        return ["--gpus", resources.gpu // shared]

    def portable_option(self, wildcards: Any) -> list[str]:
        """Return the option of reserve.py that limits the libraries of a program with portable numerics."""
        return self.portable(*self._run_of(wildcards))

    def portable(self, run: str, pair: str) -> list[str]:
        """Return the same for a program with the model of a run."""
        return ["--portable"] if self.settings.run(run, pair)["training"]["numerics"] == "portable" else []

    def slurm_step(self, wildcards: Any, resources: Any) -> list[str]:
        """Return the command that starts a training in a job of SLURM, which then gets its signals."""
        if "SLURM_JOB_ID" not in os.environ or not self.machine.is_worker:
            return []
        return ["srun", "--nodes=1", "--ntasks=1", f"--cpus-per-task={resources.cpus_per_task}"]

    def launcher(self, wildcards: Any, resources: Any) -> list[str]:
        """Return the command that starts a module in the processes of a training.

        The resources make it one that Snakemake does not record: any number of processes trains the same.
        """
        processes = self._processes(wildcards)
        return ["python", "-m"] if processes == 1 else [*torchrun(processes), "--module"]

    def longest_first(self, wildcards: Any) -> float:
        """Return a training's priority: its work, plus that of the parser that waits for it, as a multiple of base's.

        The longest trainings start first, so that none of them runs alone at the end while other cores are idle.  But
        those of the first row of Table 2 start before them: then there is a model to look at after a part of the time.
        All other jobs have the priority 0, and start before any training.
        """
        run, pair = self._run_of(wildcards)
        if run == self.settings.first_seed(self.settings.table2_runs[0]):
            return -1
        total = self._training_work(run, pair)
        if run == self.settings.first_seed("parser"):
            total += self._training_work("parser-semi", PARSERS["parser-semi"])
        return round(total / self._training_work("base", self.settings.pairs[0]), 1) - 1000

    def check(self, trainings: Iterable[Any]) -> None:
        """Raise UserError if one of the ``trainings``, given by wildcards, needs more GPUs than there are."""
        file = f"config/{self.settings.scale}.yaml"
        if self.settings.jobs_per_gpu > 1 and not self.machine.is_here:
            raise UserError(
                "jobs_per_gpu: on a cluster, SLURM gives each job GPUs of its own; remove jobs_per_gpu"
            )
        for wildcards in trainings if self.machine.is_here else ():
            needed = self._processes(wildcards) if self._on_gpu(wildcards) else 0
            if needed and not self.machine.gpus:
                raise UserError(
                    f"training {wildcards.run} needs a GPU, and there is none here; `--config scale=small` and `demo` "
                    "need none, and `snakemake results/plan.md --config plan_device=A100` says how long some take"
                )
            if needed > self.machine.gpus:
                raise UserError(
                    f"training {wildcards.run} needs {needed} GPUs, and this workflow can use {self.machine.gpus}; set "
                    f"`processes: auto` in {file} (batches stay as large, training takes longer), or use a machine "
                    "with more"
                )

    def _claimed(self, wildcards: Any, count: int) -> int:
        """Return how many places on GPUs of this machine a job claims that can use ``count`` GPUs."""
        if not self.machine.is_here or not self._on_gpu(wildcards):
            return 0
        return 1 if count == 1 else count * self.settings.jobs_per_gpu

    def _run_of(self, wildcards: Any) -> tuple[str, str]:
        """Return the run and the pair that a job is for; without wildcards, as for raw text, it is the first parser.

        If no parser is trained, it is base.
        """
        if wildcards:
            return wildcards.run, pair_of(wildcards)
        return ("parser", PARSERS["parser"]) if self.settings.parsing else ("base", self.settings.pairs[0])

    def _hardware(self, wildcards: Any) -> dict[str, Any]:
        """Return the hardware that a run is trained on."""
        return self.settings.hardware(*self._run_of(wildcards))

    def _processes(self, wildcards: Any) -> int:
        """Return how many processes train a run on each node."""
        return self.settings.processes(*self._run_of(wildcards))

    def _on_gpu(self, wildcards: Any) -> bool:
        """Return whether the jobs of a run use GPUs."""
        device = self._hardware(wildcards)["device"]
        return device == "cuda" or (device == "auto" and self.machine.is_here and self.machine.gpus > 0)

    def _training_cores(self, wildcards: Any) -> int:
        """Return the cores that a training asks SLURM for on each node.

        A process with a GPU has more threads than those of `threads`: for the backward pass, for the next batches, for
        checkpoints, and for NCCL.
        """
        cuda = self._hardware(wildcards)["device"] == "cuda"
        return CORES_PER_GPU * self._processes(wildcards) if cuda else self.threads(wildcards)

    def _training_work(self, run: str, pair: str) -> float:
        """Return the operations of a training, as the plan estimates them."""
        training, model = self.settings.run(run, pair)["training"], model_of(self.settings, run, pair)
        return float(
            training["steps"] * step_flops(self.settings.expected[pair], model, training["batch_tokens"])
        )
