"""Mutants chosen by hand: mistakes that a training would survive, with worse results or with none to see."""

from mutant_rules import Mutant

MODEL, TRAINING = "src/transformer/model", "src/transformer/training"
TRANSFORMER, ATTENTION = f"{MODEL}/transformer.py", f"{MODEL}/attention.py"
LAYERS, DROPOUT, POSITIONS = f"{MODEL}/layers.py", f"{MODEL}/dropout.py", f"{MODEL}/positions.py"
TRAINER, OBJECTIVE, LOSS = f"{TRAINING}/trainer.py", f"{TRAINING}/objective.py", f"{TRAINING}/loss.py"

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
        "self.target_dropout(self.embed_target(target_input, self.target_words(target_input)), noise)",
        "self.embed_target(target_input, self.target_words(target_input))",
    ),
    Mutant("no dropout on residuals", LAYERS, "x + self.dropout(sublayer, noise)", "x + sublayer"),
    Mutant(
        "dropout after the residual sum",
        LAYERS,
        "x + self.dropout(sublayer, noise)",
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
    Mutant("kept elements not scaled", DROPOUT, "(x * mask).mul_(1 / (1 - self.p))", "x * mask"),
    Mutant("kept elements scaled by 1 - p", DROPOUT, "mul_(1 / (1 - self.p))", "mul_(1 - self.p)"),
    Mutant("dropout with p and 1 - p exchanged", DROPOUT, "numbers >= threshold", "numbers < threshold"),
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
    Mutant("no dropout in training at all", OBJECTIVE, "if batch.keys is not None", "if False"),
]

SMOOTHING = [
    Mutant(
        "label smoothing ignored by the objective",
        OBJECTIVE,
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
        "(gradient @ weight)[: len(y)] - off * weight_sum",
        "(gradient @ weight)[: len(y)]",
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
        "            self.state.step, self.model.config.d_model",
        "            max(1, self.state.step - 1), self.model.config.d_model",
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
        OBJECTIVE,
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
        "self.norm(x + self.dropout(sublayer, noise))",
        "x + self.norm(self.dropout(sublayer, noise))",
    ),
    Mutant(
        "no residual connection", LAYERS, "x + self.dropout(sublayer, noise)", "self.dropout(sublayer, noise)"
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
        OBJECTIVE,
        "model.decode(shift_right(batch.target)",
        "model.decode(batch.target",
    ),
    Mutant("warm-up's exponent", f"{TRAINING}/schedule.py", "warmup_steps**-1.5", "warmup_steps**-1"),
]

NAMED = [*INITIALISATION, *DROPOUT_PLACES, *SMOOTHING, *ADAM, *MASKS, *EQUATIONS]
