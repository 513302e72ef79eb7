"""Sizes that decide how much time and memory programs take, with which plans count as well."""

# Source tokens times beam size in a batch that is translated.  Larger ones gain speed on a GPU, and nothing on a CPU.
BATCH_TOKENS = {"cpu": 8192, "cuda": 131072}
PARSING_BATCH = 2  # times as much for a parser, whose searches are wide
# Sentences of both sides from which subwords are learned; more would hardly change the pieces.
LEARNING_SAMPLE = 4_000_000
