# Train the models, and average their last checkpoints.

# From which file of the user's own silver trees are made, if from any.
OWN_SILVER = (
    "--own-silver-trees" if SETTINGS.silver_trees else "--own-silver-text" if SETTINGS.silver_text else ""
)


# The resolved settings are the parameter, rather than the files of config/ or the code that reads them.  Otherwise an
# edit of any of those would train every model again.
rule resolve_run:
    """Write the settings of one run."""
    output:
        "<results>/runs/{run}/{source}-{target}/config.json",
    log:
        "<logs>/resolve_run/{run}/{source}-{target}.log",
    localrule: True
    params:
        # Another text writes every config.json again; trainings go on where they were.
        code="with its sha256",
        settings=lambda w: SETTINGS.run(w.run, f"{w.source}-{w.target}"),
        scale=SETTINGS.scale,
        seed=SETTINGS.seed,
        own=lambda w: OWN_SILVER if w.target == "silver" else "",
    shell:
        "python -m transformer.training.resolve_run"
        " --scale {params.scale:q} --seed {params.seed}"
        " --run {wildcards.run:q} --pair {wildcards.source}-{wildcards.target}"
        " {params.own}"
        " --output {output:q} > {log:q} 2>&1"


# The checkpoints are not outputs: Snakemake removes the outputs of an interrupted job, and training resumes from its
# checkpoints.  training.json, written at the end, lists them with their hashes.  Nor is timing.json, which says how long
# the training took and where: nothing that is an output depends on the clock or the machine.
rule train:
    """Train one run on one language pair; resume from its last checkpoint if it has one."""
    input:
        config=rules.resolve_run.output,
        subwords=rules.learn_subwords.output.model,
        symbols=lambda w: (["<subwords>/symbols.json"] if w.target in PARSING_DATA.split("|") else []),
        train=expand(rules.encode.output, split="train", allow_missing=True),
        dev=expand(rules.encode.output, split="dev", allow_missing=True),
    output:
        training="<results>/runs/{run}/{source}-{target}/training.json",
        metrics="<results>/runs/{run}/{source}-{target}/metrics.jsonl",
    log:
        "<logs>/train/{run}/{source}-{target}.log",
    priority: JOBS.longest_first
    retries: 1
    # The number comes from the settings and does not depend on --cores: other threads would sum in another order.
    threads: JOBS.threads
    resources:
        **JOBS.training_needs,
    params:
        # A reworded message must not train every model again.
        code=f"training version {TRAINING_VERSION}",
        gpus=JOBS.gpus_option,
        portable=JOBS.portable_option,
        step=JOBS.slurm_step,
        launcher=JOBS.launcher,
        # A function of `output` is not recorded: whether curves are drawn trains nothing again.
        track=lambda w, output: (
            ["--track", f"{LOGS}/tracking/{SETTINGS.track}/{w.run}.{pair_of(w)}"] if SETTINGS.track else []
        ),
        data=lambda w, input: os.path.dirname(input.train[0]),
        symbols=lambda w, input: ["--symbols", *input.symbols] if input.symbols else [],
        folder=subpath(output[0], parent=True),
    # exec: signals reach the training itself, which saves a checkpoint and ends.
    shell:
        "exec python -m transformer.workflow.reserve"
        " {params.gpus:q} {params.portable:q}"
        " --fast-malloc"
        " {params.step:q}"
        " {params.launcher:q} transformer.training.train"
        " --config {input.config:q} --data {params.data:q}"
        " --subwords {input.subwords:q}"
        " {params.symbols:q}"
        " --output {params.folder:q}"
        " --device {resources.device} --max-tokens {resources.max_tokens}"
        " {resources.deterministic}"
        " {params.track:q} > {log:q} 2>&1"


rule average_checkpoints:
    """Average the last checkpoints; `last` is the last one alone: Table 3 does not average."""
    input:
        training=rules.train.output.training,
    output:
        weights="<results>/runs/{run}/{source}-{target}/{average}/model.safetensors",
        description="<results>/runs/{run}/{source}-{target}/{average}/model.json",
    log:
        "<logs>/average_checkpoints/{run}/{source}-{target}/{average}.log",
    wildcard_constraints:
        average="averaged|last",
    resources:
        **JOBS.needs(averaging_mb, 30),
        gres=JOBS.gres,  # on a cluster, it is part of one job with the translation, which needs the GPU (profiles/slurm)
    params:
        code=code_of("transformer.training.average_checkpoints"),
        last=lambda w: (
            1 if w.average == "last" else SETTINGS.averaging(w.run, pair_of(w))["average_checkpoints"]
        ),
        folder=subpath(output[0], parent=True),
    shell:
        "python -m transformer.training.average_checkpoints"
        " --training {input.training:q}"
        " --last {params.last}"
        " --output {params.folder:q} > {log:q} 2>&1"
