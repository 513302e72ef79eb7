"""The losses of the first steps in several settings are those that belong to TRAINING_VERSION.

When a change of training is meant to change them, raise TRAINING_VERSION (src/transformer/training/version.py) and
renew the file of the losses:

    RENEW_GOLDEN_LOSSES=1 python -m pytest tests/training/test_golden_losses.py
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import tiny

from transformer.model.positions import WordPositions
from transformer.training.version import TRAINING_VERSION

FILE = Path(__file__).with_name("golden_losses.json")
COMMAND = "RENEW_GOLDEN_LOSSES=1 python -m pytest tests/training/test_golden_losses.py"
VOCAB_SIZE = 20
TOLERANCE = 1e-4  # relative: processors differ in the order of fp32 sums, in these losses by less than 1e-6

NO_DROPOUT = {"dropout": 0.0, "attention_dropout": 0.0, "relu_dropout": 0.0}
# Changes of the model's and of the training's settings.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": (NO_DROPOUT, {"label_smoothing": 0.0}),
    "dropout and label smoothing": ({}, {}),
    "gradient accumulation": ({}, {}),
    "separate vocabularies": ({"target_vocab_size": VOCAB_SIZE}, {}),
    "learned positions": ({"positions": "learned"}, {}),
    "word positions": ({"positions": "words"}, {}),
    "attention bias": ({"attention_bias": True}, {}),
    "as T2T": (
        {"positions": "halves", "target_space": True, "vocabulary_rows": 24, "attention_bias": True},
        {"buckets_per_doubling": 2},
    ),
    "recurrent": ({"encoder_layer": "recurrent"}, {}),
    "convolutional": ({"encoder_layer": "convolutional"}, {}),
    "restricted": ({"encoder_layer": "restricted"}, {}),
}


def losses(case: str, folder: Path) -> list[float]:
    """The loss of each of six steps."""
    pairs = []
    for i in range(40):
        source = [2 + (7 * i + 3 * j + i * j) % (VOCAB_SIZE - 2) for j in range(1 + i % 8)]
        pairs.append((source, [2 + (5 * i + 7 * j) % (VOCAB_SIZE - 2) for j in range(1 + 3 * i % 7)]))
    model_changes, training_changes = CASES[case]
    max_tokens = 30 if case == "gradient accumulation" else 120
    store, model = tiny.dataset(folder / "train", pairs, VOCAB_SIZE), {"N": 2} | model_changes
    trainer = tiny.trainer(folder, store, model=model, max_tokens=max_tokens, **training_changes)
    if isinstance(trainer.model.positions, WordPositions):
        words = [id % 3 == 0 for id in range(VOCAB_SIZE)]
        trainer.model.positions.set_words(words, words)
    return [
        round(trainer.read_loss(trainer.train_step(work), work.target_tokens), 6) for work in trainer.work()
    ]


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The content of the file, which is written anew if the environment asks for it."""
    content: dict[str, Any] = json.loads(FILE.read_text())
    if os.environ.get("RENEW_GOLDEN_LOSSES"):
        # Those of this version stay to the last digit, which depends on the processor; the tests below compare them.
        known = content["losses"] if content["training_version"] == TRAINING_VERSION else {}
        found = {case: known.get(case) or losses(case, tmp_path_factory.mktemp("golden")) for case in CASES}
        content = {"training_version": TRAINING_VERSION, "losses": found}
        FILE.write_text(json.dumps(content, indent=2) + "\n")
    return content


def test_the_file_belongs_to_this_version(golden: dict[str, Any]) -> None:
    assert golden["training_version"] == TRAINING_VERSION, f"TRAINING_VERSION has changed; run {COMMAND}"
    assert golden["losses"].keys() == CASES.keys(), f"the settings have changed; run {COMMAND}"


@pytest.mark.parametrize("case", CASES)
def test_the_losses_are_those_of_this_version(case: str, golden: dict[str, Any], tmp_path: Path) -> None:
    assert losses(case, tmp_path) == pytest.approx(golden["losses"][case], rel=TOLERANCE), (
        "training gives other losses than before.  If that is not meant, undo the change.  If it is, raise "
        f"TRAINING_VERSION in src/transformer/training/version.py, then run {COMMAND}"
    )
