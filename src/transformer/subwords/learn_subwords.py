"""Learn one subword vocabulary from the source and target sides of a corpus together."""

import io
import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import sentencepiece
from tokenizers import pre_tokenizers, trainers

from transformer.common.arguments import Output, argument_parser
from transformer.common.errors import UserError, run_script
from transformer.common.files import atomic_path, read_lines, sha256_of, write_json
from transformer.common.sizes import LEARNING_SAMPLE
from transformer.common.special_tokens import EOS, PAD, SPECIAL_PIECES, UNK
from transformer.subwords.bpe import BytePairEncoding, escape
from transformer.subwords.wordpiece import word_piece_tokenizer

LONGEST = 1 << 20  # bytes of a line that SentencePiece reads; it leaves out longer ones without a word
# A character that SentencePiece keeps for itself: it leaves out every line that has one.
RESERVED = "\u2585"


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="UTF-8 text, one sentence per line")
    parser.add_argument("--kind", choices=sorted(KINDS), required=True)
    parser.add_argument("--vocab-size", type=int, required=True, help="pieces, including special tokens")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample from a very large corpus (0)")
    parser.add_argument("--output", type=Output, required=True, help="folder for subwords.model and .json")
    arguments = parser.parse_args()
    learn_subwords(arguments.kind, arguments.files, arguments.vocab_size, arguments.output, arguments.seed)


def learn_subwords(kind: str, files: Sequence[Path], vocab_size: int, output_dir: Path, seed: int) -> None:
    """Learn one vocabulary of ``vocab_size`` pieces from all ``files`` together (UTF-8, one sentence a line).

    Writes ``subwords.model`` and ``subwords.json`` (kind, size, numbers of sentences in the files and in the sample,
    sha256 of the model) to ``output_dir``.  The same files, size and seed give the same bytes.  If there are more
    than ``LEARNING_SAMPLE`` sentences, the vocabulary is learned from a random sample of about that size.

    Raises UserError when a file is missing or not UTF-8, when the text does not contain that many pieces, or
    when its characters alone need more.
    """
    total, sampled = sum(1 for file in files for _ in read_lines(file)), 0

    def sample() -> Iterator[str]:
        nonlocal sampled
        rng = random.Random(seed)
        for line in chain.from_iterable(map(read_lines, files)):
            if total <= LEARNING_SAMPLE or rng.random() * total < LEARNING_SAMPLE:
                sampled += 1
                yield line

    model = KINDS[kind](sample(), vocab_size)
    with atomic_path(output_dir / "subwords.model") as path:
        path.write_bytes(model)
    summary = {
        "kind": kind,
        "vocab_size": vocab_size,
        "sentences": total,
        "learned_from": sampled,
        "sha256": sha256_of(output_dir / "subwords.model"),
    }
    write_json(output_dir / "subwords.json", summary)


def _readable(sentences: Iterator[str]) -> Iterator[str]:
    """Yield the sentences as SentencePiece reads all of them, without U+2585, which is always spelled in bytes."""
    most = LONGEST // 4  # characters, of up to four bytes
    for sentence in sentences:
        text = escape(sentence).replace(RESERVED, " ")
        yield from (text[start : start + most] for start in range(0, len(text), most))


def learn_bpe(sentences: Iterator[str], vocab_size: int) -> bytes:
    """Return a SentencePiece model of ``vocab_size`` pieces, 256 of which are the bytes."""
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_readable(sentences),
            model_writer=model,
            model_type="bpe",
            vocab_size=vocab_size,
            hard_vocab_limit=False,  # so that our error message, not the library's, says what size is possible
            pad_id=PAD,
            eos_id=EOS,
            unk_id=UNK,
            bos_id=-1,
            byte_fallback=True,
            character_coverage=0.9999,  # the rarest are spelled in bytes: their own pieces would be untrained
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            max_sentence_length=LONGEST,
            num_threads=1,
            minloglevel=2,
        )
    except RuntimeError as error:
        if "sentences_.empty()" in str(error):
            raise UserError("there is nothing to learn subwords from: every line is empty") from None
        smallest = re.search(r"smaller than required_chars\. \d+ vs (\d+)", str(error))
        if smallest is None:
            raise
        _check_size(vocab_size, int(smallest[1]))
    _check_size(vocab_size, BytePairEncoding(model.getvalue()).vocab_size)
    return model.getvalue()


def learn_word_pieces(sentences: Iterator[str], vocab_size: int) -> bytes:
    """Return a model of ``vocab_size`` pieces, 256 of which are the bytes, by merging the most frequent pairs."""
    learner = word_piece_tokenizer({})
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=1,
        special_tokens=SPECIAL_PIECES,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        continuing_subword_prefix="",
        show_progress=False,
    )
    learner.train_from_iterator((" " + sentence for sentence in sentences), trainer)
    vocabulary = learner.get_vocab()
    _check_size(vocab_size, len(vocabulary))
    # A new tokenizer is needed, since the learner would take "</s>" in a text for the special token.
    return word_piece_tokenizer(vocabulary).to_str().encode("utf-8")


KINDS: dict[str, Callable[[Iterator[str], int], bytes]] = {"bpe": learn_bpe, "wordpiece": learn_word_pieces}


def _check_size(wanted: int, possible: int) -> None:
    if possible < wanted:
        raise UserError(
            f"vocab_size: {wanted} is more than this text can give; the largest possible is {possible}"
        )
    if possible > wanted:
        raise UserError(f"vocab_size: {wanted} is too small; this text's characters alone need {possible}")


if __name__ == "__main__":
    run_script(main)
