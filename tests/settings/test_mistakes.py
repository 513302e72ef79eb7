"""The one line that each mistake in the file of a scale gets: the file, the key, and what is valid."""

from pathlib import Path
from typing import Any

import pytest
from configuration import copy_configuration, edit, message

SUBWORDS = {"kind": "bpe", "vocab_size": 400}
SILVER = {"source": "multi30k", "split": "train"}
SENTENCE = {"sentence": "A dog runs.", "test_line": 7, "word": "runs"}


@pytest.mark.parametrize(
    ("keys", "value", "expected"),
    [
        ("corpus", "a\x1b[31mred", "corpus: the character U+001B cannot be part of one line; remove it"),
        ("corpus", "half \ud83d", "corpus: the character U+D83D cannot be part of one line; remove it"),
        ("corpus", "--seeds 5", "corpus: '--seeds 5' begins with '-', as an option does"),
        ("settings.dropuot", 0.1, "settings: unknown key 'dropuot'; did you mean 'dropout'?"),
        ("settings", {"threads": 1}, "run base, en-de: missing key 'validate_every_steps'"),
        ("settings.average_checkpoints", 21, "average_checkpoints is 21, but keep_checkpoints is 5"),
        ("settings.checkpoint_every_steps", 400, "with checkpoint_every_steps 400 write"),
        ("settings.device", "cuda", "base, en-de: numerics is portable, which needs the CPU"),
        ("shrink.d_model", 3, "run base, en-de: d_model is 171; sinusoids come in pairs, so it must be even"),
        ("runs.mine", None, "runs: mine is None; it must be a mapping (settings of a run, e.g. "),
        ("runs.mine", {"d_model": 97}, "run mine, en-de: d_model is 97; sinusoids come in pairs"),
        ("runs.mine", {"batch_tokens": 200}, "run mine, en-de: max_length is 256; it must not be more than "),
        ("runs.E-learned", {"max_positions": 64}, "max_positions is 64, but max_length is 256"),
        ("runs.mine", {"window_size": 5}, "run mine, en-de: window_size is set, but only "),
        ("translation.en-it", {"subwords": SUBWORDS}, "unknown language pair of the grammar 'en-it'"),
        ("translation.en-de.source", "multi30k", "give either `grammar` or this pair's"),
        ("attention.long_distance.word", "had", "word: 'had' is not in the sentence"),
        ("attention.long_distance", SENTENCE, "give exactly one of sentence, test_line"),
        ("table2", ["mine"], "table2: unknown run 'mine'; valid: base, big, A-h1"),
    ],
)
def test_of_generated_text(project: Path, keys: str, value: Any, expected: str) -> None:
    edit(project, "demo.yaml", *keys.split("."), value=value)
    line = message(project)
    assert line.startswith("config/demo.yaml: ")
    assert expected in line


@pytest.mark.parametrize(
    ("keys", "value", "expected"),
    [
        ("translation.en-fr.source", "multi30", "unknown source 'multi30'; did you mean"),
        ("translation.en-fr.source", "newstest2013", "newstest2013 has no train split in en"),
        ("parsing.source", "nltk-treebnk", "unknown treebank 'nltk-treebnk'; did you mean 'nltk-treebank'?"),
        ("parsing.silver.text", "grammar", "parsing.silver.text: the text of the grammar needs `grammar`"),
        # Each source of raw text may be named once.
        ("parsing.silver.text", [SILVER] * 2, "it must be without repetitions"),
    ],
)
def test_of_downloaded_text(project: Path, keys: str, value: Any, expected: str) -> None:
    edit(project, "small.yaml", *keys.split("."), value=value)
    line = message(project, scale="small")
    assert line.startswith("config/small.yaml: ")
    assert expected in line


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sclae": "demo"}, "unknown key 'sclae'; did you mean 'scale'? valid: scale, seed"),
        ({"scale": "smal"}, "unknown scale 'smal'; did you mean 'small'?"),
        # The command line gives texts.
        ({"seeds": ["1", "x"]}, "seeds.1 is 'x'; it must be a whole number"),
        ({"track": "wandb"}, "track is 'wandb'; it must be one of tensorboard, null (what shows"),
        ({"table2": ["base", "bigg"]}, "table2: unknown run 'bigg'; did you mean 'big'? "),
        ({"table2": ["base-seed2"]}, "table2: unknown run 'base-seed2'"),
        ({"silver_text": "a", "silver_trees": "b"}, "silver_text and silver_trees are both set"),
        ({"treebank": "penn"}, "treebank: only a scale with `parsing: source: wsj` reads it"),
        ({"sentence": "A dog runs."}, "sentence is not a setting any more: the page shows any sentence;"),
        ({"mirror": "-x"}, "mirror: '-x' begins with '-'"),
        ({"silver_text": "x\ny"}, "silver_text: the character U+000A cannot be part of one line"),
    ],
)
def test_of_the_command_line(changes: dict[str, Any], expected: str) -> None:
    line = message(**changes)
    assert line.startswith("config/config.yaml or --config: ")
    assert expected in line


def test_a_scale_that_a_queued_experiment_of_dvc_lacks(tmp_path: Path) -> None:
    """It runs in a copy of what git tracks."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "mine.yaml").touch()
    copy = copy_configuration(tmp_path / ".dvc" / "tmp" / "exps" / "tmp1")
    assert "git does not track config/mine.yaml, so DVC's copy" in message(copy, scale="mine")
    assert "unknown scale 'yours'" in message(copy, scale="yours")
