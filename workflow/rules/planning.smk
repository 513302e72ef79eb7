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
        gpus=SETTINGS.gpus,
        config=json.dumps(
            {
                key: getattr(SETTINGS, key)
                for key in ("scale", "seed", "seeds", "plan_device", "silver_trees")
            }
            | {"table2": TABLE2_RUNS}
        ),
    shell:
        "PYTHONPATH={params.path:q} python {params.src:q}/transformer/planning/make_plan.py"
        " --config {params.config:q}"
        " --gpus {params.gpus}"
        " --output {output:q}"
        " > {log:q} 2>&1"
