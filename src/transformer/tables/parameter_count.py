"""Parameters as the authors' code of June 2017 counted them, for the rows of Table 3."""

from collections.abc import Mapping

VOCABULARY = 40_960  # entries: the 37,000 of section 5.1, padded by the embedding's shards
TARGET_SPACES = 32  # vectors of size d_model; one of them was added to the encoder's input


def parameters_2017(settings: Mapping[str, int]) -> int:
    """Return the number of parameters of tensor2tensor v1.0.3's model with these N, d_model, d_ff, h, d_k and d_v.

    It has one matrix for both embeddings and the softmax, biases in attention, and sinusoids, so row (E) counts as
    base.  The result rounds to the paper's figure in every row but big (docs/protocol.md).
    """
    d_model, d_ff, heads = settings["d_model"], settings["d_ff"], settings["h"]
    keys, values = heads * settings["d_k"], heads * settings["d_v"]
    attention = (d_model + 1) * (2 * keys + values) + (values + 1) * d_model
    feed_forward = (d_model + 1) * d_ff + (d_ff + 1) * d_model
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    return (VOCABULARY + TARGET_SPACES) * d_model + settings["N"] * (encoder_layer + decoder_layer)
