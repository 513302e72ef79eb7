"""A trained model together with all that it needs to turn text into text."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch

from transformer.common.checked import checked
from transformer.common.errors import UserError
from transformer.common.lines import without_marks
from transformer.common.sizes import BATCH_TOKENS, PARSING_BATCH
from transformer.decoding.beam_search import BeamConfig, Hypothesis
from transformer.decoding.incremental import SearchModel
from transformer.decoding.translation import translate
from transformer.model.storage import load_model
from transformer.model.transformer import Transformer
from transformer.subwords.vocabularies import Vocabularies, load_vocabularies

# torch's threads do not live on in a process that is forked, as by multiprocessing: it would wait for them for good.
os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


@dataclass(frozen=True)
class TrainedModel:
    """A model in evaluation mode, its vocabularies, and the settings of its beam search (section 6.1)."""

    model: Transformer
    vocabularies: Vocabularies
    beam: BeamConfig
    batch_tokens: int  # limit on a batch's source tokens times the beam size

    @classmethod
    def read(
        cls,
        folder: Path,
        subwords: Path,
        beam: BeamConfig,
        symbols: Path | None = None,
    ) -> Self:
        """Read a model from ``folder``, and its vocabularies; a parser also has one of ``symbols``.

        Raises UserError when a file is missing or damaged, and when the model was trained with other vocabularies.
        """
        if (folder / "averaged").is_dir() and not (folder / "model.json").exists():
            raise UserError(f"{folder} is the folder of a run; its model is {folder / 'averaged'}")
        vocabularies = load_vocabularies(subwords, symbols)
        model, _ = load_model(folder, vocabularies.sha256)
        # It decides which sentences share a matrix product, and thus how their scores are rounded.
        usual = BATCH_TOKENS[model.embedding.device.type] * (PARSING_BATCH if symbols else 1)
        return cls(model, vocabularies, beam, usual)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy, by ``copy`` or ``pickle``, begins with: all but the packed weights, packed anew."""
        return {name: value for name, value in vars(self).items() if name != "prepared"}

    @cached_property
    def prepared(self) -> SearchModel:
        """The model as all its searches use it."""
        return SearchModel(self.model)

    def decoding(self) -> dict[str, Any]:
        """Return how this model decodes here, for a report of the kind ``decoding`` (docs/formats.md)."""
        return {"search": {**self.beam.to_dict(), "precision": self.model.arithmetic.precision}}

    def search(
        self, sources: Sequence[Sequence[int]], progress: Callable[[int], None] = lambda count: None
    ) -> list[list[Hypothesis]]:
        """Return the best hypotheses of each source, token ids without EOS (see :func:`translate`)."""
        return translate(self.prepared, sources, self.beam, self.batch_tokens, progress)

    def translate(
        self,
        sentences: Iterable[str],
        progress: Callable[[int], None] = lambda count: None,
    ) -> list[str]:
        """Translate each sentence.  The translation of an empty one is empty, and no translation has a line end.

        The arguments are those of :meth:`hypotheses`.
        """
        return [self.text(best) for best, *_ in self.hypotheses(sentences, progress)]

    def text(self, hypothesis: Hypothesis) -> str:
        """Return what a translation model has found, as one line of text."""
        return self.vocabularies.target.decode(hypothesis.tokens).replace("\n", " ")

    def hypotheses(
        self,
        sentences: Iterable[str],
        progress: Callable[[int], None] = lambda count: None,
    ) -> list[list[Hypothesis]]:
        """Return the best hypotheses of a translation model for each sentence; that of an empty one is empty.

        Blanks and line ends around a sentence, byte order marks and NULs are taken out, as from the training text.
        ``progress`` is called after each batch with its number of sentences.  Raises UserError for a parser.
        """
        sentences = [without_marks(sentence).strip() for sentence in listed(sentences, "translate")]
        if self.vocabularies.source is not self.vocabularies.target:
            raise UserError("the model is a parser, which writes trees; use parse")
        sources = self.vocabularies.source.encode_batch(sentences)
        sources = [ids if sentence else [] for ids, sentence in zip(sources, sentences, strict=True)]
        return self.search(sources, progress)


def listed(sentences: Iterable[str], method: str) -> list[str]:
    """Return the sentences as a list, for the method of this name.

    Raises UserError for what would be read as other sentences, such as one text, whose characters would each be one, a
    mapping or a table, of which the keys or columns would be; and for an item that is no text, with its place.
    """
    if isinstance(sentences, str):
        raise UserError(f"{method} takes a list of sentences; write {method}([{sentences[:40]!r}])")
    # The translations of a set could not be told apart; a pandas.DataFrame has two dimensions.
    others = bytes | bytearray | Mapping | set | frozenset
    is_flat = isinstance(sentences, Iterable) and getattr(sentences, "ndim", 1) == 1
    if isinstance(sentences, others) or not is_flat:
        raise UserError(f"{method} takes a list of sentences, but got the type {type(sentences).__name__}")
    items = list(sentences)
    for number, item in enumerate(items):
        if not isinstance(item, str):
            raise UserError(
                f"{method}: sentences[{number}] is {item!r}, of the type {type(item).__name__}; give it as a text, "
                "or leave it out"
            )
        try:
            item.encode()
        except UnicodeEncodeError as error:
            raise UserError(
                f"{method}: sentences[{number}] has half of a character, {item[error.start]!r} at [{error.start}]; it "
                "was cut or read in another encoding; correct it, or leave it out"
            ) from None
    return items


def recorded_beam(scores: Mapping[str, Any], path: Path) -> BeamConfig:
    """Return the beam search whose output a file of scores is of; ``scores`` is the content of ``path``.

    Raises UserError when it does not say how the output was made.
    """
    if "decoding" not in scores:
        raise UserError(f"{path}: does not record the beam search; score again with --decoding")
    search = scores["decoding"]["search"].items()
    return checked(BeamConfig, {key: value for key, value in search if key != "precision"}, path)
