"""Loss, gradients and steps of Adam against the reference in numpy, whose gradients are differences of its loss."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from numpy.typing import NDArray
from reference_transformer import (
    Pair,
    ReferenceAdam,
    Weights,
    differences,
    learning_rate,
    reference_of,
)

from transformer.common.special_tokens import EOS
from transformer.dataset.padding import Batch, make_batch
from transformer.dataset.tokenized import TokenizedDataset
from transformer.model import attention
from transformer.model.dropout import Dropout, mask_rows, sentence_keys
from transformer.training.checkpoints import Checkpoints
from transformer.training.distributed import ProcessGroup
from transformer.training.loss import Objective
from transformer.training.score_perplexity import negative_log_likelihood
from transformer.training.trainer import Trainer, TrainingConfig

V = 9
PAIRS: list[Pair] = [
    ([3, 8, 4, 5, EOS], [7, 6, EOS]),
    ([6, EOS], [4, 3, 8, 3, EOS]),
    ([2, 5, EOS], [EOS]),
    ([7, 7, 7, EOS], [5, 2, 6, EOS]),
]
ROWS = np.arange(len(PAIRS))
TOKENS = sum(len(target) for _, target in PAIRS)
SMALL: dict[str, Any] = {"N": 1, "d_model": 6, "d_ff": 7, "h": 2, "d_k": 2, "d_v": 3}
NO_DROPOUT = {"dropout": 0.0, "attention_dropout": 0.0, "relu_dropout": 0.0}
ALONE = ProcessGroup(0, 1, torch.device("cpu"))
# The longest side of a sentence pair is 5 tokens; a batch holds all pairs.
SETTINGS: dict[str, Any] = {
    "steps": 3,
    "warmup_steps": 2,
    "batch_tokens": 40,
    "checkpoint_every_steps": 3,
    "validate_every_steps": 3,
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> TokenizedDataset:
    prefix = tmp_path_factory.mktemp("pairs") / "train"
    made: TokenizedDataset = tiny.dataset(prefix, [(source[:-1], target[:-1]) for source, target in PAIRS], V)
    return made


def small_model(**changes: Any) -> Any:
    """A model in float64, so that only its fp32 sums differ from the reference."""
    model = tiny.model(V, **SMALL | changes).double().train()
    with torch.no_grad():
        for parameter in model.parameters():  # biases and norms need values other than 0 and 1 too
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


def total_loss(model: Any, smoothing: float, kept: list[dict[str, NDArray[np.float64]]] | None = None) -> Any:
    """The reference's loss of all pairs, as a function of the weights."""
    reference, _ = reference_of(model)

    def function(weights: Weights) -> Any:
        return sum(
            reference.loss(weights, pair, smoothing, None if kept is None else kept[number])
            for number, pair in enumerate(PAIRS)
        )

    return function


def check_loss_and_gradient(model: Any, objective: Objective, batch: Batch, function: Any) -> None:
    _, weights = reference_of(model)
    loss = objective(batch)
    loss.backward()
    assert loss.item() == pytest.approx(float(function(weights)), rel=1e-6)
    expected = differences(function, weights)
    names = [name for name, _ in model.named_parameters()]
    assert set(names) == expected.keys()
    for name, parameter in model.named_parameters():
        assert np.abs(expected[name]).max() > 1e-3, name
        np.testing.assert_allclose(parameter.grad, expected[name], rtol=1e-5, atol=5e-6, err_msg=name)


@pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
def test_loss_and_gradient(
    dataset: TokenizedDataset, smoothing: float, fused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all parameters, for a batch with padding on both sides, on both branches of attention."""
    monkeypatch.setattr(attention, "FUSED_DEVICES", {"cpu"} if fused else set())
    model = small_model(**NO_DROPOUT)
    batch = make_batch(dataset, ROWS, sentence_keys(1, 1, ROWS))
    assert batch.is_padding is not None
    check_loss_and_gradient(model, Objective(model, smoothing), batch, total_loss(model, smoothing))


@pytest.mark.parametrize(
    "changes",
    [
        {"N": 2, "tied_softmax": False},
        {"target_vocab_size": V + 2, "positions": "learned", "max_length": 5},
    ],
    ids=str,
)
def test_loss_and_gradient_of_other_models(dataset: TokenizedDataset, changes: dict[str, Any]) -> None:
    model = small_model(**NO_DROPOUT, **changes)
    batch = make_batch(dataset, ROWS)
    check_loss_and_gradient(model, Objective(model, 0.1), batch, total_loss(model, 0.1))


Sites = dict[str, tuple[float, str, str]]


def places(attention: float, relu: float, residual: float) -> Sites:
    """Of each place of dropout in one layer: p, whose positions it has, and what it has for each of them."""
    return {
        "source_dropout": (residual, "source", "d_model"),
        "encoder.0.self_attention.dropout": (attention, "source", "source"),
        "encoder.0.after_attention.dropout": (residual, "source", "d_model"),
        "encoder.0.feed_forward.dropout": (relu, "source", "d_ff"),
        "encoder.0.after_feed_forward.dropout": (residual, "source", "d_model"),
        "target_dropout": (residual, "target", "d_model"),
        "decoder.0.self_attention.dropout": (attention, "target", "target"),
        "decoder.0.after_self_attention.dropout": (residual, "target", "d_model"),
        "decoder.0.cross_attention.dropout": (attention, "target", "source"),
        "decoder.0.after_cross_attention.dropout": (residual, "target", "d_model"),
        "decoder.0.feed_forward.dropout": (relu, "target", "d_ff"),
        "decoder.0.after_feed_forward.dropout": (residual, "target", "d_model"),
    }


def masks(model: Any, keys: NDArray[np.int64], sites: Sites) -> list[dict[str, NDArray[np.float64]]]:
    """What each sentence's dropout multiplies with, at every place, for the reference."""
    modules = dict(model.named_modules())
    noise = mask_rows(torch.from_numpy(keys), 5, len(sites))
    kept = []
    for number, (source, target) in enumerate(PAIRS):
        sizes = {
            "source": len(source),
            "target": len(target),
            "d_model": SMALL["d_model"],
            "d_ff": SMALL["d_ff"],
        }
        sentence = {}
        for name, (p, side, inside) in sites.items():
            plain = Dropout(p, modules[name].width)
            plain.number = tiny.place_of_dropout(model, name)
            heads = [SMALL["h"]] if inside in ("source", "target") else []  # attention weights
            ones = torch.ones(1, *heads, sizes[side], sizes[inside], dtype=torch.float64)
            sentence[name] = plain(ones, noise[:, number : number + 1, : sizes[side]])[0].numpy()
        kept.append(sentence)
    return kept


@pytest.mark.parametrize("p", [(0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3), (0.2, 0.3, 0.4)], ids=str)
def test_loss_and_gradient_with_dropout(dataset: TokenizedDataset, p: tuple[float, float, float]) -> None:
    """Dropout of residuals and embeddings, of attention weights and of ReLU: there and nowhere else."""
    residual, attention_weights, relu = p
    model = small_model(dropout=residual, attention_dropout=attention_weights, relu_dropout=relu)
    keys = sentence_keys(1, 4, ROWS)
    kept = masks(model, keys, places(attention_weights, relu, residual))
    function = total_loss(model, 0.1, kept)
    plain = total_loss(model, 0.1)(reference_of(model)[1])
    assert abs(function(reference_of(model)[1]) - plain) > 0.05
    check_loss_and_gradient(model, Objective(model, 0.1), make_batch(dataset, ROWS, keys), function)


def trainer(model: Any, dataset: TokenizedDataset, folder: Path, max_tokens: int, **settings: Any) -> Trainer:
    config = TrainingConfig(**tiny.training_config(**SETTINGS | settings))
    checkpoints = Checkpoints(folder, config.keep_checkpoints, config.checkpoint_every_steps)
    return Trainer(model, dataset, config, ALONE, checkpoints, lambda *_: {"dev": 1.0}, max_tokens)


@pytest.mark.parametrize("max_tokens", [40, 20], ids=["whole batches", "micro-batches"])
@pytest.mark.parametrize(
    "adam",
    [(0.9, 0.98, 1e-9), (0.6, 0.98, 1e-9), (0.9, 0.7, 1e-9), (0.9, 0.98, 1e-2)],
    ids=lambda adam: "beta1 {}, beta2 {}, epsilon {}".format(*adam),
)
def test_three_steps(
    dataset: TokenizedDataset, tmp_path: Path, adam: tuple[float, float, float], max_tokens: int
) -> None:
    """Loss, learning rate and all weights: section 5.3, equation (3), the mean over all target tokens of the batch."""
    beta1, beta2, epsilon = adam
    model = small_model(**NO_DROPOUT)
    function = total_loss(model, 0.1)
    expected = ReferenceAdam(reference_of(model)[1], beta1, beta2, epsilon)
    start = copy.deepcopy(expected.weights)
    scale = 0.1
    run = trainer(
        model, dataset, tmp_path, max_tokens,
        learning_rate_scale=scale, adam_beta1=beta1, adam_beta2=beta2, adam_epsilon=epsilon,
    )  # fmt: skip
    rates = []
    for step, work in enumerate(run.work(), start=1):
        assert work.target_tokens == TOKENS
        assert len(work.micro_batches) == 40 // max_tokens
        loss = run.read_loss(run.train_step(work), work.target_tokens)
        assert loss == pytest.approx(float(function(expected.weights)) / TOKENS, rel=1e-5)
        gradient = differences(lambda weights: function(weights) / TOKENS, expected.weights)
        rates.append(scale * learning_rate(step, SMALL["d_model"], warmup_steps=2))
        assert run.optimizer.param_groups[0]["lr"] == pytest.approx(rates[-1], rel=1e-12)
        expected.step(gradient, rates[-1])
    assert len(rates) == 3
    for name, parameter in model.named_parameters():
        moved = parameter.detach().numpy() - start[name]
        wanted = expected.weights[name] - start[name]
        np.testing.assert_allclose(moved, wanted, rtol=0, atol=2e-3 * sum(rates), err_msg=name)


def test_the_adam_of_section_5_3(dataset: TokenizedDataset, tmp_path: Path) -> None:
    """With given gradients, of which some are as small as ε, all digits can be compared."""
    model = small_model(**NO_DROPOUT)
    run = trainer(model, dataset, tmp_path, 40)
    expected = ReferenceAdam(reference_of(model)[1], 0.9, 0.98, 1e-9)
    rng = np.random.default_rng(0)
    for step in range(1, 4):
        gradient = {
            name: rng.normal(size=value.shape) * 10.0 ** rng.integers(-10, 1, value.shape)
            for name, value in expected.weights.items()
        }
        for name, parameter in model.named_parameters():
            parameter.grad = torch.from_numpy(gradient[name].copy())
        run.optimizer.param_groups[0]["lr"] = 0.01 * step
        run.optimizer.step()
        expected.step(gradient, 0.01 * step)
    for name, parameter in model.named_parameters():
        np.testing.assert_allclose(parameter.detach(), expected.weights[name], rtol=1e-10, atol=1e-12)


def test_the_likelihood_of_a_development_set(dataset: TokenizedDataset) -> None:
    """Without label smoothing and without dropout, also while the model is in training mode."""
    model = small_model(dropout=0.5, attention_dropout=0.5, relu_dropout=0.5)
    expected = total_loss(model, 0.0)(reference_of(model)[1])
    for batch_tokens in (40, 6):
        nll, tokens = negative_log_likelihood(model, dataset, batch_tokens, ALONE)
        assert nll == pytest.approx(float(expected), rel=1e-6)
        assert tokens == TOKENS
