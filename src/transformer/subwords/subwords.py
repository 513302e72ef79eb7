"""Subword vocabularies: text to token ids and back without loss, by BPE or by word-pieces.

Source and target share one vocabulary (paper, section 5.1): byte-pair encoding for EN-DE (Sennrich et al. 2016,
learned by SentencePiece) and word-pieces for EN-FR (Wu et al. 2016, learned by the tokenizers library).  Every
text comes back exactly, ``decode(encode(text)) == text``: what the vocabulary lacks is spelled in bytes.
"""

import hashlib
import io
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import sentencepiece
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from transformer.common.errors import UserError
from transformer.common.files import atomic_path, read_lines, write_json
from transformer.common.special_tokens import EOS, PAD, SPECIAL_IDS, SPECIAL_PIECES, UNK

LEARNING_SAMPLE = 4_000_000  # sentences of both sides together; more would hardly change the pieces


class Subwords(Protocol):
    """What the rest of the project knows of a subword vocabulary."""

    vocab_size: int
    sha256: str  # of the model file: what ties checkpoints and tokenized datasets to their vocabulary

    def encode(self, text: str) -> list[int]:
        """The token ids of one line of text, without EOS."""

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of many lines, without EOS."""

    def decode(self, ids: Iterable[int]) -> str:
        """The text of token ids; PAD, EOS and UNK stand for nothing, wherever they are."""

    def piece(self, id: int) -> str:
        """The written form of one token for people to read; ``▁`` stands for a space."""

    def begins_word(self, id: int) -> bool:
        """Whether a token is the first of a word's, so that as many of them as words are in a text."""


def load_subwords(path: Path | str) -> Subwords:
    """Load a model that :func:`learn_subwords` wrote; its content tells its kind.

    Raises UserError when the file is missing or is not such a model.
    """
    try:
        model = Path(path).read_bytes()
    except FileNotFoundError:
        raise UserError(
            f"{path}: no such file; learn the subwords first (src/subwords/learn_subwords.py)"
        ) from None
    try:
        return WordPiece(model) if model.startswith(b"{") else BytePairEncoding(model)
    except ValueError as error:
        raise UserError(f"{path}: {error}; make one with src/subwords/learn_subwords.py") from None


def learn_subwords(
    kind: str, files: Sequence[Path | str], vocab_size: int, output_dir: Path | str, seed: int
) -> None:
    """Learn one vocabulary of ``vocab_size`` pieces from all ``files`` together (UTF-8, a sentence a line).

    Writes ``subwords.model`` and ``subwords.json`` (kind, size, sentences learned from and how many there were, sha256
    of the model) into ``output_dir``.  The
    same files, size and seed give the same bytes; the seed draws the sentences that are learned from where the
    files hold more than ``LEARNING_SAMPLE``.

    Raises UserError when a file is missing, empty or not UTF-8, when the text cannot give that many pieces, and
    when its characters alone need more.
    """
    learn = KINDS[kind].learn
    sentences = [sum(1 for _ in read_lines(file)) for file in files]
    for file, count in zip(files, sentences, strict=True):
        if count == 0:
            raise UserError(f"{file}: the file is empty; there is nothing to learn subwords from")
    sample = _Sample(files, sum(sentences), seed)
    model = learn(iter(sample), vocab_size)
    output_dir = Path(output_dir)
    with atomic_path(output_dir / "subwords.model") as path:
        path.write_bytes(model)
    summary = {
        "kind": kind,
        "vocab_size": vocab_size,
        "sentences": sum(sentences),
        "learned_from": sample.drawn,
        "sha256": hashlib.sha256(model).hexdigest(),
    }
    write_json(output_dir / "subwords.json", summary)


class _Sample:
    """All lines of the files, or about ``LEARNING_SAMPLE`` of them drawn evenly, in one pass."""

    def __init__(self, files: Sequence[Path | str], sentences: int, seed: int) -> None:
        self._files, self._sentences, self._seed = files, sentences, seed
        self.drawn = 0  # so far

    def __iter__(self) -> Iterator[str]:
        rng = random.Random(self._seed)
        for file in self._files:
            for line in read_lines(file):
                if self._sentences <= LEARNING_SAMPLE or rng.random() * self._sentences < LEARNING_SAMPLE:
                    self.drawn += 1
                    yield line


def _check_size(wanted: int, given: int) -> None:
    if given < wanted:
        raise UserError(
            f"vocab_size: {wanted} is more than this text can give; the largest possible is {given}"
        )
    if given > wanted:
        raise UserError(f"vocab_size: {wanted} is too small; this text's characters alone need {given}")


class BytePairEncoding:
    """Byte-pair encoding by SentencePiece; a character outside the vocabulary becomes its UTF-8 bytes.

    SentencePiece writes a space as U+2581, so it would give a real U+2581 back as a space; text that holds one
    (or the escape itself) is escaped with a private-use character before it is seen.
    """

    def __init__(self, model: bytes) -> None:
        """Raises ValueError when ``model`` is not a SentencePiece model with our special ids."""
        try:
            if not model:
                raise RuntimeError("empty")
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)
            specials = [self._processor.id_to_piece(id) for id in sorted(SPECIAL_IDS)]
        except (RuntimeError, IndexError):
            raise ValueError("not a subword model") from None
        if specials != SPECIAL_PIECES:
            raise ValueError(f"a SentencePiece model that begins with {specials}, not {SPECIAL_PIECES}")
        self.vocab_size: int = self._processor.get_piece_size()
        self.sha256 = hashlib.sha256(model).hexdigest()

    @staticmethod
    def learn(sentences: Iterator[str], vocab_size: int) -> bytes:
        """The model of ``vocab_size`` pieces, 256 of them the bytes."""
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=map(_escape, sentences),
                model_writer=model,
                model_type="bpe",
                vocab_size=vocab_size,
                hard_vocab_limit=False,  # so that we, not the library, say how many pieces the text can give
                pad_id=PAD,
                eos_id=EOS,
                unk_id=UNK,
                bos_id=-1,
                byte_fallback=True,
                character_coverage=0.9999,  # the rarest are spelled in bytes: their own pieces would be untrained
                normalization_rule_name="identity",
                remove_extra_whitespaces=False,
                max_sentence_length=1 << 20,  # bytes; the default would leave out long lines silently
                num_threads=1,
                minloglevel=2,
            )
        except RuntimeError as error:
            smallest = re.search(r"smaller than required_chars\. \d+ vs (\d+)", str(error))
            if smallest is None:
                raise
            _check_size(vocab_size, int(smallest[1]))
        _check_size(vocab_size, BytePairEncoding(model.getvalue()).vocab_size)
        return model.getvalue()

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._processor.encode(_escape(text))
        return ids

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        ids: list[list[int]] = self._processor.encode([_escape(text) for text in texts], num_threads=1)
        return ids

    def sample_batch(self, texts: Sequence[str], dropout: float, seed: int) -> list[list[int]]:
        """A segmentation of each text in which every merge is left out with probability ``dropout``.

        BPE-dropout (Provilkov et al. 2020): a model that sees each word in many pieces learns what the pieces mean.
        Not by SentencePiece's own, whose draws differ from one process to the next in spite of its seed.
        """
        rng = random.Random(seed)
        encoded = []
        for text in texts:
            spaced = "▁" + _escape(text).replace(" ", "▁") if text else ""  # as SentencePiece sees it
            words = re.findall("▁[^▁]*", spaced)  # no piece holds a space elsewhere than at its beginning
            encoded.append([id for word in words for id in self._sample_word(word, dropout, rng)])
        return encoded

    def _sample_word(self, word: str, dropout: float, rng: random.Random) -> list[int]:
        parts, ids = list(word), self._ids
        while True:
            # The merges that are not left out this time; the one learned first has the smallest id.
            merges = [
                (ids[pair], place)
                for place, pair in enumerate(map("".join, pairwise(parts)))
                if pair in ids and rng.random() >= dropout
            ]
            if not merges:
                break
            _, place = min(merges)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        # A character outside the vocabulary is spelled in bytes, whose ids follow the special ones'.
        first_byte = len(SPECIAL_IDS)
        return [
            id
            for part in parts
            for id in ([ids[part]] if part in ids else [first_byte + byte for byte in part.encode("utf-8")])
        ]

    @cached_property
    def _ids(self) -> dict[str, int]:
        """The pieces but special ones and bytes: those of several characters in the order they were learned."""
        first = len(SPECIAL_IDS) + 256
        return {self._processor.id_to_piece(id): id for id in range(first, self.vocab_size)}

    def decode(self, ids: Iterable[int]) -> str:
        return _unescape(self._processor.decode([int(id) for id in ids if id not in SPECIAL_IDS]))

    def piece(self, id: int) -> str:
        return _unescape(self._processor.id_to_piece(int(id)))

    def begins_word(self, id: int) -> bool:
        return self.piece(id).startswith("▁")


_ESCAPE = "\ue000"
_ESCAPES = {"\u2581": _ESCAPE + "1", _ESCAPE: _ESCAPE + "0"}
_UNESCAPES = {written: character for character, written in _ESCAPES.items()}


def _escape(text: str) -> str:
    return re.sub("[\u2581\ue000]", lambda match: _ESCAPES[match[0]], text)


def _unescape(text: str) -> str:
    return re.sub("\ue000[01]", lambda match: _UNESCAPES[match[0]], text)


class WordPiece:
    """Word-pieces: a word is segmented from left to right, each time by the longest piece that fits.

    Words are runs of letters and digits, or of other signs, as in the authors' code (tensor2tensor,
    ``tokenizer.py``); a piece that begins a word carries the space before it, as ``_`` does in Wu et al. 2016,
    section 4.1.  Text is cut into UTF-8 bytes, which are all in the vocabulary, so nothing is ever unknown.
    """

    def __init__(self, model: bytes) -> None:
        """Raises ValueError when ``model`` is not a word-piece model with our special ids."""
        try:
            kind = json.loads(model)["model"]["type"]
            self._tokenizer = tokenizers.Tokenizer.from_str(model.decode("utf-8"))
        except Exception:  # the library raises bare Exception
            raise ValueError("not a subword model") from None
        specials = [self._tokenizer.id_to_token(id) for id in sorted(SPECIAL_IDS)]
        if kind != "WordPiece" or specials != SPECIAL_PIECES:
            raise ValueError(f"a {kind} model that begins with {specials}, not {SPECIAL_PIECES}")
        self._bytes = decoders.ByteLevel()
        vocabulary = self._tokenizer.get_vocab()
        self._pieces = sorted(vocabulary, key=vocabulary.__getitem__)
        self.vocab_size = len(vocabulary)
        self.sha256 = hashlib.sha256(model).hexdigest()

    @staticmethod
    def learn(sentences: Iterator[str], vocab_size: int) -> bytes:
        """The model of ``vocab_size`` pieces, 256 of them the bytes, by merging the most frequent pairs."""
        learner = _word_piece_tokenizer({})
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
        # A new tokenizer, since the learner would take "</s>" in a text for the special token.
        return _word_piece_tokenizer(vocabulary).to_str().encode("utf-8")

    def encode(self, text: str) -> list[int]:
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch_fast([" " + text for text in texts])
        return [encoding.ids for encoding in encodings]

    def decode(self, ids: Iterable[int]) -> str:
        return self._bytes.decode([self._pieces[id] for id in ids if id not in SPECIAL_IDS]).removeprefix(" ")

    def piece(self, id: int) -> str:
        piece = self._pieces[id]
        return piece if id in SPECIAL_IDS else self._bytes.decode([piece]).replace(" ", "▁")

    def begins_word(self, id: int) -> bool:
        return self.piece(id).startswith("▁")


# A word with the space before it, or white space.  No word is longer than 64 characters, since the time that the
# longest match takes grows with the square of the word's length.
_WORDS = r" ?[\p{L}\p{M}\p{N}]{1,64}| ?[^\s\p{L}\p{M}\p{N}]{1,64}|\s{1,64}(?!\S)|\s{1,64}"


def _word_piece_tokenizer(vocabulary: dict[str, int]) -> tokenizers.Tokenizer:
    model = models.WordPiece(
        vocabulary, unk_token=SPECIAL_PIECES[UNK], continuing_subword_prefix="", max_input_chars_per_word=1000
    )
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex(_WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return tokenizer


KINDS: dict[str, type[BytePairEncoding] | type[WordPiece]] = {"bpe": BytePairEncoding, "wordpiece": WordPiece}
