# This file has what jobs need: processors, memory, GPUs, and in which order they start.


def hardware(wildcards):
    """Return the hardware that a run is trained on."""
    return SETTINGS.hardware(wildcards.run, f"{wildcards.source}-{wildcards.target}")


def processes(wildcards):
    """Return how many processes train a run on each node."""
    return SETTINGS.processes(wildcards.run, f"{wildcards.source}-{wildcards.target}")


# A parameter that is a function of `output` is not recorded by Snakemake: other hardware or another mirror makes nothing
# again.


def gpus_option(wildcards, output, resources):
    """Return how many GPUs reserve.py gives a job: those it claims, or those that SLURM gave, which are not counted."""
    from_slurm = on_gpu(*run_of(wildcards)) and not IS_HERE
    return [] if from_slurm else ["--gpus", resources.gpu]


def portable_option(wildcards, output):
    """Return the option of reserve.py that limits the libraries of a program, if its model has portable numerics."""
    return portable_numerics(*run_of(wildcards))


def portable_option_of_base(wildcards, output):
    """Return the same for a program with the model of base."""
    return portable_numerics("base", PAIR)


def portable_numerics(run, pair):
    return ["--portable"] if SETTINGS.run(run, pair)["training"]["numerics"] == "portable" else []


def lock_of(wildcards, output):
    """Return the file that a training locks.

    If Snakemake alone is killed, the training continues without it.  The next one waits for the lock, and finds the
    checkpoints.
    """
    return os.path.join(os.path.dirname(output[0]), ".lock")


def slurm_step(wildcards, output, resources):
    """Return the command that starts a process on each node of a job of SLURM, which then gets its signals."""
    nodes = resources.nodes
    if "SLURM_JOB_ID" not in os.environ or (nodes == 1 and workflow.is_main_process):
        return []
    step = ["srun", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1"]
    return [*step, f"--cpus-per-task={resources.cpus_per_task}", "--kill-on-bad-exit=1"]


def tracking_option(wildcards, output):
    """Return the options that let a training draw its curves; none unless the settings name a tool."""
    if SETTINGS.track is None:
        return []
    name = f"{wildcards.run}.{wildcards.source}-{wildcards.target}"
    return ["--track", SETTINGS.track, *placed([f"{LOGS}/tracking/{SETTINGS.track}/{name}"])]


def mirror_option(wildcards, output):
    """Return the option that names a mirror, if the settings do."""
    return ["--mirror", SETTINGS.mirror] if SETTINGS.mirror else []


def run_of(wildcards):
    """Return the run and the pair that a job is for; without wildcards, as for raw text, it is the first parser.

    If no parser is trained, it is base.
    """
    if not wildcards:
        return ("parser", PARSERS["parser"]) if SETTINGS.parsing else ("base", PAIR)
    return wildcards.run, f"{wildcards.source}-{wildcards.target}"


def on_gpu(run, pair):
    """Return whether the jobs of a run use GPUs."""
    device = SETTINGS.hardware(run, pair)["device"]
    return device == "cuda" or (device == "auto" and IS_HERE and GPUS > 0)


def gpus_here(wildcards, count=1):
    """Return how many GPUs of this machine a job claims, of ``count`` that it can use."""
    return count if IS_HERE and on_gpu(*run_of(wildcards)) else 0


def gres(wildcards, count=1):
    """Return what a job asks SLURM for, per node: ``gpu:8``, or ``gpu:a100:8`` if the profile names the GPUs' type."""
    if IS_HERE or not on_gpu(*run_of(wildcards)):
        return ""
    kind = (workflow.resource_settings.default_resources or {}).get("gpu_type")
    return ":".join(["gpu", *([kind.raw] if kind and kind.raw else []), str(count)])


def memory(mb):
    """Return a function that gives a job's memory in MB, a number or an estimate of host_memory.py.

    A job that is tried again, because it was killed, gets twice as much.
    """
    if isinstance(mb, int):
        return lambda wildcards, attempt: attempt * mb
    return lambda wildcards, attempt: attempt * mb(SETTINGS, *run_of(wildcards), on_gpu(*run_of(wildcards)))


def needs(mb, minutes):
    """Return the resources of a job: its memory in MB, as in `memory`, and the time after which SLURM ends it."""
    return {"mem_mb": memory(mb), "runtime": minutes}


def check_gpus():
    """Raise UserError if a training of this workflow needs more GPUs or nodes than it may use at a time."""
    trainings = [job.wildcards for job in workflow.dag.needrun_jobs() if job.rule.name == "train"]
    for wildcards in trainings if IS_HERE else []:
        nodes = hardware(wildcards)["nodes"]
        if nodes > 1 and "SLURM_JOB_ID" not in os.environ:
            raise UserError(
                f"training {wildcards.run} is for {nodes} nodes, which needs SLURM: add --profile profiles/slurm, or "
                f"set `nodes` to 1 in config/{SETTINGS.scale}.yaml"
            )
        needed = gpus_here(wildcards, processes(wildcards))
        if needed and not GPUS:
            raise UserError(
                f"training {wildcards.run} needs a GPU, and there is none here; {what_it_takes(workflow, SETTINGS)}; "
                "`--config scale=small` and `demo` need none"
            )
        if needed > GPUS:
            raise UserError(
                f"training {wildcards.run} needs {needed} GPUs, and this workflow can use {GPUS}; set `processes: auto` "
                f"in config/{SETTINGS.scale}.yaml (batches stay as large, training takes longer), or use a machine with "
                "more"
            )


def check_packages():
    """Raise UserError if this workflow needs an optional package that is not installed."""
    if SETTINGS.track is not None:
        require(SETTINGS.track)
    exported = {
        job.wildcards.format for job in workflow.dag.needrun_jobs() if job.rule.name == "export_model"
    }
    if "ctranslate2" in exported:
        require("ctranslate2")


def training_threads(wildcards):
    """Return the number of threads that all processes of a training use together on one node."""
    settings = SETTINGS.run(wildcards.run, f"{wildcards.source}-{wildcards.target}")
    return settings["training"]["threads"] * processes(wildcards)


def training_cores(wildcards):
    """Return the cores that a training asks SLURM for on each node.

    A process with a GPU has more threads than those of `threads`: for the backward pass, for the next batches, for
    checkpoints, and for NCCL.
    """
    cuda = hardware(wildcards)["device"] == "cuda"
    return CORES_PER_GPU * processes(wildcards) if cuda else training_threads(wildcards)


def longest_first(wildcards):
    """Return a training's priority: its work, plus that of the parser that waits for it, as a multiple of base's.

    The longest trainings start first, so that none of them runs alone at the end while other cores are idle.  All other
    jobs have the priority 0, and start before any training.
    """
    run, pair = wildcards.run, f"{wildcards.source}-{wildcards.target}"
    total = training_work(run, pair)
    if run == shown("parser"):
        total += training_work("parser-semi", PARSERS["parser-semi"])
    return round(total / training_work("base", SETTINGS.pairs[0]), 1) - 1000


def training_work(run, pair):
    """Estimate the operations of a training, up to a factor: updates × tokens per update × parameters of the layers."""
    settings = SETTINGS.run(run, pair)
    model, training = settings["model"], settings["training"]
    in_layers = parameters(TransformerConfig(vocab_size=1, **model))
    return training["steps"] * training["batch_tokens"] * in_layers
