"""A trained model in the format of CTranslate2, and its search in place of ours: faster on a CPU, mainly in int8.

Its description of a Transformer takes our matrices as they are: queries, keys and values side by side, a table of
positions for each stack, and a target that begins with the zero vector.  CTranslate2 is an optional package, and only
the functions that need it import it.
"""

import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from transformer.common.errors import UserError
from transformer.common.optional_packages import require
from transformer.common.special_tokens import EOS, PAD, UNK
from transformer.decoding.options import ComputeType
from transformer.decoding.trained_model import TrainedModel
from transformer.export.fast_tokenizer import entry_names
from transformer.export.formats import check_format
from transformer.export.marian import MAX_POSITIONS, length_exponent
from transformer.model.layers import LAYER_NORM_EPSILON, AddAndNorm
from transformer.model.transformer import Transformer


@dataclasses.dataclass(frozen=True)
class CTranslate2Model(TrainedModel):
    """A trained model whose search CTranslate2 does.

    Its length penalty is length^p.  Here p is that of :func:`length_exponent` at the mean length of the sources, since
    translations are about as long.  A hypothesis has at most as many tokens as with our search.
    """

    translator: Any = None  # a ctranslate2.Translator
    names: Sequence[str] = ()  # of the tokens
    compute_type: ComputeType = "int8"

    def decoding(self) -> dict[str, Any]:
        """Return how this model decodes; its precision has no part in that."""
        engine = {"name": "ctranslate2", "compute_type": self.compute_type}
        return {"search": dataclasses.asdict(self.beam), "engine": engine}

    def search(
        self, sources: Sequence[Sequence[int]], progress: Callable[[int], None] = lambda count: None
    ) -> list[list[int]]:
        """Return the best hypothesis of each source; both are token ids without EOS.

        Raises UserError when a source has more tokens than CTranslate2's table of positions has rows.
        """
        results: list[list[int]] = [[] for _ in sources]
        order = sorted((n for n in range(len(sources)) if sources[n]), key=lambda n: -len(sources[n]))
        if not order:
            return results
        if len(sources[order[0]]) >= MAX_POSITIONS:
            raise UserError(
                f"a sentence has {len(sources[order[0]])} subwords, and with CTranslate2 it can have at most "
                f"{MAX_POSITIONS - 1}; put each sentence on a line of its own, or use --engine torch"
            )
        mean = sum(len(sources[n]) + 1 for n in order) / len(order)
        ids = {name: id for id, name in enumerate(self.names)}
        config = self.model.config
        never = [[self.names[id]] for id in (PAD, *range(config.vocab_size, config.embedding_rows))]
        waiting: list[tuple[list[int], Any]] = []  # batches, and their translations to come
        start = 0
        while start < len(order):
            longest = len(sources[order[start]]) + 1
            batch = order[start : start + max(1, self.batch_tokens // (self.beam.beam_size * longest))]
            translations = self.translator.translate_batch(
                [[self.names[id] for id in (*sources[n], EOS)] for n in batch],
                beam_size=self.beam.beam_size,
                length_penalty=length_exponent(self.beam.alpha, mean),
                max_decoding_length=min(longest + self.beam.max_extra_tokens, MAX_POSITIONS),
                max_input_length=0,
                suppress_sequences=never,
                asynchronous=True,  # the threads work on a batch each
            )
            waiting.append((batch, translations))
            start += len(batch)
        for batch, translations in waiting:
            for n, translation in zip(batch, translations, strict=True):
                most = len(sources[n]) + 1 + self.beam.max_extra_tokens
                results[n] = [ids[token] for token in translation.result().hypotheses[0][:most]]
            progress(len(batch))
        return results


def with_ctranslate2(trained: TrainedModel, compute_type: ComputeType) -> CTranslate2Model:
    """Return the same model with CTranslate2's search, on as many threads as torch has.

    Raises UserError when CTranslate2 is missing, or has no counterpart for one of the model's settings.
    """
    # The names are arbitrary, since the text is never split by CTranslate2.
    pieces = [f"p{id}" for id in range(trained.model.config.vocab_size)]
    with tempfile.TemporaryDirectory() as folder:
        save_ctranslate2(trained.model, pieces, Path(folder))
        import ctranslate2

        try:
            translator = ctranslate2.Translator(
                folder,
                device="cpu",
                compute_type=compute_type,
                inter_threads=torch.get_num_threads(),
                intra_threads=1,  # one thread a batch is faster than several
            )
        except ValueError as error:  # the processor lacks this type
            raise UserError(f"--compute-type {compute_type}: {error}") from None
    own = {field.name: getattr(trained, field.name) for field in dataclasses.fields(trained)}
    names = entry_names(pieces, trained.model.config.embedding_rows)
    return CTranslate2Model(**own, translator=translator, names=names, compute_type=compute_type)


def save_ctranslate2(model: Transformer, pieces: Sequence[str], folder: Path) -> None:
    """Write a model and its vocabulary to an existing folder, in fp32.

    ``pieces`` are the written forms of the tokens, as in ``tokenizer.json``.  Raises UserError when CTranslate2 is
    missing, or when it has no counterpart for one of the model's settings.
    """
    config = model.config
    require("ctranslate2")
    check_format(config, "ctranslate2")
    from ctranslate2.specs import TransformerSpec

    spec = TransformerSpec.from_config(config.N, config.h, pre_norm=False)
    first = 0 if model.target_space is None else model.target_space[0]
    length = config.max_length if config.positions == "learned" else MAX_POSITIONS
    table: Tensor = model.positions(0, length)  # WordPositions, which take more, are a parser's
    spec.encoder.position_encodings.encodings = array(table + first)
    spec.decoder.position_encodings.encodings = array(table)
    spec.encoder.embeddings[0].weight = array(model.embedding)
    spec.decoder.embeddings.weight = array(model.target_embedding)
    spec.decoder.projection.weight = array(model.softmax_matrix)
    spec.decoder.start_from_zero_embedding = True
    for stack in ("encoder", "decoder"):
        for put, layer in zip(getattr(spec, stack).layer, getattr(model, stack), strict=True):
            own = layer.self_attention
            if stack == "encoder":
                put_attention(put.self_attention, [own.W_QKV, own.W_O], layer.after_attention)
            else:
                put_attention(put.self_attention, [own.W_QKV, own.W_O], layer.after_self_attention)
                cross = layer.cross_attention
                put_attention(put.attention, [cross.W_Q, cross.W_KV, cross.W_O], layer.after_cross_attention)
            put_linear(put.ffn.linear_0, layer.feed_forward.W_1)
            put_linear(put.ffn.linear_1, layer.feed_forward.W_2)
            put_norm(put.ffn.layer_norm, layer.after_feed_forward)
    names = entry_names(pieces, config.embedding_rows)
    spec.register_source_vocabulary(names)
    spec.register_target_vocabulary(names)
    spec.config.unk_token, spec.config.eos_token = names[UNK], names[EOS]
    spec.config.bos_token = spec.config.decoder_start_token = names[EOS]  # neither is used
    spec.config.add_source_eos = False  # tokenizer.json adds it
    spec.config.layer_norm_epsilon = LAYER_NORM_EPSILON
    spec.validate()
    spec.optimize()
    spec.save(str(folder))


def array(tensor: Tensor) -> Any:
    """Return a tensor's numbers in fp32 for CTranslate2."""
    return tensor.detach().float().cpu().contiguous().numpy()


def put_linear(spec: Any, linear: nn.Linear) -> None:
    spec.weight = array(linear.weight)
    if linear.bias is not None:
        spec.bias = array(linear.bias)


def put_norm(spec: Any, after: AddAndNorm) -> None:
    spec.gamma, spec.beta = array(after.norm.weight), array(after.norm.bias)


def put_attention(spec: Any, linears: Sequence[nn.Linear], after: AddAndNorm) -> None:
    for place, linear in zip(spec.linear, linears, strict=True):
        put_linear(place, linear)
    put_norm(spec.layer_norm, after)
