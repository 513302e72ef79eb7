# Draw the figures: record a model's structure and behaviour as JSON, then draw it as PDF and SVG.  Figures of a trained
# model show base of the first language pair.


BASE = f"{RESULTS}/runs/base/{PAIR}"
TEST_TEXT = f"{DATA}/clean/{PAIR}/test.{PAIR.split('-')[0]}"


rule describe_model:
    """Write the architecture of a model, step by step.

    Test with: snakemake --cores all results/demo/figures/architecture.json
    """
    input:
        config=f"{BASE}/config.json",
    output:
        f"{RESULTS}/figures/architecture.json",
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "python {params.src:q}/transformer/inspection/describe_model.py"
        " --config {input.config:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule plot_architecture:
    """Draw Figures 1 and 2.

    Test with: snakemake --cores all results/demo/figures/architecture.pdf
    """
    input:
        architecture=rules.describe_model.output,
    output:
        figures("architecture", "attention_block"),
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        script="transformer/figures/plot_architecture.py",
        shown=lambda w, input: ["--architecture", input.architecture],
        folder=folder_of_output,
    shell:
        "python {params.src:q}/{params.script}"
        " {params.shown:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


use rule plot_architecture as plot_positional_encoding with:
    """Draw the positional encoding.

    Test with: snakemake --cores all results/demo/figures/positional_encoding.pdf
    """
    input:
        config=f"{BASE}/config.json",
    output:
        figures("positional_encoding"),
    params:
        script="transformer/figures/plot_positional_encoding.py",
        shown=lambda w, input: ["--config", input.config],
        folder=folder_of_output,


use rule plot_architecture as plot_learning_rate with:
    """Draw the learning-rate schedule, the paper's and ours.

    Test with: snakemake --cores all results/demo/figures/learning_rate.pdf
    """
    input:
        configs=expand(f"{RESULTS}/runs/{{run}}/{PAIR}/config.json", run=["base", "big"]),
        settings=config_input("runs.yaml"),
    output:
        figures("learning_rate"),
    params:
        script="transformer/figures/plot_learning_rate.py",
        shown=lambda w, input: ["--configs", *input.configs, "--paper-settings", input.settings],
        folder=folder_of_output,


use rule plot_architecture as plot_parse_tree with:
    """Draw a tree as the parser of Table 4 writes it.

    Test with: snakemake --cores all results/demo/figures/parse_tree.pdf
    """
    input:
        trees=f"{RESULTS}/runs/parser/en-trees/constrained.trees",
    output:
        figures("parse_tree"),
    params:
        script="transformer/figures/plot_parse_tree.py",
        shown=lambda w, input: ["--trees", input.trees],
        folder=folder_of_output,


use rule plot_architecture as plot_layer_times with:
    """Draw the time of each layer type against the length of the sentence.

    Test with: snakemake --cores all results/demo/figures/layer_times.pdf
    """
    input:
        times=rules.measure_layers.output.times,
        sums=rules.measure_layers.output.sums,
    output:
        figures("layer_times"),
    params:
        script="transformer/figures/plot_layer_times.py",
        shown=lambda w, input: ["--times", input.times],
        folder=folder_of_output,


use rule plot_architecture as plot_training_curves with:
    """Draw the losses of the runs of Table 2, and of the user's own runs.

    Test with: snakemake --cores all results/demo/figures/training_curves.pdf
    """
    input:
        runs=expand(
            "{folder}/{file}",
            folder=[*TABLE2_FIRST, *OWN_FOLDERS],
            file=["config.json", "metrics.jsonl", "timing.json"],
        ),
    output:
        figures("training_curves"),
    params:
        script="transformer/figures/plot_training_curves.py",
        shown=["--runs", *placed([*TABLE2_FIRST, *OWN_FOLDERS])],
        folder=folder_of_output,


rule extract_attention:
    """Write the attention weights of the trained model on the sentences of Figures 3 to 5.

    Test with: snakemake --cores all results/demo/figures/attention.json
    """
    input:
        weights=f"{BASE}/averaged/model.safetensors",
        description=f"{BASE}/averaged/model.json",
        config=f"{BASE}/config.json",
        subwords=f"{DATA}/subwords/{PAIR}/subwords.model",
        test=(
            TEST_TEXT
            if SETTINGS.attention is None
            or any("test_line" in shown for shown in SETTINGS.attention.values())
            else []
        ),
    output:
        f"{RESULTS}/figures/attention.json",
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        decoding=SETTINGS.decoding("base", PAIR),
        model=folder_of_input,
        test=lambda w, input: ["--test", input.test] if input.test else [],
        shown=(
            ["--long-distance", *attention_sentence("long_distance", "word")]
            + ["--anaphora", *attention_sentence("anaphora", "word", "antecedent")]
            if SETTINGS.attention
            else []
        ),
    shell:
        "OMP_NUM_THREADS={threads} python {params.src:q}/transformer/inspection/extract_attention.py"
        " --model {params.model:q}"
        " --config {input.config:q}"
        " --subwords {input.subwords:q}"
        " --beam-size {params.decoding[beam_size]}"
        " --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " {params.test:q}"
        " {params.shown:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


use rule plot_architecture as plot_attention with:
    """Draw Figures 3 to 5, the decoder's attention, and the page to explore them.

    Test with: snakemake --cores all results/demo/figures/attention.html
    """
    input:
        attention=rules.extract_attention.output,
    output:
        *(
            figures(f"attention_{name}")
            for name in ["long_distance", "anaphora", "structure", "decoder", "cross"]
            if f"attention_{name}" in FIGURES
        ),
        page=f"{RESULTS}/figures/attention.html",
    params:
        script="transformer/figures/plot_attention.py",
        shown=lambda w, input: ["--attention", input.attention],
        folder=folder_of_output,


# results/figures/ holds the figures of the active scale.
rule publish_figure:
    """Copy a figure of the active scale to results/figures/.

    Test with: snakemake --cores all results/figures/architecture.pdf
    """
    input:
        expand(f"{RESULTS}/figures/{{{{figure}}}}.{{format}}", format=FIGURE_FORMATS),
    output:
        "results/figures/{figure}.pdf",
        report(
            "results/figures/{figure}.svg",
            caption="../report/caption.rst",
            category="Figures",
            labels={"figure": "{figure}", "scale": SETTINGS.scale},
        ),
    wildcard_constraints:
        figure="|".join(FIGURES),
    localrule: True
    params:
        caption=lambda w: licensed_caption(w.figure),
        folder=folder_of_output,
    shell:
        "(cp {input:q} {params.folder:q} && sync {output:q}) 2> {log:q}"


use rule publish_figure as publish_page with:
    """Copy the page to explore the attention to results/figures/.

    Test with: snakemake --cores all results/figures/attention.html
    """
    input:
        f"{RESULTS}/figures/attention.html",
    output:
        report(
            "results/figures/attention.html",
            caption="../report/caption.rst",
            category="Figures",
            labels={"figure": "attention, to explore", "scale": SETTINGS.scale},
        ),
    localrule: True
    params:
        caption=licensed_caption("attention"),
        folder=folder_of_output,
