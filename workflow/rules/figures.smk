# Figures: what a model is and does as JSON first, then as PDF and SVG.  Those of a trained model are of base, EN-DE.


localrules:
    publish_figure,
    publish_page,


FIGURE_FORMATS = ["pdf", "svg"]
BASE = f"{RESULTS}/runs/base/en-de"


rule describe_model:
    """Write the architecture of a model, step by step.

    Test with: snakemake --cores all results/demo/figures/architecture.json
    """
    input:
        config=f"{BASE}/config.json",
        code=code_of("src/inspection/describe_model.py"),
    output:
        f"{RESULTS}/figures/architecture.json",
    log:
        f"{LOGS}/describe_model.log",
    benchmark:
        f"{LOGS}/describe_model.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "python src/inspection/describe_model.py"
        " --config {input.config:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule plot_architecture:
    """Draw Figures 1 and 2.

    Test with: snakemake --cores all results/demo/figures/architecture.pdf
    """
    input:
        architecture=rules.describe_model.output,
        code=code_of("src/figures/plot_architecture.py"),
    output:
        figures=expand(
            f"{RESULTS}/figures/{{figure}}.{{format}}",
            figure=["architecture", "attention_block"],
            format=FIGURE_FORMATS,
        ),
    log:
        f"{LOGS}/plot_architecture.log",
    benchmark:
        f"{LOGS}/plot_architecture.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folder=lambda w, output: os.path.dirname(output.figures[0]),
    shell:
        "python src/figures/plot_architecture.py"
        " --architecture {input.architecture:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


rule plot_positional_encoding:
    """Draw the positional encoding.

    Test with: snakemake --cores all results/demo/figures/positional_encoding.pdf
    """
    input:
        config=f"{BASE}/config.json",
        code=code_of("src/figures/plot_positional_encoding.py"),
    output:
        figures=expand(f"{RESULTS}/figures/positional_encoding.{{format}}", format=FIGURE_FORMATS),
    log:
        f"{LOGS}/plot_positional_encoding.log",
    benchmark:
        f"{LOGS}/plot_positional_encoding.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        folder=lambda w, output: os.path.dirname(output.figures[0]),
    shell:
        "python src/figures/plot_positional_encoding.py"
        " --config {input.config:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


rule plot_learning_rate:
    """Draw the learning-rate schedule, the paper's and ours.

    Test with: snakemake --cores all results/demo/figures/learning_rate.pdf
    """
    input:
        configs=expand(f"{RESULTS}/runs/{{run}}/en-de/config.json", run=["base", "big"]),
        settings="config/runs.yaml",
        code=code_of("src/figures/plot_learning_rate.py"),
    output:
        figures=expand(f"{RESULTS}/figures/learning_rate.{{format}}", format=FIGURE_FORMATS),
    log:
        f"{LOGS}/plot_learning_rate.log",
    benchmark:
        f"{LOGS}/plot_learning_rate.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folder=lambda w, output: os.path.dirname(output.figures[0]),
    shell:
        "python src/figures/plot_learning_rate.py"
        " --configs {input.configs:q}"
        " --paper-settings {input.settings:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


rule plot_layer_times:
    """Draw the time of each layer type against the length of the sentence.

    Test with: snakemake --cores all results/demo/figures/layer_times.pdf
    """
    input:
        times=rules.measure_layers.output.times,
        code=code_of("src/figures/plot_layer_times.py"),
    output:
        figures=expand(f"{RESULTS}/figures/layer_times.{{format}}", format=FIGURE_FORMATS),
    log:
        f"{LOGS}/plot_layer_times.log",
    benchmark:
        f"{LOGS}/plot_layer_times.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folder=lambda w, output: os.path.dirname(output.figures[0]),
    shell:
        "python src/figures/plot_layer_times.py"
        " --times {input.times:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


rule plot_training_curves:
    """Draw the losses of the runs of Table 2.

    Test with: snakemake --cores all results/demo/figures/training_curves.pdf
    """
    input:
        runs=expand(
            "{folder}/{file}",
            folder=TABLE2_FOLDERS,
            file=["config.json", "metrics.jsonl"],
        ),
        code=code_of("src/figures/plot_training_curves.py"),
    output:
        figures=expand(f"{RESULTS}/figures/training_curves.{{format}}", format=FIGURE_FORMATS),
    log:
        f"{LOGS}/plot_training_curves.log",
    benchmark:
        f"{LOGS}/plot_training_curves.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folders=TABLE2_FOLDERS,
        folder=lambda w, output: os.path.dirname(output.figures[0]),
    shell:
        "python src/figures/plot_training_curves.py"
        " --runs {params.folders:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


rule extract_attention:
    """Write the attention weights of the trained model on the sentences of Figures 3 to 5.

    Test with: snakemake --cores all results/demo/figures/attention.json
    """
    input:
        weights=f"{BASE}/averaged/model.safetensors",
        description=f"{BASE}/averaged/model.json",
        config=f"{BASE}/config.json",
        subwords=f"{DATA}/subwords/en-de/subwords.model",
        code=code_of("src/inspection/extract_attention.py"),
    output:
        f"{RESULTS}/figures/attention.json",
    log:
        f"{LOGS}/extract_attention.log",
    benchmark:
        f"{LOGS}/extract_attention.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        decoding=SETTINGS.decoding("base", "en-de"),
        model=lambda w, input: os.path.dirname(input.weights),
        far=lambda w: [SETTINGS.attention["long_distance"][key] for key in ("sentence", "word")],
        near=lambda w: [SETTINGS.attention["anaphora"][key] for key in ("sentence", "word", "antecedent")],
    shell:
        "OMP_NUM_THREADS={threads} python src/inspection/extract_attention.py"
        " --model {params.model:q}"
        " --config {input.config:q}"
        " --subwords {input.subwords:q}"
        " --beam-size {params.decoding[beam_size]}"
        " --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " --long-distance {params.far:q}"
        " --anaphora {params.near:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


rule plot_attention:
    """Draw Figures 3 to 5, the decoder's attention, and the page to explore them.

    Test with: snakemake --cores all results/demo/figures/attention.html
    """
    input:
        attention=rules.extract_attention.output,
        template="src/transformer/figures/attention_page.html",
        code=code_of("src/figures/plot_attention.py"),
    output:
        figures=expand(
            f"{RESULTS}/figures/attention_{{figure}}.{{format}}",
            figure=["long_distance", "anaphora", "structure", "decoder", "cross"],
            format=FIGURE_FORMATS,
        ),
        page=f"{RESULTS}/figures/attention.html",
    log:
        f"{LOGS}/plot_attention.log",
    benchmark:
        f"{LOGS}/plot_attention.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        folder=lambda w, output: os.path.dirname(output.page),
    shell:
        "python src/figures/plot_attention.py"
        " --attention {input.attention:q}"
        " --output-dir {params.folder:q}"
        " > {log:q} 2>&1"


# results/figures/ holds the figures of the active scale.
rule publish_figure:
    """Copy a figure of the active scale to where one looks for it.

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
    log:
        f"{LOGS}/publish_figure/{{figure}}.log",
    benchmark:
        f"{LOGS}/publish_figure/{{figure}}.benchmark.tsv"
    wildcard_constraints:
        figure=r"\w+",
    conda:
        "../../envs/transformer.yaml"
    params:
        caption=lambda w: caption_of(Path(w.figure), CONTENTS),
    shell:
        "cp {input:q} results/figures/ 2> {log:q}"


use rule publish_figure as publish_page with:
    input:
        f"{RESULTS}/figures/attention.html",
    output:
        report(
            "results/figures/attention.html",
            caption="../report/caption.rst",
            category="Figures",
            labels={"figure": "attention, to explore", "scale": SETTINGS.scale},
        ),
    log:
        f"{LOGS}/publish_page.log",
    benchmark:
        f"{LOGS}/publish_page.benchmark.tsv"
    params:
        caption=CONTENTS["files"]["attention"],
