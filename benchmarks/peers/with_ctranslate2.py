"""CTranslate2, which only translates: its Transformer with random weights, converted to its format."""

import tempfile

import ctranslate2
import numpy as np
import torch
from ctranslate2.specs import TransformerSpec
from worker import ALPHA, BEAM_SIZE, FIRST_WORD, Batch, Decode, Shape, serve

SPECIAL = ["<blank>", "<s>", "</s>", "<unk>"]
LONGEST = 256  # positions


def make_specification(shape: Shape) -> TransformerSpec:
    """Return a post-norm Transformer with random weights, whose embeddings and softmax layer share a matrix."""
    rng = np.random.default_rng(1)
    d = shape.d_model

    def random(*size: int) -> np.ndarray:
        return rng.normal(0, d**-0.5, size).astype(np.float32)

    def fill(linear, outputs: int, inputs: int) -> None:
        linear.weight, linear.bias = random(outputs, inputs), np.zeros(outputs, np.float32)

    specification = TransformerSpec.from_config(shape.layers, shape.heads, pre_norm=False)
    encoder, decoder = specification.encoder, specification.decoder
    embedding = random(shape.vocab_size, d)
    for stack, embeddings in ((encoder, encoder.embeddings[0]), (decoder, decoder.embeddings)):
        embeddings.weight = embedding
        stack.position_encodings.encodings = random(LONGEST, d)
        for layer in stack.layer:
            attentions = [layer.self_attention] + ([layer.attention] if stack is decoder else [])
            for attention in attentions:
                widths = [3 * d, d] if attention is layer.self_attention else [d, 2 * d, d]
                for linear, width in zip(attention.linear, widths, strict=True):
                    fill(linear, width, d)
            fill(layer.ffn.linear_0, shape.d_ff, d)
            fill(layer.ffn.linear_1, d, shape.d_ff)
            for part in (*attentions, layer.ffn):
                part.layer_norm.gamma, part.layer_norm.beta = np.ones(d, np.float32), np.zeros(d, np.float32)
    decoder.projection.weight, decoder.projection.bias = embedding, np.zeros(shape.vocab_size, np.float32)
    vocabulary = SPECIAL + [f"w{number}" for number in range(len(SPECIAL), shape.vocab_size)]
    specification.register_source_vocabulary(vocabulary)
    specification.register_target_vocabulary(vocabulary)
    specification.config.add_source_eos = True
    return specification


def decoding(shape: Shape, precision: str) -> Decode:
    numbers, one_thread, _ = precision.partition(", one thread a worker")
    workers = torch.get_num_threads() if one_thread else 1
    specification = make_specification(shape)
    specification.validate()
    with tempfile.TemporaryDirectory() as folder:
        specification.save(folder)
        translator = ctranslate2.Translator(
            folder, device="cpu", compute_type={"fp32": "float32", "bf16": "bfloat16"}.get(numbers, "int8"),
            inter_threads=workers, intra_threads=torch.get_num_threads() // workers,
        )  # fmt: skip
    assert len(SPECIAL) == FIRST_WORD

    def decode(batches: list[Batch]) -> int:
        # Without waiting, so that each worker has a batch.
        results = [
            translator.translate_batch(
                [[f"w{number}" for number in source] for source in sources], beam_size=BEAM_SIZE,
                length_penalty=ALPHA, min_decoding_length=length, max_decoding_length=length, asynchronous=True,
            )
            for sources, length in batches
        ]  # fmt: skip
        return sum(len(each.result().hypotheses[0]) for batch in results for each in batch)

    return decode


if __name__ == "__main__":
    serve("ctranslate2", decoding=decoding)
