# Draw the figures as PDF and SVG.  Figures of a trained model show base of the first language pair and the first seed.


BASE = f"<results>/runs/{SETTINGS.first_seed('base')}/{PAIR}"
BASE_AND_BIG = INPUTS.run_folders(product(["base", "big"], [PAIR]), seeds=False)
TEST_TEXT = f"<data>/clean/{PAIR}/test.{PAIR.split('-')[0]}"

FIGURE_FORMATS = ["pdf", "svg"]
DRAWINGS = ["architecture", "attention_block"]  # Figures 1 and 2

# The words of each figure of attention that are marked.
MARKED = {"long_distance": ["word"], "anaphora": ["word", "antecedent"]}

# What the other figures are drawn from (docs/figures.md), except for those of attention.
DRAWN_FROM = {
    "positional_encoding": [f"{BASE}/config.json"],
    "learning_rate": [*files_in(BASE_AND_BIG, "config.json"), "config/runs.yaml"],
    "training_curves": files_in(
        [*TABLE2_FIRST, *OWN_FOLDERS], "config.json", "metrics.jsonl", "training.json"
    ),
    "parse_tree": [f"<results>/runs/{SETTINGS.first_seed('parser')}/en-trees/constrained.trees"],
}


rule plot:
    """Draw a figure."""
    input:
        lambda w: DRAWN_FROM[w.figure],
    output:
        expand("<results>/figures/{{figure}}.{format}", format=FIGURE_FORMATS),
    log:
        "<logs>/plot/{figure}.log",
    wildcard_constraints:
        figure="|".join(DRAWN_FROM),
    params:
        code=code_of("transformer.figures.plot"),
        figure=lambda w: w.figure,
        folder=subpath(output[0], parent=True),
    shell:
        "python -m transformer.figures.plot {params.figure}"
        " --inputs {input:q}"
        " --output-dir {params.folder:q} > {log:q} 2>&1"


# On the CPU, where it takes seconds: all GPUs may be full of trainings.
rule extract_attention:
    """Write the attention weights of the trained model on the sentences of Figures 3 to 5."""
    input:
        weights=f"{BASE}/averaged/model.safetensors",
        description=f"{BASE}/averaged/model.json",
        config=f"{BASE}/config.json",
        subwords=f"<data>/subwords/{PAIR}/subwords.model",
        test=TEST_TEXT if any("test_line" in shown for shown in (SETTINGS.attention or {}).values()) else [],
    output:
        "<results>/figures/attention.json",
    log:
        "<logs>/extract_attention.log",
    params:
        code=code_of("transformer.inspection.extract_attention"),
        portable=JOBS.portable("base", PAIR),
        decoding=SETTINGS.decoding("base", PAIR),
        model=subpath(input.weights, parent=True),
        test=lambda w, input: ["--test", input.test] if input.test else [],
        shown=attention_options,
    shell:
        "OMP_NUM_THREADS={threads} python -m transformer.workflow.reserve"
        " --gpus 0 {params.portable:q}"
        " python -m transformer.inspection.extract_attention"
        " --model {params.model:q}"
        " --config {input.config:q}"
        " --subwords {input.subwords:q}"
        " --beam-size {params.decoding[beam_size]} --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " {params.test:q}"
        " {params.shown:q}"
        " --output {output:q} > {log:q} 2>&1"


use rule plot as plot_attention with:
    """Draw Figures 3 to 5 and the decoder's attention."""
    input:
        rules.extract_attention.output,
    output:
        expand(
            "<results>/figures/{figure}.{format}",
            figure=OF_ATTENTION,
            format=FIGURE_FORMATS,
        ),
    log:
        "<logs>/plot_attention.log",
    params:
        figure="attention",


use rule copy_table as copy_drawing with:
    """Copy Figure 1 or 2, which are files of the project, to the figures of a scale."""
    input:
        [f"resources/figures/{{figure}}.{format}" for format in FIGURE_FORMATS],
    output:
        expand("<results>/figures/{{figure}}.{format}", format=FIGURE_FORMATS),
    log:
        "<logs>/copy_drawing/{figure}.log",
    wildcard_constraints:
        figure="|".join(DRAWINGS),
    params:
        folder=subpath(output[0], parent=True),


# results/figures/ holds the figures of the active scale.
use rule copy_table as copy_figure with:
    """Copy a figure of the active scale to results/figures/."""
    input:
        lambda w: originals(f"figures/{w.figure}", FIGURE_FORMATS),
    output:
        expand("results/figures/{{figure}}.{format}", format=FIGURE_FORMATS),
    log:
        "<logs>/copy_figure/{figure}.log",
    wildcard_constraints:
        figure="|".join(CONTENTS["figures"]),
