"""Floating-point operations of a Transformer, computed from its shapes.

A multiplication and an addition count as two operations.  Only matrix products count, as in the counters of the
deep-learning frameworks: softmax, norms, dropout and Adam together are well under a tenth.
"""

from transformer.settings.run_settings import TransformerConfig


def forward_flops(config: TransformerConfig, B: int, S: int, T: int) -> int:
    """Return the operations of one forward pass over B sentences, padded to S source and T target positions."""
    c = config
    # Applying W^Q, W^K, W^V and W^O to one position.
    project = 2 * c.d_model * c.h * (2 * c.d_k + c.d_v) + 2 * c.h * c.d_v * c.d_model
    feed_forward = 4 * c.d_model * c.d_ff
    attend = 2 * c.h * (c.d_k + c.d_v)  # one query against one key and its value
    match c.encoder_layer:
        case "self-attention":
            mix = S * project + S * S * attend
        case "recurrent":  # two directions; in each step three maps of the input and of the state
            mix = S * 2 * 2 * 3 * (c.d_model // 2) * (c.d_model + c.d_model // 2)
        case "convolutional":
            mix = S * 2 * c.kernel_size * c.d_model**2
        case "restricted":
            mix = S * project + S * c.window_size * attend
    encoder = mix + S * feed_forward
    cross = 2 * c.d_model * c.h * (T * c.d_k + S * (c.d_k + c.d_v)) + T * 2 * c.h * c.d_v * c.d_model
    decoder = T * (project + feed_forward) + T * T * attend + cross + T * S * attend
    softmax = T * 2 * c.d_model * c.output_size
    return B * (c.N * (encoder + decoder) + softmax)


def training_flops(config: TransformerConfig, B: int, S: int, T: int) -> int:
    """Return the operations of forward and backward pass; the latter has two products for each forward one."""
    return 3 * forward_flops(config, B, S, T)
