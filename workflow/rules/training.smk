# Training, and the mean of the last checkpoints.


localrules:
    resolve_run,


# The settings themselves are the parameter, so that this runs again when one of them changes, and not whenever a
# file of config/ or the code that reads it is touched: everything that follows would be trained anew.
rule resolve_run:
    """Write the settings of one run.

    Test with: snakemake --cores all results/demo/runs/base/en-de/config.json
    """
    output:
        f"{RUN}/config.json",
    log:
        f"{LOGS}/resolve_run/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/resolve_run/{{run}}/{{source}}-{{target}}.benchmark.tsv"
    wildcard_constraints:
        target=f"[a-z]{{2}}|{PARSING_DATA}",
    conda:
        "../../envs/transformer.yaml"
    params:
        settings=lambda w: SETTINGS.run(w.run, f"{w.source}-{w.target}"),
        scale=SETTINGS.scale,
        seed=SETTINGS.seed,
    shell:
        "python src/training/resolve_run.py"
        " --scale {params.scale:q}"
        " --seed {params.seed}"
        " --run {wildcards.run:q}"
        " --pair {wildcards.source}-{wildcards.target}"
        " --output {output:q}"
        " > {log:q} 2>&1"


# The checkpoints are no output: Snakemake removes the outputs of a job that was interrupted, and these are what the
# same job goes on from.  training.json, written at the end, names them and their hashes.
rule train:
    """Train one run on one language pair, from its last checkpoint if there is one.

    Test with: snakemake --cores all results/demo/runs/base/en-de/training.json
    """
    input:
        config=rules.resolve_run.output,
        subwords=rules.learn_subwords.output.model,
        symbols=symbols_of,
        train=expand(rules.encode.output, split="train", allow_missing=True),
        dev=expand(rules.encode.output, split="dev", allow_missing=True),
        code=code_of("src/training/train.py"),
    output:
        training=f"{RUN}/training.json",
        metrics=f"{RUN}/metrics.jsonl",
        timing=f"{RUN}/timing.json",
    log:
        f"{LOGS}/train/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/train/{{run}}/{{source}}-{{target}}.benchmark.tsv"
    wildcard_constraints:
        target=f"[a-z]{{2}}|{PARSING_DATA}",
    priority: longest_first
    retries: 1
    conda:
        "../../envs/transformer.yaml"
    # What the configuration says, whatever --cores is: another number of threads would sum in another order.
    threads: training_threads
    resources:
        mem_mb=8000,
        runtime=24 * 60,
        nodes=lambda w: hardware(w)["nodes"],
        tasks=lambda w: hardware(w)["nodes"],
        processes=lambda w: hardware(w)["processes"],
        device=lambda w: hardware(w)["device"],
        compile=lambda w: "--compile" if hardware(w)["compile"] else "",
        # For SLURM only (profiles/slurm): `step` starts a process on each node; `mpi`, even when empty, keeps the
        # executor from starting everything below a step of its own, where no signal would arrive.
        gres=lambda w: f"gpu:{hardware(w)['processes']}" if hardware(w)["device"] == "cuda" else "",
        mpi=lambda w: "srun" if hardware(w)["nodes"] > 1 else "",
        step="",
    params:
        data=lambda w, input: os.path.dirname(input.train[0]),
        symbols=lambda w, input: ["--symbols", *input.symbols] if input.symbols else [],
        folder=lambda w, output: os.path.dirname(output.training),
    # glibc returns large blocks to the system at once and gets them back page by page: kept instead, they make
    # fp32 training on a CPU about 1.3 times as fast.  It reads this only when the process starts.
    # oneDNN keeps a compiled kernel for each of 1024 shapes, and batches come in so many: with 64, a third less memory
    # at the same speed.
    # `flock`: where Snakemake alone was killed, training goes on without it; the next one waits for it to end, and
    # finds its checkpoints.  `exec`: signals reach training itself, which saves and ends.  Its output is shown as it
    # is logged, since this is what one waits for; `tee` outlives the signals, so that training can still write.
    shell:
        "STEP={resources.step:q};"
        " exec flock --no-fork {params.folder:q}/.lock"
        " env GLIBC_TUNABLES=glibc.malloc.mmap_threshold=17179869184:"
        "glibc.malloc.trim_threshold=17179869184:glibc.malloc.hugetlb=1"
        " ONEDNN_PRIMITIVE_CACHE_CAPACITY=64"
        " ${{STEP:+$STEP --nodes={resources.nodes} --ntasks={resources.nodes} --ntasks-per-node=1"
        " --cpus-per-task={threads} --kill-on-bad-exit=1}}"
        " python src/training/train.py"
        " --config {input.config:q}"
        " --data {params.data:q}"
        " --subwords {input.subwords:q}"
        " {params.symbols:q}"
        " --output {params.folder:q}"
        " --nodes {resources.nodes}"
        " --processes {resources.processes}"
        " --device {resources.device} {resources.compile}"
        " > >(trap '' INT TERM USR1; exec tee {log:q} >&2) 2>&1"


rule average_checkpoints:
    """Take the mean of the last checkpoints.

    Test with: snakemake --cores all results/demo/runs/base/en-de/averaged/model.json
    """
    input:
        training=rules.train.output.training,
        code=code_of("src/training/average_checkpoints.py"),
    output:
        weights=f"{RUN}/averaged/model.safetensors",
        description=f"{RUN}/averaged/model.json",
    log:
        f"{LOGS}/average_checkpoints/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/average_checkpoints/{{run}}/{{source}}-{{target}}.benchmark.tsv"
    wildcard_constraints:
        target=f"[a-z]{{2}}|{PARSING_DATA}",
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        last=lambda w: SETTINGS.average_checkpoints(w.run, f"{w.source}-{w.target}"),
        folder=lambda w, output: os.path.dirname(output.weights),
    shell:
        "python src/training/average_checkpoints.py"
        " --training {input.training:q}"
        " --last {params.last}"
        " --output {params.folder:q}"
        " > {log:q} 2>&1"


# Table 3 is without averaging: the mean of the last checkpoint alone.
use rule average_checkpoints as last_checkpoint with:
    output:
        weights=f"{RUN}/last/model.safetensors",
        description=f"{RUN}/last/model.json",
    log:
        f"{LOGS}/last_checkpoint/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/last_checkpoint/{{run}}/{{source}}-{{target}}.benchmark.tsv"
    params:
        last=1,
        folder=lambda w, output: os.path.dirname(output.weights),
