# Train the models, and average their last checkpoints.


# The resolved settings are the parameter, rather than the files of config/ or the code that reads them.  Otherwise an
# edit of any of those would train every model again.
rule resolve_run:
    """Write the settings of one run.

    Test with: snakemake --cores all results/demo/runs/base/en-de/config.json
    """
    output:
        f"{RUN}/config.json",
    wildcard_constraints:
        target=f"[a-z]{{2,3}}|{PARSING_DATA}",
    localrule: True
    params:
        settings=lambda w: SETTINGS.run(w.run, f"{w.source}-{w.target}"),
        scale=SETTINGS.scale,
        seed=SETTINGS.seed,
        own=lambda w: own_silver_option() if w.target == "silver" else "",
        format="with its sha256",  # another text writes every config.json again; trainings go on where they were
        code=None,
    shell:
        "python {params.src:q}/transformer/training/resolve_run.py"
        " --scale {params.scale:q}"
        " --seed {params.seed}"
        " --run {wildcards.run:q}"
        " --pair {wildcards.source}-{wildcards.target}"
        " {params.own}"
        " --output {output:q}"
        " > {log:q} 2>&1"


# The checkpoints are not outputs: Snakemake removes the outputs of an interrupted job, and training resumes from its
# checkpoints.  training.json, written at the end, lists them with their hashes.
rule train:
    """Train one run on one language pair; resume from its last checkpoint if it has one.

    Test with: snakemake --cores all results/demo/runs/base/en-de/training.json
    """
    input:
        config=rules.resolve_run.output,
        subwords=rules.learn_subwords.output.model,
        symbols=symbols_of,
        train=expand(rules.encode.output, split="train", allow_missing=True),
        dev=expand(rules.encode.output, split="dev", allow_missing=True),
    output:
        training=f"{RUN}/training.json",
        metrics=f"{RUN}/metrics.jsonl",
        timing=f"{RUN}/timing.json",
    wildcard_constraints:
        target=f"[a-z]{{2,3}}|{PARSING_DATA}",
    priority: longest_first
    retries: 1
    # The number comes from the settings and does not depend on --cores: other threads would sum in another order.
    threads: training_threads
    resources:
        mem_mb=memory(training_mb),  # of each node
        runtime=24 * 60,
        nodes=lambda w: hardware(w)["nodes"],
        tasks=lambda w: hardware(w)["nodes"],
        processes=lambda w: hardware(w)["processes"],
        device=lambda w: hardware(w)["device"],
        options=training_options,
        gpu=lambda w: gpus_here(w, hardware(w)["processes"]),
        # For SLURM only (profiles/slurm): `step` starts a process on each node.  `mpi`, even if it is empty, keeps the
        # executor from starting the whole job in a step of its own, which no signal would reach.  Without
        # `tasks_per_gpu`, the executor would ask for a task per GPU, each of which sees one GPU only.  Without
        # `cpus_per_task`, it would ask for no more cores than the login node has.
        gres=lambda w: gres(w, hardware(w)["processes"]),
        tasks_per_gpu=0,
        cpus_per_task=training_cores,
        mpi=lambda w: "srun" if hardware(w)["nodes"] > 1 else "",
        step="",
    params:
        data=lambda w, input: os.path.dirname(input.train[0]),
        symbols=lambda w, input: ["--symbols", *input.symbols] if input.symbols else [],
        folder=folder_of_output,
        code=f"training version {TRAINING_VERSION}",  # a reworded message must not train every model again
    # hold_lock.py: if Snakemake alone is killed, training continues without it; the next training waits for that one to end
    # and finds its checkpoints.
    # gpus.py: the training claims its GPUs once the last one has ended.
    # fast_malloc.py: on a CPU, fp32 training is about 1.3 times as fast if large blocks of memory are kept.
    # exec: signals reach the training itself, which saves a checkpoint and ends.
    # tee: the log is also shown to the user, who waits for the training.  tee ignores the signals, so that training can
    # still write its last lines.
    shell:
        "STEP={resources.step:q};"
        " exec python {params.workflow:q}/hold_lock.py {params.folder:q}/.lock"
        " ${{STEP:+$STEP --nodes={resources.nodes} --ntasks={resources.nodes} --ntasks-per-node=1"
        " --cpus-per-task={resources.cpus_per_task} --kill-on-bad-exit=1}}"
        " python {params.workflow:q}/gpus.py {resources.gpu}"
        " python {params.workflow:q}/fast_malloc.py python {params.src:q}/transformer/training/train.py"
        " --config {input.config:q}"
        " --data {params.data:q}"
        " --subwords {input.subwords:q}"
        " {params.symbols:q}"
        " --output {params.folder:q}"
        " --nodes {resources.nodes}"
        " --processes {resources.processes}"
        " --device {resources.device} {resources.options}"
        " > >(trap '' INT TERM USR1; exec tee {log:q} >&2) 2>&1"


rule average_checkpoints:
    """Average the last checkpoints, or for a parser those with the best F1 on the development set.

    Test with: snakemake --cores all results/demo/runs/base/en-de/averaged/model.json
    """
    input:
        training=rules.train.output.training,
        # timing.json has the sha256 of metrics.jsonl.
        metrics=lambda w: (
            [f"{RUN}/metrics.jsonl", f"{RUN}/timing.json"]
            if SETTINGS.choose_on_dev(w.run, f"{w.source}-{w.target}")
            else []
        ),
    output:
        weights=f"{RUN}/averaged/model.safetensors",
        description=f"{RUN}/averaged/model.json",
    wildcard_constraints:
        target=f"[a-z]{{2,3}}|{PARSING_DATA}",
    resources:
        mem_mb=lambda w: averaging_mb(SETTINGS, *run_of(w)),
        runtime=30,
    params:
        last=lambda w: SETTINGS.average_checkpoints(w.run, f"{w.source}-{w.target}"),
        best=lambda w, input: ["--best-of", input.metrics[0]] if input.metrics else [],
        folder=folder_of_output,
    shell:
        "python {params.src:q}/transformer/training/average_checkpoints.py"
        " --training {input.training:q}"
        " --last {params.last}"
        " {params.best:q}"
        " --output {params.folder:q}"
        " > {log:q} 2>&1"


use rule average_checkpoints as last_checkpoint with:
    """Take the last checkpoint alone: Table 3 does not average.

    Test with: snakemake --cores all results/demo/runs/base/en-de/last/model.json
    """
    input:
        training=rules.train.output.training,
    output:
        weights=f"{RUN}/last/model.safetensors",
        description=f"{RUN}/last/model.json",
    params:
        last=1,
        best=[],
        folder=folder_of_output,
