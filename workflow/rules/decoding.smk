# Translations of the test set, and of the development set.


rule translate:
    """Translate the test set.

    Test with: snakemake --cores all results/demo/runs/base/en-de/test.de
    """
    input:
        weights=rules.average_checkpoints.output.weights,
        description=rules.average_checkpoints.output.description,
        subwords=rules.learn_subwords.output.model,
        text=f"{DATA}/clean/{{source}}-{{target}}/test.{{source}}",
        code=code_of("src/decoding/translate.py"),
    output:
        f"{RUN}/test.{{target}}",
    log:
        f"{LOGS}/translate/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/translate/{{run}}/{{source}}-{{target}}.benchmark.tsv"
    conda:
        "../../envs/transformer.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=4 * 60,
    params:
        decoding=lambda w: SETTINGS.decoding(w.run, f"{w.source}-{w.target}"),
        model=lambda w, input: os.path.dirname(input.weights),
    shell:
        "OMP_NUM_THREADS={threads} python src/decoding/translate.py"
        " --model {params.model:q}"
        " --subwords {input.subwords:q}"
        " --beam-size {params.decoding[beam_size]}"
        " --alpha {params.decoding[alpha]}"
        " --max-extra-tokens {params.decoding[max_extra_tokens]}"
        " --input {input.text:q}"
        " --output {output:q}"
        " > {log:q} 2>&1"


# For Table 3: the development set, by the last checkpoint.
use rule translate as translate_dev with:
    input:
        weights=rules.last_checkpoint.output.weights,
        description=rules.last_checkpoint.output.description,
        subwords=rules.learn_subwords.output.model,
        text=f"{DATA}/clean/{{source}}-{{target}}/dev.{{source}}",
        code=code_of("src/decoding/translate.py"),
    output:
        f"{RUN}/last/dev.{{target}}",
    log:
        f"{LOGS}/translate_dev/{{run}}/{{source}}-{{target}}.log",
    benchmark:
        f"{LOGS}/translate_dev/{{run}}/{{source}}-{{target}}.benchmark.tsv"
