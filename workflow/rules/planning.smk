# Estimate what a scale needs before it is started.


rule plan:
    """Estimate the time of each training, and the memory that its job asks for."""
    input:
        config=["config/runs.yaml", "resources/devices.yaml", *SETTINGS.scale_files],
    output:
        "results/plan.md",
    log:
        "<logs>/plan.log",
    localrule: True
    params:
        code=code_of("transformer.planning.make_plan"),
        gpus=SETTINGS.gpus,
        config=json.dumps(
            {key: getattr(SETTINGS, key) for key in ("scale", "seed", "seeds", "plan_device")}
            | {"table2": TABLE2_RUNS}
        ),
    shell:
        "python -m transformer.planning.make_plan"
        " --config {params.config:q} --gpus {params.gpus}"
        " --output {output:q} > {log:q} 2>&1"
