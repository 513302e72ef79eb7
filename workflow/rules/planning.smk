# Estimate what a scale needs before it is started.


rule plan:
    """Estimate operations, time, disk and memory of each step."""
    input:
        config=[config_input("runs.yaml"), resource_input("devices.yaml"), *SCALE_FILES],
    output:
        "results/plan.md",
    log:
        "<logs>/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        **program("planning/make_plan.py"),
        scale=SETTINGS.scale,
        seeds=SETTINGS.seeds,
        gpus=SETTINGS.gpus,
        device=lambda w: ["--device", SETTINGS.plan_device] if SETTINGS.plan_device else [],
        table2=TABLE2_RUNS,
        silver_trees="--own-silver-trees" if SETTINGS.silver_trees else "",
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/planning/make_plan.py"
        " --scale {params.scale:q}"
        " --gpus {params.gpus}"
        " --seeds {params.seeds}"
        " {params.device:q}"
        " --table2 {params.table2:q}"
        " {params.silver_trees}"
        " --output {output:q}"
        " > {log:q} 2>&1"
