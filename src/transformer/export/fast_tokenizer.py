"""A subword vocabulary as the ``tokenizer.json`` of Hugging Face's tokenizers, with the same token ids.

Marian's own tokenizer reads SentencePiece only, and has no escape of U+2581; this class reads word-pieces as well, and
so does CTranslate2.  EOS is added at the end of each text.  PAD is the last entry, as in Marian's models (see
``marian.py``), and entry 0 has another name.
"""

import json

import sentencepiece
import tokenizers
from tokenizers import decoders, models, normalizers, processors

from transformer.common.special_tokens import EOS, PAD, SPECIAL_PIECES, UNK
from transformer.subwords.bpe import ESCAPES, FIRST_BYTE

# The content of ``tokenizer_config.json``.
TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "clean_up_tokenization_spaces": False,
    "eos_token": SPECIAL_PIECES[EOS],
    "pad_token": SPECIAL_PIECES[PAD],
    "unk_token": SPECIAL_PIECES[UNK],
    "model_input_names": ["input_ids", "attention_mask"],
    "split_special_tokens": True,  # "</s>" in a text is text
}


def tokenizer_json(model: bytes, rows: int) -> str:
    """Return the content of ``tokenizer.json`` for the file ``subwords.model``; the last of ``rows`` + 1 ids is PAD."""
    pieces = pieces_of(model)
    # Entries that are never output get names of their own.
    names = [*pieces, *(f"<unused{id}>" for id in range(len(pieces), rows)), SPECIAL_PIECES[PAD]]
    names[PAD] = f"<unused{PAD}>"
    ids = {name: id for id, name in enumerate(names)}
    tokenizer = word_pieces(model, ids) if model.startswith(b"{") else byte_pairs(pieces, ids)
    eos = SPECIAL_PIECES[EOS]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {eos}", pair=f"$A $B {eos}", special_tokens=[(eos, EOS)]
    )
    special = [SPECIAL_PIECES[id] for id in (EOS, UNK, PAD)]
    tokenizer.add_special_tokens([tokenizers.AddedToken(piece, normalized=False) for piece in special])
    text: str = tokenizer.to_str(pretty=True)
    return text + "\n"


def pieces_of(model: bytes) -> list[str]:
    """Return the written forms of all tokens in the file ``subwords.model``, in the order of their ids."""
    if model.startswith(b"{"):
        ids: dict[str, int] = json.loads(model)["model"]["vocab"]
        return sorted(ids, key=ids.__getitem__)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(id) for id in range(processor.get_piece_size())]


def byte_pairs(pieces: list[str], ids: dict[str, int]) -> tokenizers.Tokenizer:
    """Return the tokenizer of byte-pair encoding with these pieces, which ``ids`` numbers."""
    learned = dict.fromkeys(pieces[FIRST_BYTE + 256 :])
    # In the order of their ids, which is that in which they were learned and are applied.
    splits = ((piece[:end], piece[end:]) for piece in learned for end in range(1, len(piece)))
    merges = [(left, right) for left, right in splits if left in learned and right in learned]
    model = models.BPE(ids, merges, byte_fallback=True, unk_token=SPECIAL_PIECES[UNK])
    tokenizer = tokenizers.Tokenizer(model)
    escaped = [normalizers.Replace(*escape) for escape in ESCAPES.items()]
    spaces = [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
    tokenizer.normalizer = normalizers.Sequence([*escaped, *spaces])
    joined = [decoders.ByteFallback(), decoders.Fuse(), decoders.Replace("\u2581", " ")]
    unescaped = [decoders.Replace(escape, text) for text, escape in reversed(ESCAPES.items())]
    tokenizer.decoder = decoders.Sequence([*joined, decoders.Strip(" ", 1, 0), *unescaped])
    return tokenizer


def word_pieces(model: bytes, ids: dict[str, int]) -> tokenizers.Tokenizer:
    """Return the tokenizer of word-pieces, whose file already is one, with the space that begins each text."""
    content = json.loads(model)
    content["model"]["vocab"] = ids
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(content))
    tokenizer.normalizer = normalizers.Prepend(" ")
    tokenizer.decoder = decoders.Sequence([decoders.ByteLevel(), decoders.Strip(" ", 1, 0)])
    return tokenizer
