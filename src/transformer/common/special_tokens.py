"""The special tokens, which have the same ids in every vocabulary."""

PAD, EOS, UNK = 0, 1, 2
SPECIAL_PIECES = ["<pad>", "</s>", "<unk>"]  # in the order of their ids
SPECIAL_IDS = frozenset((PAD, EOS, UNK))
