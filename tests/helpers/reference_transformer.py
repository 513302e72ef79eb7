"""A Transformer in numpy and float64, written from the paper's equations and from docs/protocol.md.

It imports nothing of the library, so it cannot repeat a mistake of the library.  It is slow and plain: each sentence
pair is computed alone and without padding, each head by itself.  Weights have the names of ``model.safetensors``.

Every array may have one more dimension in front, for variants of the weights: :func:`differences` computes all entries
of a gradient at once that way.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = Mapping[str, Array]
Pair = tuple[list[int], list[int]]  # source and target tokens, both with the final EOS

PAD = 0
LAYER_NORM_EPSILON = 1e-6  # docs/protocol.md


@dataclass(frozen=True)
class ReferenceTransformer:
    """The dimensions of Table 3.  Where ``weights`` have optional parts, such as biases, these are used."""

    N: int
    d_model: int
    h: int
    d_k: int
    d_v: int
    activation: str = "relu"

    def logits(
        self, weights: Weights, source: list[int], target: list[int], kept: Weights | None = None
    ) -> Array:
        """Return the logits (T, V) at every target position.

        ``kept`` has what dropout multiplies with, by the names of its places, such as ``source_dropout``:
        (positions, width), and for attention weights (h, T, S).
        """
        memory = self.encode(weights, source, kept or {})
        states = self.decode(weights, target, memory, kept or {})
        matrix = weights.get("own_softmax", target_matrix(weights))
        return states @ transposed(matrix)

    def encode(self, weights: Weights, source: list[int], kept: Weights) -> Array:
        """Section 3.1, encoder: (S, d_model)."""
        x = self.embed(weights, weights["embedding"], source)
        if "target_space" in weights:
            x = x + weights["target_space"][..., 0:1, :]
        x = x * kept.get("source_dropout", 1)
        for n in range(self.N):
            layer = f"encoder.{n}"
            attention = self.attention(weights, f"{layer}.self_attention", x, x, kept)
            x = add_and_norm(weights, f"{layer}.after_attention", x, attention, kept)
            x = self.feed_forward(weights, layer, x, kept)
        return x

    def decode(self, weights: Weights, target: list[int], memory: Array, kept: Weights) -> Array:
        """Section 3.1, decoder, whose inputs are the outputs offset by one: (T, d_model)."""
        x = self.embed(weights, target_matrix(weights), [PAD, *target[:-1]]) * kept.get("target_dropout", 1)
        for n in range(self.N):
            layer = f"decoder.{n}"
            attention = self.attention(weights, f"{layer}.self_attention", x, x, kept, causal=True)
            x = add_and_norm(weights, f"{layer}.after_self_attention", x, attention, kept)
            attention = self.attention(weights, f"{layer}.cross_attention", x, memory, kept)
            x = add_and_norm(weights, f"{layer}.after_cross_attention", x, attention, kept)
            x = self.feed_forward(weights, layer, x, kept)
        return x

    def embed(self, weights: Weights, matrix: Array, tokens: list[int]) -> Array:
        """Sections 3.4 and 3.5; the embedding of PAD is the zero vector."""
        real = np.array([[token != PAD] for token in tokens])
        x = matrix[..., tokens, :] * math.sqrt(self.d_model) * real
        if "positions.table" in weights:  # row (E) of Table 3
            return x + weights["positions.table"][..., : len(tokens), :]
        return x + np.array([self.position(pos) for pos in range(len(tokens))])

    def position(self, pos: int) -> list[float]:
        """Section 3.5: the encoding of one position."""
        encoding = []
        for dimension in range(self.d_model):
            two_i = dimension - dimension % 2
            angle = pos / 10000 ** (two_i / self.d_model)
            encoding.append(math.cos(angle) if dimension % 2 else math.sin(angle))
        return encoding

    def feed_forward(self, weights: Weights, layer: str, x: Array, kept: Weights) -> Array:
        """Equation (2), its residual connection and its norm; or GELU in place of the maximum."""
        hidden = linear(x, weights, f"{layer}.feed_forward.W_1")
        hidden = hidden * gaussian(hidden) if self.activation == "gelu" else np.maximum(0, hidden)
        hidden = hidden * kept.get(f"{layer}.feed_forward.dropout", 1)
        output = linear(hidden, weights, f"{layer}.feed_forward.W_2")
        return add_and_norm(weights, f"{layer}.after_feed_forward", x, output, kept)

    def attention(
        self, weights: Weights, name: str, x: Array, memory: Array, kept: Weights, causal: bool = False
    ) -> Array:
        """Section 3.2.2: (T, d_model) and (S, d_model) to (T, d_model)."""
        queries, keys, values = self.projections(weights, name, x, memory)
        heads = []
        for i in range(self.h):
            k, v = slice(i * self.d_k, (i + 1) * self.d_k), slice(i * self.d_v, (i + 1) * self.d_v)
            scores = queries[..., k] @ transposed(keys[..., k]) / math.sqrt(self.d_k)  # equation (1)
            if causal:
                for t in range(scores.shape[-2]):
                    scores[..., t, t + 1 :] = -math.inf  # section 3.2.3
            weight = softmax(scores)
            if f"{name}.dropout" in kept:
                weight = weight * kept[f"{name}.dropout"][i]
            heads.append(weight @ values[..., v])
        return linear(np.concatenate(heads, -1), weights, f"{name}.W_O")

    def projections(self, weights: Weights, name: str, x: Array, memory: Array) -> tuple[Array, Array, Array]:
        """Return the queries, keys and values of all heads; some of their matrices are stored as one."""
        k, v = self.h * self.d_k, self.h * self.d_v
        if f"{name}.W_QKV.weight" in weights:
            joint = linear(x, weights, f"{name}.W_QKV")
            return joint[..., :k], joint[..., k : 2 * k], joint[..., 2 * k : 2 * k + v]
        joint = linear(memory, weights, f"{name}.W_KV")
        return linear(x, weights, f"{name}.W_Q"), joint[..., :k], joint[..., k : k + v]

    def loss(
        self, weights: Weights, pair: Pair, smoothing: float, kept: Weights | None = None
    ) -> NDArray[np.float64]:
        """Return the label-smoothed cross-entropy (5.4), summed over the target's tokens; a scalar."""
        scores = self.logits(weights, *pair, kept)
        log_p = scores - scores.max(-1, keepdims=True)
        log_p = log_p - np.log(np.exp(log_p).sum(-1, keepdims=True))
        V = scores.shape[-1]
        wanted = np.full((len(pair[1]), V), smoothing / (V - 1))
        wanted[np.arange(len(pair[1])), pair[1]] = 1 - smoothing
        total: NDArray[np.float64] = -(wanted * log_p).sum((-2, -1))
        return total


def reference_of(model: Any) -> tuple[ReferenceTransformer, dict[str, Array]]:
    """Return the reference of a model of the library, and the model's present weights."""
    c = model.config
    weights = {name: value.double().numpy().copy() for name, value in model.state_dict().items()}
    return ReferenceTransformer(c.N, c.d_model, c.h, c.d_k, c.d_v, c.activation), weights


def target_matrix(weights: Weights) -> Array:
    """Return the target's matrix of embeddings, which by default is the source's."""
    return weights.get("own_target_embedding", weights["embedding"])


def transposed(matrix: Array) -> Array:
    """Exchange the last two dimensions."""
    return np.swapaxes(matrix, -1, -2)


def linear(x: Array, weights: Weights, name: str) -> Array:
    """Return x W, plus b if there are biases; the file has W with its rows and columns exchanged."""
    y = x @ transposed(weights[f"{name}.weight"])
    return y + weights[f"{name}.bias"][..., None, :] if f"{name}.bias" in weights else y


def softmax(scores: Array) -> Array:
    """Return the softmax over the last dimension."""
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    result: Array = powers / powers.sum(-1, keepdims=True)
    return result


# Φ, the distribution function of normal numbers.
gaussian = np.vectorize(lambda x: (1 + math.erf(x / math.sqrt(2))) / 2)


def add_and_norm(weights: Weights, name: str, x: Array, sublayer: Array, kept: Weights) -> Array:
    """LayerNorm(x + Sublayer(x)), with dropout on the sub-layer's output (sections 3.1 and 5.4)."""
    total = x + sublayer * kept.get(f"{name}.dropout", 1)
    centred = total - total.mean(-1, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + LAYER_NORM_EPSILON)
    result: Array = normal * weights[f"{name}.norm.weight"][..., None, :]
    return result + weights[f"{name}.norm.bias"][..., None, :]


def differences(
    function: Callable[[Weights], Array], weights: Weights, step: float = 1e-5
) -> dict[str, Array]:
    """Return the gradient of a scalar ``function`` by central differences, one for each entry of ``weights``."""
    gradient = {}
    for name, value in weights.items():
        shifts = np.eye(value.size).reshape(value.size, *value.shape) * step
        values = [function({**weights, name: value + sign * shifts}) for sign in (1, -1)]
        gradient[name] = ((values[0] - values[1]) / (2 * step)).reshape(value.shape)
    return gradient


def learning_rate(step: int, d_model: int, warmup_steps: int) -> float:
    """Equation (3): a line up to the end of the warm-up, then the inverse square root of the step."""
    if step < warmup_steps:
        return float(step / (math.sqrt(d_model) * warmup_steps * math.sqrt(warmup_steps)))
    return 1 / (math.sqrt(d_model) * math.sqrt(step))


class ReferenceAdam:
    """Algorithm 1 of Kingma and Ba (reference [20] of the paper)."""

    def __init__(self, weights: Weights, beta1: float, beta2: float, epsilon: float) -> None:
        self.weights = dict(weights)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.m = {name: np.zeros_like(value) for name, value in weights.items()}
        self.v = {name: np.zeros_like(value) for name, value in weights.items()}
        self.t = 0

    def step(self, gradient: Weights, rate: float) -> None:
        """Move the weights against ``gradient``."""
        self.t += 1
        for name, g in gradient.items():
            self.m[name] = self.beta1 * self.m[name] + (1 - self.beta1) * g
            self.v[name] = self.beta2 * self.v[name] + (1 - self.beta2) * g**2
            m = self.m[name] / (1 - self.beta1**self.t)
            v = self.v[name] / (1 - self.beta2**self.t)
            self.weights[name] = self.weights[name] - rate * m / (np.sqrt(v) + self.epsilon)
