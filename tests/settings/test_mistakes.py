"""The one line that each mistake in config/ and on the command line gets: the file, the key, and what is right.

The lines are recorded; read the difference when you renew them:

    RECORD_SETTINGS=1 pytest tests/settings/test_mistakes.py
"""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from configuration import ROOT, copy_configuration, edit, message

RECORDED = Path(__file__).parent / "recorded" / "mistakes.txt"
BPE = {"kind": "bpe", "vocab_size": 400}
FILES = {"train": {"el": "text.el", "en": "text.en"}}
MINE = {"inherits": "demo", "corpus": "Mine", "translation": {"el-en": {"files": FILES}}}
SIZES = {"train": 1, "dev": 1, "test": 1}
SOURCE = {"source": "multi30k", "split": "train"}
OWN_TEXT = "translation.en-de.files.train"

# A file of config/, its keys with dots between them or as a list, and what is written there.  `mine` is a scale of
# the user's own, of which each is the whole file, as a text or as what it says.
IN_FILES: list[tuple[str, str | list[str], Any]] = [
    # What no YAML file of ours can say.
    ("mine", "", "corpus: a\ncorpus: b\n"),
    ("mine", "", "corpus: [\n"),
    ("mine", "", "- corpus\n"),
    ("mine", "", ""),
    ("mine", "", "inherits: demo\n1: 2\n"),
    ("mine", "", "inherits: demo\nsettings: {no: 2, 1: 2}\n"),
    ("mine", "", "inherits: demo\ngrammar: {train: &a [*a]}\n"),
    # The section of a scale.
    ("demo", "clena", {}),
    ("demo", "clean", None),
    ("demo", "clean", 7),
    ("demo", "clean", {"max_length": 7, "max_ratio": 2}),
    ("demo", "clean.max_lenght", 7),
    ("demo", "clean.max_length", 0),
    ("demo", "clean.max_length", 175.0),
    ("demo", "clean.max_length", True),
    ("demo", "clean.max_ratio", 0.5),
    ("demo", "clean.max_ratio", "2"),
    ("demo", "clean.max_ratio", float("nan")),
    ("demo", "clean.deduplicate", "yes"),
    ("demo", "data_threads", 0),
    ("demo", "corpus", "a\x1b[31mred"),
    ("demo", "corpus", "half \ud83d"),
    ("demo", "corpus", "--seeds 5"),
    ("demo", "corpus", ""),
    ("demo", "corpus", 2014),
    ("demo", "corpus", "x" * 10_001),
    ("demo", "grammar", {"train": 5}),
    ("demo", "grammar.train", -5),
    ("demo", "translation", {}),
    ("demo", "translation.german", {"subwords": BPE}),
    ("demo", "translation.en-it", {"subwords": BPE}),
    ("demo", "translation.en-de", {}),
    ("demo", "translation.en-de.source", "multi30k"),
    ("demo", "translation.en-de.subwords.kind", "bppe"),
    ("demo", "translation.en-de.subwords.kind", None),
    ("demo", "translation.en-de.subwords.vocab_size", 256),
    ("demo", "translation.en-de.subwords", "bpe"),
    ("demo", "translation.en-de.clean.max_pair", 7),
    ("demo", "parsing.words", "tag"),
    ("demo", "parsing.bpe_dropout", 1),
    ("demo", "parsing.silver.min_f1", 0),
    ("demo", "parsing.silver.text", "gramar"),
    ("demo", "parsing.silver.texts", "grammar"),
    ("demo", "parsing.treebank", "trees\x00"),
    ("demo", "expected.en-dee", {"pairs": 1, "source_tokens": 2, "target_tokens": 2}),
    ("demo", "expected.en-trees.pairs", 1.5),
    ("demo", "attention.long_distance.word", "had"),
    ("demo", "attention.long_distance", {"sentence": "A dog runs.", "test_line": 7, "word": "runs"}),
    ("demo", "attention.long_distance", {"word": "runs"}),
    ("demo", "attention.anaphora.antecedents", "box"),
    ("demo", "shrink.d_model", 0.5),
    ("demo", "shrink.d_modle", 2),
    ("demo", "shrink.dropout", 2),
    ("demo", "table2", []),
    ("demo", "table2", ["base", "base"]),
    ("demo", "table2", ["mine"]),
    ("demo", "table2", "base"),
    ("demo", "seed", 2),
    ("demo", "dropout", 0.3),
    ("demo", "inherits", "smal"),
    ("demo", "inherits", "demo"),
    # Settings of runs.
    ("demo", "settings.dropuot", 0.1),
    ("demo", "settings", {"threads": 1}),
    ("demo", "settings.steps", "2000"),
    ("demo", "settings.steps", 2e3),
    ("demo", "settings.steps", 1 << 40),
    ("demo", "settings.dropout", 1),
    ("demo", "settings.dropout", -0.1),
    ("demo", "settings.dropout", None),
    ("demo", "settings.tied_softmax", 1),
    ("demo", "settings.positions", "learnt"),
    ("demo", "settings.processes", "aut"),
    ("demo", "settings.processes", 0),
    ("demo", "settings.numerics", "fp16"),
    ("demo", "settings.buckets_per_doubling", 3),
    ("demo", "settings.vocabulary_rows", 0),
    ("demo", "settings.average_checkpoints", 21),
    ("demo", "settings.checkpoint_every_steps", 400),
    ("demo", "settings.device", "cuda"),
    ("demo", "settings.corpus", "x"),
    ("demo", "settings.scale", "small"),
    ("demo", "shrink.d_model", 3),
    ("demo", "runs.mine", None),
    ("demo", "runs.mine", 7),
    ("demo", "runs.mine", {"d_model": 97}),
    ("demo", "runs.mine", {"d_modell": 96}),
    ("demo", "runs.mine", {"positions": "words", "d_model": 98}),
    ("demo", "runs.mine", {"encoder_layer": "recurrent", "d_model": 97, "positions": "learned"}),
    ("demo", "runs.mine", {"batch_tokens": 200}),
    ("demo", "runs.mine", {"nbest": 5}),
    ("demo", "runs.mine", {"kernel_size": 4}),
    ("demo", "runs.mine", {"window_size": 5}),
    ("demo", "runs.mine", {"pairs": {"en-de": {"N": 2}}}),
    ("demo", "runs.E-learned", {"max_positions": 64}),
    ("runs", "big.d_modle", 1024),
    ("runs", "big.d_model", "1024"),
    ("runs", "big.pairs.en-fr.dropuot", 0.1),
    ("runs", "big.pairs.english.dropout", 0.1),
    ("runs", "mine", {"pairs": {"el-en": {"dropout": 0.25}}}),
    ("runs", "mine", 7),
    ("runs", "base", None),
    *(
        (file, [*keys, name], {"N": 4})
        for file, keys in (("runs", []), ("demo", ["runs"]))
        for name in ("a run", "a/b", "..", "größer", "mine-seed2", "copy")
    ),
    # What is downloaded.
    ("small", "translation.en-fr.source", "multi30"),
    ("small", "translation.en-fr.source", "newstest2013"),
    ("small", "translation.en-fr.source", 7),
    ("small", "translation.en-fr.source", {"train": ["multi30k"], "dev": ["multi30k"]}),
    ("small", "translation.en-fr.source", {"train": "multi30k", "dev": ["multi30k"], "test": "multi30k"}),
    ("paper", "translation.en-de.source.test", ["newstest2014", "newstest2014-filtered"]),
    ("paper", "translation.en-de.source.test", "newstest2014-filtered"),
    ("small", "parsing.source", "nltk-treebnk"),
    ("small", "parsing.silver.text", "grammar"),
    ("small", "parsing.silver.text", [SOURCE, SOURCE]),
    ("small", "parsing.silver.text", [SOURCE | {"split": "trian"}]),
    ("small", "parsing.silver.text", []),
    # A scale of the user's own.
    ("mine", "", {"inherits": "smal"}),
    ("mine", "", {"inherits": "mine"}),
    ("mine", "", {"inherits": 7}),
    ("mine", "", {key: value for key, value in MINE.items() if key != "corpus"}),
    ("mine", "", {key: value for key, value in MINE.items() if key != "inherits"}),
    ("mine", "", {"inherits": "demo", "shrik": {}}),
    ("mine", "", {"inherits": "demo", "shrink": {}}),
    ("mine", "", MINE | {"parsing": {"source": "grammar"}}),
    ("mine", "", MINE | {"grammar": SIZES}),
    ("mine", "", MINE | {"licence": ["CC"]}),
    ("mine", "", MINE | {"translation": {"el-en": {"files": {}}}}),
    ("mine", "", MINE | {"translation": {"el-en": {"files": FILES | {"tset": 100}}}}),
    ("mine", "", MINE | {"translation": {"el-en": {"files": FILES | {"test": 0}}}}),
    ("mine", "", MINE | {"translation": {"el-en": FILES}}),
    ("mine", "", MINE | {"translation": 7}),
    # Settings that are gone.
    *(("demo", key, ["a"]) for key in ("further_tests", "nodes", "choose_on_dev")),
    ("demo", "runs.parser.choose_on_dev", True),
    ("runs", "base.nodes", 2),
]
ON_THE_COMMAND_LINE: list[dict[str, Any]] = [
    {"sclae": "demo"},
    {"scale": "smal"},
    {"scale": 7},
    {"scale": None},
    *({"scale": name} for name in ("a{b}", "a'b", "$(id)", '"x"', "-x", "<b>", "curves", "own")),
    {"seed": -1},
    {"seed": "1"},
    {"seed": 1.5},
    {"seed": None},
    {"seeds": ["1", "x"]},
    {"seeds": []},
    {"seeds": [1, 1]},
    {"seeds": 3},
    {"track": "wandb"},
    {"table2": ["base", "bigg"]},
    {"table2": ["base-seed2"]},
    {"table2": "base"},
    {"layer_rows": "yes"},
    {"jobs_per_gpu": 0},
    {"jobs_per_gpu": "2"},
    {"silver_text": "a", "silver_trees": "b"},
    {"silver_text": ""},
    {"treebank": "penn"},
    {"mirror": "-x"},
    {"silver_text": "x\ny"},
    {"steps": 100},
    {"d_model": 512},
    {"sentence": "A dog runs."},
    {"nodes": 2},
    {"table2_measures": ["chrf"]},
]


def shown(project: Path, name: str, **changes: Any) -> str:
    """The mistake, and its line below it; nothing, if it is none."""
    try:
        line = message(project, **changes)
    except pytest.fail.Exception:
        line = "NO MISTAKE"
    return f"{name}\n    {line.replace(str(project), '…')}\n"


def short(value: Any) -> str:
    return ascii(value) if len(ascii(value)) < 200 else f"{value!a:.20}…"


def test_the_lines_are_those_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ""
    for number, (file, keys, value) in enumerate(IN_FILES):
        project = copy_configuration(tmp_path / str(number))
        monkeypatch.chdir(project)
        keys = keys.split(".") if isinstance(keys, str) else keys
        if file == "mine":
            content = value if isinstance(value, str) else yaml.safe_dump(value, sort_keys=False)
            (project / "config" / "mine.yaml").write_text(content)
        else:
            edit(project, f"{file}.yaml", *keys, value=value)
        needed = {"treebank": "penn"} if file == "paper" else {}
        name = f"{file}.yaml, {'.'.join(keys)}: {short(value)}"
        text += shown(project, name, scale="demo" if file == "runs" else file, **needed)
    monkeypatch.chdir(ROOT)
    project = copy_configuration(tmp_path)
    for changes in ON_THE_COMMAND_LINE:
        scale = changes.get("scale")
        if isinstance(scale, str) and not scale.startswith("sma"):
            (project / "config" / f"{scale}.yaml").write_text("inherits: demo\n")
        text += shown(project, f"--config {changes}", **changes)
    if os.environ.get("RECORD_SETTINGS"):
        RECORDED.write_text(text)
    assert text == RECORDED.read_text()


def test_a_scale_that_a_queued_experiment_of_dvc_lacks(tmp_path: Path) -> None:
    """It runs in a copy of what git tracks."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "mine.yaml").touch()
    copy = copy_configuration(tmp_path / ".dvc" / "tmp" / "exps" / "tmp1")
    assert "git does not track config/mine.yaml, so DVC's copy" in message(copy, scale="mine")
    assert "unknown scale 'yours'" in message(copy, scale="yours")
