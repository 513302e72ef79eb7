"""Parse text with a trained model: one sentence per line, with spaces between the words as in the treebank.

    python src/transformer/parsing/parse.py --model R/averaged --subwords S/subwords.model --symbols S/symbols.json \\
        --input F --output F
    echo 'The dog runs .' | python src/transformer/parsing/parse.py --model R/averaged --subwords … --symbols …

A model that was trained on tagged words reads each word after its tag: `DT The NN dog`.  The output is one bracketed
tree per line.  At a terminal each line is parsed as soon as it is typed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from nltk.tree import Tree
from torch import Tensor

from transformer.common.arguments import Output, argument_parser
from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError, run_script
from transformer.common.notes import say
from transformer.decoding.beam_search import Constraint, max_output_lengths
from transformer.decoding.options import add_beam_options, chosen_beam
from transformer.decoding.trained_model import TrainedModel
from transformer.decoding.transform import transform_lines
from transformer.decoding.translation import translate
from transformer.parsing.linearise import tree_of
from transformer.parsing.tree_constraint import TreeConstraint
from transformer.parsing.trees import write_tree
from transformer.subwords.symbols import BRACKETS, read_sentence, split
from transformer.subwords.vocabularies import Symbols, TaggedWords


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of model.safetensors and .json")
    parser.add_argument("--subwords", type=Path, required=True, help="the model's vocabulary of words")
    parser.add_argument("--symbols", type=Path, required=True, help="the model's vocabulary of tree symbols")
    parser.add_argument("--input", type=Path, help="file to parse (default: standard input)")
    parser.add_argument("--output", type=Output, help="file to write (default: standard output)")
    parser.add_argument("--report", type=Output, help="JSON file: search, sentences, malformed outputs")
    about = "allow any output, as in the paper, and repair outputs that are not trees"
    parser.add_argument("--unconstrained", action="store_true", help=about)
    add_beam_options(parser, beam_size=21, alpha=0.3, max_extra_tokens=300)
    arguments = parser.parse_args()
    constrained = not arguments.unconstrained
    trained = TrainedModel.read(
        arguments.model, arguments.subwords, chosen_beam(arguments), arguments.symbols
    )
    counts = {"sentences": 0, "malformed": 0}

    def parse_lines(lines: list[str], first: int, done: Callable[[int], None]) -> Iterator[str]:
        for parsed in parse_sentences(trained, lines, first, done, constrained):
            counts["sentences"] += 1
            counts["malformed"] += not parsed.well_formed
            yield write_tree(parsed.tree)

    transform_lines(parse_lines, arguments.input, arguments.output)
    if arguments.report:
        write_artifact(arguments.report, {**trained.decoding(), "constrained": constrained, **counts})


@dataclass(frozen=True)
class Parse:
    """A sentence's tree, and whether the model's output was a tree before any repair."""

    tree: Tree
    well_formed: bool


def parse_sentences(
    trained: TrainedModel,
    sentences: Sequence[str],
    first_line: int = 1,
    progress: Callable[[int], None] = lambda count: None,
    constrained: bool = True,
) -> list[Parse]:
    """Parse each sentence, whose words are separated by spaces as in the treebank.

    A model that was trained on tagged words reads each word after its tag: ``DT The NN dog``.  ``constrained`` and
    ``progress`` are as in :func:`parse`.

    Raises UserError when the model is not a parser, or when the words have no tags.  Also when a sentence is empty or
    lacks tags; the message names its line, counted from ``first_line``.
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
        read_sentence(line, isinstance(source, TaggedWords), f"line {number} of the input")
        for number, line in enumerate(lines, start=first_line)
    ]
    if isinstance(source, TaggedWords):
        _check_tags(source, lines, first_line)
    sources = source.encode_batch(lines)
    return parse(trained, sources, words, constrained, progress)


def _check_tags(source: TaggedWords, lines: Sequence[str], first_line: int) -> None:
    """Say how many tags are none of the model's.  Raise UserError when most are, as where words have no tags."""
    tags = [tag for line in lines for tag in split(line)[::2]]
    unknown = [tag for tag in tags if tag not in source.tags]
    if 2 * len(unknown) >= len(tags) > 0:
        raise UserError(
            f"from line {first_line} of the input on, {len(unknown):,} of {len(tags):,} tags, such as {unknown[0]!r}, "
            "are none of the model's, which reads each word after its tag: DT The NN dog"
        )
    if unknown:
        say(
            f"from line {first_line:,} of the input on, {len(unknown):,} of {len(tags):,} tags are not the model's, "
            f"such as {unknown[0]!r}, and are read as unknown"
        )


def parse(
    trained: TrainedModel,
    sources: Sequence[Sequence[int]],
    sentences: Sequence[Sequence[str]],
    constrained: bool,
    progress: Callable[[int], None] = lambda count: None,
) -> list[Parse]:
    """Parse each of ``sentences`` (lists of words), whose token ids without EOS are ``sources`` (section 6.3).

    A constrained search considers only trees over exactly the sentence's words.  An unconstrained one considers any
    output, as in the paper, and outputs that are not such trees are repaired.  ``progress`` is called after each batch
    with its number of sentences.
    """
    symbols, beam = trained.vocabularies.target, trained.beam
    assert isinstance(symbols, Symbols)
    lengths = torch.tensor([len(sentence) for sentence in sentences])

    def constrain(batch: Sequence[int], source: Tensor) -> Constraint:
        words = lengths[batch].to(source.device)
        return TreeConstraint(symbols, words, max_output_lengths(source, beam), beam.beam_size)

    constraint = constrain if constrained else None
    outputs = translate(trained.prepared, sources, beam, trained.batch_tokens, progress, constraint)
    parses = []
    for (best, *_), sentence in zip(outputs, sentences, strict=True):
        ids = best.tokens
        tree, well_formed = tree_of(split(symbols.decode(ids)), sentence)
        # UNK and the subwords of a shared vocabulary are not symbols of trees, and decode drops them.
        parses.append(Parse(tree, well_formed and all(id >= symbols.first_id for id in ids)))
    return parses


if __name__ == "__main__":
    run_script(main)
