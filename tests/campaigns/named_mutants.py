"""Mutants chosen by hand: mistakes that raise no error, and give worse results, or numbers of something else."""

from mutant_rules import Mutant

MODEL, TRAINING = "src/transformer/model", "src/transformer/training"
TRANSFORMER, ATTENTION = f"{MODEL}/transformer.py", f"{MODEL}/attention.py"
LAYERS, DROPOUT, POSITIONS = f"{MODEL}/layers.py", f"{MODEL}/dropout.py", f"{MODEL}/positions.py"
TRAINER, LOSS = f"{TRAINING}/trainer.py", f"{TRAINING}/loss.py"
WORKFLOW, TABLE = "workflow/rules", "src/transformer/tables"
COMMON, DECODING, SCORING = (f"{WORKFLOW}/{name}.smk" for name in ("common", "decoding", "scoring"))
PAPER_RUNS, MERGING = "config/runs.yaml", "src/transformer/settings/merging.py"
SEED_MEANS, SCORES = f"{TABLE}/seed_means.py", f"{TABLE}/scores.py"
MEASURES_OF_BLEU, EVALB = "src/transformer/scoring/bleu.py", "src/transformer/parsing/evalb.py"

INITIALISATION = [
    Mutant("Glorot left out", TRANSFORMER, "nn.init.xavier_uniform_(module.weight)", "pass"),
    Mutant("Glorot normal", TRANSFORMER, "xavier_uniform_(module.weight)", "xavier_normal_(module.weight)"),
    Mutant("Glorot with a gain of √2", TRANSFORMER, "(module.weight)", "(module.weight, 2**0.5)"),
    Mutant("biases not zero", TRANSFORMER, "nn.init.zeros_(module.bias)", "pass"),
    Mutant(
        "embeddings of scale 1",
        TRANSFORMER,
        "nn.init.normal_(self.embedding, std=self.config.d_model**-0.5)",
        "nn.init.normal_(self.embedding)",
    ),
    Mutant(
        "target's embeddings of scale 1",
        TRANSFORMER,
        "nn.init.normal_(self.own_target_embedding, std=self.config.d_model**-0.5)",
        "nn.init.normal_(self.own_target_embedding)",
    ),
    Mutant(
        "target space not initialised",
        TRANSFORMER,
        "nn.init.xavier_uniform_(self.target_space)",
        "nn.init.zeros_(self.target_space)",
    ),
    Mutant(
        "learned positions of scale 1",
        POSITIONS,
        "nn.init.normal_(self.table, std=d_model**-0.5)",
        "nn.init.normal_(self.table)",
    ),
]

DROPOUT_PLACES = [
    Mutant("no dropout on the source's embeddings", TRANSFORMER, "x = self.source_dropout(x, noise)", "pass"),
    Mutant(
        "no dropout on the target's embeddings",
        TRANSFORMER,
        "x = self.target_dropout(x, noise)",
        "pass",
    ),
    Mutant("no dropout on residuals", LAYERS, "self.dropout.add(x, sublayer, noise)", "x + sublayer"),
    Mutant(
        "dropout after the residual sum",
        LAYERS,
        "self.dropout.add(x, sublayer, noise)",
        "self.dropout(x + sublayer, noise)",
    ),
    Mutant(
        "no dropout on attention weights", ATTENTION, "dropout(softmax(scores), noise)", "softmax(scores)"
    ),
    Mutant(
        "dropout on attention scores",
        ATTENTION,
        "dropout(softmax(scores), noise)",
        "softmax(dropout(scores, noise))",
    ),
    Mutant("no dropout after ReLU", LAYERS, "self.dropout(self.W_1(x).relu(), noise)", "self.W_1(x).relu()"),
    Mutant("kept elements not scaled", DROPOUT, ".mul_(self.scale)", ""),
    Mutant("kept elements of residuals not scaled", DROPOUT, "value=self.scale", "value=1"),
    Mutant("kept elements scaled by 1 - p", DROPOUT, "self.scale = 1 / (1 - p)", "self.scale = 1 - p"),
    Mutant("a column has some rows twice", DROPOUT, "keys >> 14 | 1", "keys >> 14"),
    Mutant("dropout with p and 1 - p exchanged", DROPOUT, "x >= threshold", "x < threshold"),
    Mutant("all places have the same masks", DROPOUT, "module.place = number", "module.place = 0"),
    Mutant("all heads have the same masks", DROPOUT, "* HEAD)", "* 0)"),
    Mutant(
        "attention weights with the residual's probability",
        ATTENTION,
        "Dropout(config.attention_dropout, ATTENTION_WIDTH)",
        "Dropout(config.dropout, ATTENTION_WIDTH)",
    ),
    Mutant(
        "ReLU with the residual's probability",
        LAYERS,
        "Dropout(config.relu_dropout,",
        "Dropout(config.dropout,",
    ),
    Mutant(
        "no dropout in the encoder's self-attention",
        LAYERS,
        "self.self_attention(x, source_mask, noise), noise",
        "self.self_attention(x, source_mask), noise",
    ),
    Mutant(
        "no dropout in the decoder's self-attention",
        LAYERS,
        "self.self_attention(x, target_mask, noise), noise",
        "self.self_attention(x, target_mask), noise",
    ),
    Mutant(
        "no dropout in cross-attention",
        LAYERS,
        "self.cross_attention(x, memory, source_mask, noise), noise",
        "self.cross_attention(x, memory, source_mask), noise",
    ),
    Mutant(
        "no dropout on the encoder's attention sub-layer",
        LAYERS,
        "self.self_attention(x, source_mask, noise), noise)",
        "self.self_attention(x, source_mask, noise))",
    ),
    Mutant(
        "no dropout on the cross-attention sub-layer",
        LAYERS,
        "self.cross_attention(x, memory, source_mask, noise), noise)",
        "self.cross_attention(x, memory, source_mask, noise))",
    ),
    Mutant("no dropout in training at all", LOSS, "if batch.keys is not None", "if False"),
]

SMOOTHING = [
    Mutant(
        "label smoothing ignored by the objective",
        LOSS,
        "real_targets(batch), self.label_smoothing",
        "real_targets(batch), 0.0",
    ),
    Mutant(
        "label smoothing ignored by the trainer",
        TRAINER,
        "Objective(self.model, config.label_smoothing)",
        "Objective(self.model, 0.0)",
    ),
    Mutant(
        "label smoothing of torch, over V entries",
        LOSS,
        "off = smoothing / (weight.shape[0] - 1)",
        "off = smoothing / weight.shape[0]",
    ),
    Mutant(
        "label smoothing in the loss only",
        LOSS,
        "_product(gradient, weight.T)[: len(y)] - off * weight_sum",
        "_product(gradient, weight.T)[: len(y)]",
    ),
    Mutant(
        "label smoothing left out of the matrix's gradient",
        LOSS,
        "grad_weight -= off * states.float().sum(0)",
        "pass",
    ),
    Mutant("wrong share of the true entry", LOSS, "on = 1 - smoothing - off", "on = 1 - smoothing"),
]

ADAM = [
    Mutant("Adam's betas at torch's defaults", TRAINER, "betas=(config.adam_beta1, config.adam_beta2),", ""),
    Mutant("Adam's beta1 at torch's default", TRAINER, "betas=(config.adam_beta1, ", "betas=(0.9, "),
    Mutant("Adam's beta2 at torch's default", TRAINER, "config.adam_beta2),", "0.999),"),
    Mutant(
        "Adam's betas exchanged",
        TRAINER,
        "(config.adam_beta1, config.adam_beta2)",
        "(config.adam_beta2, config.adam_beta1)",
    ),
    Mutant("Adam's epsilon at torch's default", TRAINER, "eps=config.adam_epsilon,", ""),
    Mutant("AdamW, which decays weights", TRAINER, "torch.optim.Adam(", "torch.optim.AdamW("),
    Mutant("learning rate never set", TRAINER, 'self.optimizer.param_groups[0]["lr"] = rate', "pass"),
    Mutant(
        "learning rate of the step before",
        TRAINER,
        "learning_rate(self.state.step, d_model",
        "learning_rate(max(1, self.state.step - 1), d_model",
    ),
    Mutant(
        "learning rate without its scale",
        TRAINER,
        "config.warmup_steps, config.learning_rate_scale",
        "config.warmup_steps",
    ),
    Mutant(
        "gradients not cleared",
        TRAINER,
        "        self.optimizer.zero_grad()\n        state.source",
        "        state.source",
    ),
    Mutant(
        "mean over source tokens",
        TRAINER,
        "loss += self._accumulate(batch, weight, work.target_tokens",
        "loss += self._accumulate(batch, weight, work.source_tokens",
    ),
    Mutant(
        "mean of the micro-batch instead of the batch",
        TRAINER,
        "self.group.world_size / target_tokens)",
        "self.group.world_size / len(batch.targets))",
    ),
]

MASKS = [
    Mutant(
        "padding not masked on the GPU's branch",
        ATTENTION,
        "V, None if mask is None else mask.to(Q.dtype))",
        "V)",
    ),
    Mutant("later positions not masked on the GPU's branch", ATTENTION, "Q, K, V, is_causal=True", "Q, K, V"),
    Mutant(
        "no mask at all on the GPU's branch",
        ATTENTION,
        "        if mask is not None and mask.dim() == 2:\n",
        "        mask = None\n        if mask is not None and mask.dim() == 2:\n",
    ),
    Mutant(
        "every mask is causal on the GPU's branch",
        ATTENTION,
        "mask is not None and mask.dim() == 2",
        "mask is not None",
    ),
    Mutant("no dropout on the GPU's branch", ATTENTION, " and (noise is None or dropout.p == 0)", ""),
    Mutant("no mask on the plain branch", ATTENTION, "scores = scores + mask.to(scores.dtype)", "pass"),
    Mutant("the next position is seen", ATTENTION, ".triu(1)", ".triu(2)"),
    Mutant(
        "the objective's padding is not masked",
        LOSS,
        "None if batch.is_padding is None else padding_mask(batch.is_padding, dtype)",
        "None",
    ),
    Mutant(
        "the model's padding is not masked",
        TRANSFORMER,
        'return padding_mask(is_padding) if source.device.type != "cpu" or is_padding.any() else None',
        "return None",
    ),
    Mutant(
        "source not masked in cross-attention",
        LAYERS,
        "self.cross_attention(x, memory, source_mask, noise)",
        "self.cross_attention(x, memory, None, noise)",
    ),
    Mutant(
        "source not masked in the encoder",
        LAYERS,
        "self.self_attention(x, source_mask, noise)",
        "self.self_attention(x, None, noise)",
    ),
]

EQUATIONS = [
    Mutant("scores not divided by √d_k", ATTENTION, "(Q * (1 / math.sqrt(Q.shape[-1])))", "Q"),
    Mutant(
        "epsilon of layer norm at torch's default",
        LAYERS,
        "LAYER_NORM_EPSILON = 1e-6",
        "LAYER_NORM_EPSILON = 1e-5",
    ),
    Mutant(
        "norm before the sum",
        LAYERS,
        "self.norm(self.dropout.add(x, sublayer, noise))",
        "x + self.norm(self.dropout(sublayer, noise))",
    ),
    Mutant(
        "no residual connection",
        LAYERS,
        "self.dropout.add(x, sublayer, noise)",
        "self.dropout(sublayer, noise)",
    ),
    Mutant("no ReLU", LAYERS, ".relu()", ""),
    Mutant("embeddings not times √d_model", TRANSFORMER, " * math.sqrt(self.config.d_model)", ""),
    Mutant(
        "padding has an embedding", TRANSFORMER, "x = x.masked_fill((tokens == PAD)[..., None], 0)", "pass"
    ),
    Mutant(
        "exponent of the sinusoids", POSITIONS, "10000 ** (even / d_model)", "10000 ** (even / (2 * d_model))"
    ),
    Mutant(
        "sines and cosines exchanged",
        POSITIONS,
        "torch.stack((angle.sin(), angle.cos())",
        "torch.stack((angle.cos(), angle.sin())",
    ),
    Mutant(
        "the target is not shifted",
        LOSS,
        "model.decode(shift_right(batch.target)",
        "model.decode(batch.target",
    ),
    Mutant("warm-up's exponent", f"{TRAINING}/schedule.py", "warmup_steps**-1.5", "warmup_steps**-1"),
]

RULES = [
    Mutant(
        "the test set is translated by the last checkpoint",
        DECODING,
        """rules.average_checkpoints.output.weights,
        description=rules.average_checkpoints.output.description,
        subwords=rules.learn_subwords.output.model,
        text="<data>/clean/{source}-{target}/test.""",
        """rules.last_checkpoint.output.weights,
        description=rules.last_checkpoint.output.description,
        subwords=rules.learn_subwords.output.model,
        text="<data>/clean/{source}-{target}/test.""",
    ),
    Mutant(
        "Table 2 translates the development set",
        DECODING,
        """test.{source}",
    output:
        text="<results>/runs/{run}/{source}-{target}/test.{target}",
        report="<results>/runs/{run}/{source}-{target}/test.decoding.json",
    threads""",
        """dev.{source}",
    output:
        text="<results>/runs/{run}/{source}-{target}/test.{target}",
        report="<results>/runs/{run}/{source}-{target}/test.decoding.json",
    threads""",
    ),
    Mutant("a further test set is the test set", DECODING, "/tests/{test}.{source}", "/test.{source}"),
    Mutant(
        "perplexity in Table 3 of averaged checkpoints",
        SCORING,
        """rules.last_checkpoint.output.weights,
        description=rules.last_checkpoint.output.description,
        dev""",
        """rules.average_checkpoints.output.weights,
        description=rules.average_checkpoints.output.description,
        dev""",
    ),
    Mutant(
        "perplexity in Table 3 of the test set", SCORING, 'splits="--split dev",', 'splits="--split test",'
    ),
    Mutant(
        "hypothesis and reference exchanged",
        SCORING,
        """--hypothesis {input.hypothesis:q}"
        " --reference {input.reference:q}""",
        """--hypothesis {input.reference:q}"
        " --reference {input.hypothesis:q}""",
    ),
    Mutant(
        "source and target exchanged in the tokenized data",
        f"{WORKFLOW}/subwords.smk",
        """--source {input.source:q}"
        " --target {input.target:q}""",
        """--source {input.target:q}"
        " --target {input.source:q}""",
    ),
    Mutant(
        "subwords learned from the development set",
        f"{WORKFLOW}/subwords.smk",
        "train.{target}",
        "dev.{target}",
    ),
    Mutant(
        "every run averages as many checkpoints as base",
        f"{WORKFLOW}/training.smk",
        'SETTINGS.averaging(w.run, f"{w.source}-{w.target}")["average_checkpoints"]',
        'SETTINGS.averaging("base", PAIR)["average_checkpoints"]',
    ),
    Mutant("gold tags left out", f"{WORKFLOW}/parsing.smk", '        " --gold-tags"\n', ""),
    Mutant(
        "unconstrained F1 of the constrained trees",
        f"{WORKFLOW}/parsing.smk",
        "predicted=rules.parse_unconstrained.output.trees",
        "predicted=rules.parse.output.trees",
    ),
    Mutant(
        "the semi-supervised parser reads the other's trees",
        COMMON,
        'return f"{DATA}/silver/train.trees"',
        'return f"{DATA}/clean/trees/train.trees"',
    ),
    Mutant(
        "the PCFG has the rules of the test set",
        f"{WORKFLOW}/parsing_silver.smk",
        'trees=expand(TREES, split="train")',
        'trees=expand(TREES, split="test")',
    ),
    Mutant(
        "the treebank's tags in the input of the test set",
        COMMON,
        'return [f"{DATA}/silver/{wildcards.split}.pcfg.trees"]',
        "return []",
    ),
    Mutant("training text is not filtered", COMMON, 'if wildcards.split != "train":', "if True:"),
    Mutant(
        "only the first of several seeds", COMMON, "SETTINGS.seeded(run)[: None if seeds else 1]", "[run]"
    ),
    Mutant(
        "Table 3 reads the runs of Table 2",
        f"{WORKFLOW}/tables.smk",
        "*placed(TABLE3_FOLDERS)],",
        "*placed(TABLE2_FOLDERS)],",
    ),
]

SETTINGS = [
    Mutant("length penalty of 1", PAPER_RUNS, "alpha: 0.6", "alpha: 1.0"),
    Mutant("beam of 5", PAPER_RUNS, "beam_size: 4\n", "beam_size: 5\n"),
    Mutant("warm-up of 8000 steps", PAPER_RUNS, "warmup_steps: 4000", "warmup_steps: 8000"),
    Mutant("no label smoothing in base", PAPER_RUNS, "label_smoothing: 0.1 ", "label_smoothing: 0.0 "),
    Mutant("big's dropout is base's", PAPER_RUNS, "dropout: 0.3\n", "dropout: 0.1\n"),
    Mutant("big averages as base", PAPER_RUNS, "  average_checkpoints: 20", "  average_checkpoints: 5"),
    Mutant(
        "the vocabulary of EN-DE for EN-FR",
        "config/paper.yaml",
        "wordpiece, vocab_size: 32000",
        "wordpiece, vocab_size: 37000",
    ),
    Mutant(
        "what the scale sets for a run is ignored",
        MERGING,
        '(("scale", "runs", name), own.get(name, {})),',
        '(("scale", "runs", name), {}),',
    ),
    Mutant("divisors multiply", MERGING, "value / divisor", "value * divisor"),
    Mutant("quotients rounded down", MERGING, "divisor + 0.5", "divisor"),
    Mutant(
        "settings of a language pair ignored",
        MERGING,
        'of_pair = runs.get(name, {}).get("pairs", {}).get(pair, {})',
        "of_pair = {}",
    ),
    Mutant(
        "the same seed for all trainings",
        "src/transformer/settings/runs_file.py",
        "return (found[1], int(found[2])) if found",
        "return (found[1], seed) if found",
    ),
]

TABLES = [
    Mutant(
        "the paper's BLEU one row below",
        f"{TABLE}/table2.py",
        "row |= _paper_cells(printed, pair, marks)",
        "row |= _paper_cells(records(literature.models)[len(rows) - 1], pair, marks)",
    ),
    Mutant(
        "heads of EN-DE and EN-FR exchanged",
        f"{TABLE}/table2.py",
        '("BLEU", pair.upper(), side))',
        '("BLEU", pairs[pairs.index(pair) - 1].upper(), side))',
    ),
    Mutant(
        "perplexity: the paper's under ours",
        f"{TABLE}/table3.py",
        '("PPL (dev)", "paper"), perplexity)',
        '("PPL (dev)", "paper"), [row["perplexity_text"] for row in rows])',
    ),
    Mutant(
        "F1 of the other decoding",
        f"{TABLE}/table4.py",
        "for constrained, unconstrained in zip(",
        "for unconstrained, constrained in zip(",
    ),
    Mutant("mean over seeds is the first", SEED_MEANS, 'rows["value"].mean()', 'rows["value"].iloc[0]'),
    Mutant(
        "deviation with n instead of n - 1", SEED_MEANS, 'rows["value"].std()', 'rows["value"].std(ddof=0)'
    ),
    Mutant(
        "daggers where nothing differs",
        SEED_MEANS,
        "if p.corrected < 1 - LEVEL",
        "if p.corrected > 1 - LEVEL",
    ),
    Mutant(
        "interval's ends exchanged",
        SCORES,
        """"low": content["interval"]["low"],
            "high": content["interval"]["high"],""",
        """"low": content["interval"]["high"],
            "high": content["interval"]["low"],""",
    ),
    Mutant(
        "perplexity of the development set as that of the test set",
        SCORES,
        'run.content.get("perplexity", {}).get(split)',
        'run.content.get("perplexity", {}).get("dev")',
    ),
    Mutant(
        "run and pair exchanged",
        SCORES,
        """"run": run.name,
        "pair": run.pair,""",
        """"run": run.pair,
        "pair": run.name,""",
    ),
    Mutant(
        "base's time for the paper's big",
        f"{TABLE}/cost.py",
        "printed = paper.get(run.name, {})",
        'printed = paper.get("base", {})',
    ),
    Mutant(
        "minutes taken for hours",
        f"{TABLE}/cost.py",
        '3600 * printed["trained.hours"]',
        '60 * printed["trained.hours"]',
    ),
    Mutant(
        "scores.csv has averaged models as last checkpoints",
        "src/transformer/tables/collect_scores.py",
        "read_runs(arguments.last, LAST)",
        "read_runs(arguments.last)",
    ),
]

MEASURES = [
    Mutant("compounds not split", MEASURES_OF_BLEU, '"mixed", "split", split)', '"mixed", "split", sides)'),
    Mutant(
        "lower-cased BLEU in the tables",
        MEASURES_OF_BLEU,
        'return SPLIT if language == "de" else "multi_bleu"',
        'return f"{SPLIT}_lowercased" if language == "de" else "multi_bleu_lowercased"',
    ),
    Mutant(
        "brevity penalty inverted",
        "src/transformer/scoring/multi_bleu.py",
        "1 - reference_length / hypothesis_length",
        "1 - hypothesis_length / reference_length",
    ),
    Mutant(
        "perplexity to the base of 2",
        "src/transformer/scoring/perplexity.py",
        "math.exp(negative_log_likelihood / tokens)",
        "2 ** (negative_log_likelihood / tokens)",
    ),
    Mutant("punctuation counts", EVALB, """, ",", ":", "``", "''", "."]""", "]"),
    Mutant("the root's bracket counts", EVALB, '"TOP", ', ""),
]

MODEL_TESTS = (
    "tests/model/test_reference_forward.py",
    "tests/model/test_initialisation.py",
    "tests/model/test_dropout.py",
    "tests/model/test_dropout_sites.py",
    "tests/model/test_attention.py",
    "tests/training/test_reference_training.py",
)
PLANS = "tests/pipeline/test_plans.py"
# Name of a group → the tests that its mutants meet first, and the mutants.
GROUPS: dict[str, tuple[tuple[str, ...], list[Mutant]]] = {
    "initialisation": (MODEL_TESTS, INITIALISATION),
    "dropout": (MODEL_TESTS, DROPOUT_PLACES),
    "label smoothing": (MODEL_TESTS, SMOOTHING),
    "Adam, learning rate, mean": (MODEL_TESTS, ADAM),
    "masks": (MODEL_TESTS, MASKS),
    "equations": (MODEL_TESTS, EQUATIONS),
    "rules": ((PLANS,), RULES),
    "settings": (("tests/settings", PLANS), SETTINGS),
    "tables": (("tests/tables",), TABLES),
    "measures": (("tests/scoring", "tests/parsing/test_evalb.py"), MEASURES),
}
NAMED = [mutant for _, mutants in GROUPS.values() for mutant in mutants]
