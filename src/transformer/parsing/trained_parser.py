"""Parsing of text with a trained parser."""

from collections.abc import Callable, Sequence

from transformer.common.errors import UserError
from transformer.common.lines import check_lengths
from transformer.decoding.trained_model import TrainedModel
from transformer.parsing.parser import Parse, parse
from transformer.parsing.sentence_text import read_sentence
from transformer.subwords.symbols import split
from transformer.subwords.vocabularies import Symbols, TaggedWords

BRACKETS = str.maketrans({"(": "-LRB-", ")": "-RRB-"})  # as the treebank writes them


def parse_sentences(
    trained: TrainedModel,
    sentences: Sequence[str],
    first_line: int = 1,
    progress: Callable[[int], None] = lambda count: None,
    constrained: bool = True,
) -> list[Parse]:
    """Parse each sentence, whose words are separated by spaces as in the treebank.

    A model that was trained on tagged words reads each word after its tag: ``DT The NN dog``.  With ``constrained``,
    the search considers only trees; without it, any output is allowed, as in the paper, and repaired.  ``progress`` is
    called after each batch with its number of sentences.

    Raises UserError when the model is no parser.  Also when a sentence has no words, is too long for one batch or lacks
    tags; the message names its line, counted from ``first_line``.
    """
    source, symbols = trained.vocabularies.source, trained.vocabularies.target
    if not isinstance(symbols, Symbols):
        raise UserError("the model translates, and has no symbols of trees; use translate")
    if trained.beam.max_extra_tokens < 2:
        raise UserError(
            f"max_extra_tokens is {trained.beam.max_extra_tokens}; a tree has at least two symbols more than words; "
            "set it to 2 or more"
        )
    lines = [" ".join(split(sentence.translate(BRACKETS))) for sentence in sentences]
    words = [
        read_sentence(line, isinstance(source, TaggedWords), f"line {number} of the input")[0]
        for number, line in enumerate(lines, start=first_line)
    ]
    sources = source.encode_batch(lines)
    check_lengths(sources, first_line, trained.batch_tokens // trained.beam.beam_size)
    beam, batch_tokens, precision = trained.beam, trained.batch_tokens, trained.precision
    return parse(trained.model, symbols, sources, words, beam, batch_tokens, constrained, precision, progress)
