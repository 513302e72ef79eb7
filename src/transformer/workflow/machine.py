"""What Snakemake knows of the machine: whether jobs run here, and how many GPUs and how much memory they may use.

Only this module asks Snakemake's workflow object, which its manual does not describe.
"""

import sys
from dataclasses import dataclass
from typing import Any

from transformer.planning.host_memory import memory_here
from transformer.workflow.reserve import visible_gpus


@dataclass(frozen=True)
class Machine:
    """Where jobs run.

    ``is_here``: on this machine, rather than on the nodes of a cluster.  ``gpus``: those that a training may use, of
    this machine or of a node.  ``is_worker``: this Snakemake runs one job of another.  ``gpu_type``: the name by which
    a cluster tells kinds of GPUs apart.
    """

    is_here: bool
    gpus: int
    is_worker: bool
    gpu_type: str


def machine_of(workflow: Any) -> Machine:
    """Return where the jobs of a Snakemake run: on a cluster, if it limits how many jobs are submitted (``--jobs``)."""
    submits = workflow.resource_settings.nodes is not None
    given = workflow.global_resources.get("gpu").value if workflow.is_main_process else None
    gpu_type = (workflow.resource_settings.default_resources or {}).get("gpu_type")
    return Machine(
        is_here=workflow.is_main_process and not submits,
        # --resources gpu=N, which profiles/slurm has.  The Snakemake of a job counts those that the job has.
        gpus=len(visible_gpus()) if given is None else given,
        is_worker=not workflow.is_main_process,
        gpu_type=str(gpu_type.raw or "").strip("'") if gpu_type else "",
    )


def limit_jobs(workflow: Any, machine: Machine, gpu_places: int) -> None:
    """Let jobs that run here declare no more memory together than there is, and no more GPUs than ``gpu_places``.

    A job that declares more than all of the memory runs alone.  The profile does not say this, since a value of
    `resources` there would be dropped without a word for who gives --resources gpu=1.
    """
    if machine.is_here and workflow.global_resources.get("mem_mb").value is None:
        workflow.register_resource("mem_mb", memory_here())
    if machine.gpus and not machine.is_worker:
        workflow.register_resource("gpu", gpu_places)
    if not machine.is_here and not machine.is_worker:
        # Snakemake would still give no job more threads than `cores: all` counts here, on the login node.
        workflow.global_resources["_cores"] = sys.maxsize
