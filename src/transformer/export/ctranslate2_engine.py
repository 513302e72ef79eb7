"""Translation with CTranslate2 in place of our own beam search: faster on a CPU, mainly in int8."""

import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from transformer.common.errors import UserError
from transformer.common.special_tokens import EOS, PAD
from transformer.decoding.options import ComputeType
from transformer.export.ctranslate2_model import check_ctranslate2, save_ctranslate2
from transformer.export.fast_tokenizer import entry_names
from transformer.export.marian import MAX_POSITIONS, length_exponent
from transformer.inference.trained_model import TrainedModel


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
    check_ctranslate2(trained.model.config)
    import ctranslate2

    # The names are arbitrary, since the text is never split by CTranslate2.
    pieces = [f"p{id}" for id in range(trained.model.config.vocab_size)]
    with tempfile.TemporaryDirectory() as folder:
        save_ctranslate2(trained.model, pieces, Path(folder))
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
