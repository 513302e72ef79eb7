"""A subword vocabulary as the ``tokenizer.json`` of Hugging Face's tokenizers, with the same token ids.

Both kinds of vocabularies become one, so that one class of that library reads both.  EOS is added at the end of each
text.  PAD is the last entry, as in Marian's models (see ``marian.py``), and entry 0 has another name.
"""

import json
from collections.abc import Sequence
from typing import Any

import sentencepiece
import tokenizers
from tokenizers import decoders, models, normalizers, processors

from transformer.common.special_tokens import EOS, PAD, SPECIAL_PIECES, UNK
from transformer.subwords.bpe import FIRST_BYTE


def tokenizer_json(model: bytes, rows: int) -> str:
    """Return the content of ``tokenizer.json`` for the file ``subwords.model``; the last of ``rows`` + 1 ids is PAD."""
    tokenizer = word_pieces(model, rows) if model.startswith(b"{") else byte_pairs(model, rows)
    eos = SPECIAL_PIECES[EOS]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {eos}", pair=f"$A $B {eos}", special_tokens=[(eos, EOS)]
    )
    tokenizer.add_special_tokens(
        [tokenizers.AddedToken(SPECIAL_PIECES[id], normalized=False, special=True) for id in (EOS, UNK, PAD)]
    )
    text: str = tokenizer.to_str(pretty=True)
    return text + "\n"


def tokenizer_config() -> dict[str, Any]:
    """Return the content of ``tokenizer_config.json``."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "eos_token": SPECIAL_PIECES[EOS],
        "pad_token": SPECIAL_PIECES[PAD],
        "unk_token": SPECIAL_PIECES[UNK],
        "model_input_names": ["input_ids", "attention_mask"],
        "split_special_tokens": True,  # "</s>" in a text is text
    }


def vocabulary(pieces: Sequence[str], rows: int) -> dict[str, int]:
    """Return the id of each of a model's ``rows`` entries, and of PAD, which comes after them.

    Entries that are never output get names of their own.
    """
    names = [*pieces, *(f"<unused{id}>" for id in range(len(pieces), rows)), SPECIAL_PIECES[PAD]]
    names[PAD] = f"<unused{PAD}>"
    return {name: id for id, name in enumerate(names)}


def pieces_of(model: bytes) -> list[str]:
    """Return the written forms of all tokens in the file ``subwords.model``, in the order of their ids."""
    if model.startswith(b"{"):
        ids: dict[str, int] = json.loads(model)["model"]["vocab"]
        return sorted(ids, key=ids.__getitem__)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(id) for id in range(processor.get_piece_size())]


def byte_pairs(model: bytes, rows: int) -> tokenizers.Tokenizer:
    """Return the tokenizer of a SentencePiece model of byte-pair encoding."""
    pieces = pieces_of(model)
    learned = {piece: id for id, piece in enumerate(pieces) if id >= FIRST_BYTE + 256}
    # In the order of their ids, which is that in which they were learned and are applied.
    merges = [
        (piece[:end], piece[end:])
        for piece in learned
        for end in range(1, len(piece))
        if piece[:end] in learned and piece[end:] in learned
    ]
    tokenizer = tokenizers.Tokenizer(
        models.BPE(vocabulary(pieces, rows), merges, byte_fallback=True, unk_token=SPECIAL_PIECES[UNK])
    )
    # As bpe.py: U+2581 stands for a space, so in the text it is escaped, and so is the character that escapes it.
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace("\ue000", "\ue0000"),
            normalizers.Replace("\u2581", "\ue0001"),
            normalizers.Prepend("\u2581"),
            normalizers.Replace(" ", "\u2581"),
        ]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Replace("\u2581", " "),
            decoders.Strip(" ", 1, 0),
            decoders.Replace("\ue0001", "\u2581"),
            decoders.Replace("\ue0000", "\ue000"),
        ]
    )
    return tokenizer


def word_pieces(model: bytes, rows: int) -> tokenizers.Tokenizer:
    """Return the tokenizer of word-pieces, whose file already is one, with the space that begins each text."""
    content = json.loads(model)
    content["model"]["vocab"] = vocabulary(pieces_of(model), rows)
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(content))
    tokenizer.normalizer = normalizers.Prepend(" ")
    tokenizer.decoder = decoders.Sequence([decoders.ByteLevel(), decoders.Strip(" ", 1, 0)])
    return tokenizer
