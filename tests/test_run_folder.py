"""``from transformer import load``, on the folder of a run of a tiny project."""

import copy
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
import torch
from configuration import copy_configuration
from fake_runs import write_scores
from made_artifacts import change, write_training

from transformer import load
from transformer.common.artifacts import write_artifact
from transformer.common.errors import UserError
from transformer.decoding import translate
from transformer.model.storage import save_model
from transformer.model.transformer import Transformer
from transformer.parsing.learn_symbols import learn_symbols
from transformer.settings.run_settings import TransformerConfig
from transformer.subwords.learn_subwords import learn_subwords
from transformer.subwords.vocabularies import load_vocabularies

TREES = "(S (NP DT NN )NP VBZ )S\n(S NNP VBZ (NP DT )NP )S\n"


@pytest.fixture
def run(tiny_run: Path, tiny_model: Path, tmp_path: Path) -> Path:
    """A run on EN-DE at a scale that no configuration has, with an averaged model."""
    folder = tmp_path / "results" / "tiny" / "runs" / "base" / "en-de"
    folder.mkdir(parents=True)
    shutil.copy(tiny_run / "config.json", folder)
    data = tmp_path / "data" / "tiny" / "subwords" / "en-de"
    data.mkdir(parents=True)
    shutil.copy(tiny_run / "subwords.model", data)
    shutil.copytree(tiny_model, folder / "averaged")
    write_training(folder)
    return folder


def subwords_of(run: Path) -> Path:
    return run.parents[4] / "data" / "tiny" / "subwords" / "en-de" / "subwords.model"


def message(folder: Path) -> str:
    with pytest.raises(UserError) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_model_of_other_settings_than_config_json(run: Path) -> None:
    """As while it is trained again: averaged/ is still the old one."""
    (run / "training.json").unlink()
    assert "its model is of other settings than config.json, or is being trained; train it" in message(run)
    write_training(run, config_sha256="a" * 64)
    assert "its model is of other settings than config.json" in message(run)


def test_translations_are_those_of_the_script(run: Path, tmp_path: Path) -> None:
    lines = ["a dog runs", "", "Ж漢字🙂", "birds sing while cats sleep"]
    (tmp_path / "in").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = ["--input", tmp_path / "in", "--output", tmp_path / "out"]
    model = ["--model", run / "averaged", "--subwords", subwords_of(run)]
    assert tiny.run(translate.main, *model, *files) == 0
    loaded = load(str(run))
    assert loaded.model.arithmetic.precision == "fp32"  # the training's
    assert loaded.beam == tiny.beam(4, 0.6, 50)  # the paper's, since the run has no scores
    assert loaded.translate(lines) == (tmp_path / "out").read_text(encoding="utf-8").split("\n")[:-1]


def test_the_beam_search_is_that_of_the_scores(run: Path) -> None:
    """Whatever the configuration of the scale says by now."""
    project = copy_configuration(run.parents[4])
    demo = (project / "config" / "demo.yaml").read_text()
    changed = demo.replace("\nsettings:\n", "\nsettings:\n  beam_size: 7\n")
    (project / "config" / "tiny.yaml").write_text(changed)
    shutil.copytree(run / "averaged", run / "last")
    for place, beam in (("last", tiny.beam(3, 0.0, 20)), (".", tiny.beam(5, 0.1, 30))):
        decoding = {"search": {**beam.model_dump(), "precision": "fp32"}}
        write_scores(run / place, run / "config.json", "en-de", 7.1)
        change(run / place / "scores.json", decoding=decoding)
    assert load(run).beam == tiny.beam(5, 0.1, 30)
    shutil.rmtree(run / "averaged")
    assert load(run).beam == tiny.beam(3, 0.0, 20)


def test_an_average_of_an_earlier_training_is_not_taken(run: Path) -> None:
    """As when only the last checkpoint of a run with new settings was made and scored."""
    shutil.copytree(run / "averaged", run / "last")
    for place in (".", "last"):
        write_scores(run / place, run / "config.json", "en-de", 7.1)
    change(run / "scores.json", files={"config": {"name": "config.json", "sha256": "a" * 64}})
    beam = {"beam_size": 3, "alpha": 0.0, "max_extra_tokens": 20, "precision": "fp32"}
    change(run / "last" / "scores.json", decoding={"search": beam})
    assert load(run).beam == tiny.beam(3, 0.0, 20)
    shutil.rmtree(run / "last")
    assert "its model is of other settings than config.json" in message(run)


def test_attention_between_words(run: Path) -> None:
    attention = load(run).attention("a dog runs", "cats sleep")
    assert attention["encoder"].queries == attention["cross"].keys == ["a", "dog", "runs", "<EOS>"]
    assert attention["decoder"].keys == ["<start>", "cats", "sleep"]
    weights = attention["cross"].weights
    assert weights.shape == (2, 3, 3, 4)  # layers, heads, queries, keys
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3, 3))
    with pytest.raises(UserError, match="one of them is empty"):
        load(run).attention("a dog runs", " ")


def test_folders_without_a_trained_model(run: Path) -> None:
    assert "not the folder of a run" in message(run.parent)
    shutil.rmtree(run / "averaged")
    assert message(run).endswith(
        f"has no trained model yet; make one: snakemake --cores all {run}/averaged/model.json"
    )


def test_without_its_vocabulary(run: Path) -> None:
    subwords_of(run).unlink()
    assert "subwords.model: no such file" in message(run)


def test_a_parser(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "tiny" / "runs" / "parser" / "en-trees"
    data = tmp_path / "data" / "tiny" / "subwords" / "en-trees"
    folder.mkdir(parents=True)
    write_artifact(folder / "config.json", tiny.run_config() | {"run": "parser", "pair": "en-trees"})
    (tmp_path / "text").write_text("The dog runs\nRex sees the\n" * 20)
    (tmp_path / "trees").write_text(TREES)
    learn_subwords("bpe", [tmp_path / "text"], 280, data, seed=1)
    learn_symbols([tmp_path / "trees"], data / "symbols.json", None)
    vocabularies = load_vocabularies(data / "subwords.model", data / "symbols.json")
    model = Transformer(TransformerConfig(**vocabularies.sizes, **tiny.model_config()))
    save_model(folder / "averaged", model, vocabularies.sha256, "fp32")
    write_training(folder)
    parser = load(folder)
    assert parser.beam == tiny.beam(21, 0.3, 300)
    (parsed,) = parser.parse(["The dog runs"])
    assert parsed.well_formed
    assert parsed.tree.leaves() == ["The", "dog", "runs"]
    with pytest.raises(UserError, match="use parse"):
        parser.translate(["The dog runs"])


def test_a_translation_model_does_not_parse(run: Path) -> None:
    with pytest.raises(UserError, match="use translate"):
        load(run).parse(["a dog"])


def test_nothing_is_imported_before_load() -> None:
    program = "import sys, transformer; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_one_text_is_no_list_of_sentences(run: Path) -> None:
    """Each of its characters would be translated by itself."""
    loaded = load(run)
    for name in ("translate", "parse"):
        expected = rf"{name} takes a list of sentences; write {name}\(\['a dog'\]\)"
        with pytest.raises(UserError, match=expected):
            getattr(loaded, name)("a dog")
    assert loaded.translate(line for line in ["a dog"]) == loaded.translate(["a dog"])


@pytest.mark.parametrize(
    ("sentences", "said"),
    [
        (None, "translate takes a list of sentences, but got the type NoneType"),
        (b"a dog", "translate takes a list of sentences, but got the type bytes"),
        ({"a dog"}, "translate takes a list of sentences, but got the type set"),
        ({"en": "a dog"}, "but got the type dict"),
        (pd.DataFrame({"en": ["a dog"]}), "but got the type DataFrame"),
        (pd.Series(["a dog", float("nan")]), r"translate: sentences\[1\] is nan, of the type float"),
        (["a dog", None], r"translate: sentences\[1\] is None, of the type NoneType"),
        (iter([b"a dog"]), r"translate: sentences\[0\] is b'a dog', of the type bytes"),
        (["a dog", "cats \ud83d sleep"], r"translate: sentences\[1\] has half of a character, .* at \[5\]"),
    ],
)
def test_what_is_no_list_of_texts_is_one_line_with_its_place(run: Path, sentences: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        load(run).translate(sentences)


def test_a_column_of_a_table_is_a_list(run: Path) -> None:
    loaded = load(run)
    assert loaded.translate(pd.Series(["a dog"])) == loaded.translate({"en": "a dog"}.values())


def test_attention_needs_two_texts_and_load_a_folder(run: Path) -> None:
    with pytest.raises(UserError, match=r"attention: sentences\[1\] is 3, of the type int"):
        load(run).attention("a dog", 3)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="load takes the folder of a run"):
        load(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda loaded: pickle.loads(pickle.dumps(loaded))],  # noqa: S301 - its own
)
def test_a_copy_of_a_used_model_translates_alike(run: Path, copied: Callable[[Any], Any]) -> None:
    loaded = load(run)
    translations = loaded.translate(["a dog runs"])
    assert copied(loaded).translate(["a dog runs"]) == translations


# Threads begin with large matrices.
FORK = """
import multiprocessing, sys, torch
from transformer import load
torch.set_num_threads(2)
loaded = load(sys.argv[1])
def work(_):
    torch.ones(1000, 1000).exp() @ torch.ones(1000, 1000)
    return loaded.translate(["a dog runs"])
here = work(0)
with multiprocessing.get_context("fork").Pool(2) as pool:
    there = pool.map_async(work, [0, 1]).get(timeout=60)
assert there == [here] * 2
"""


def test_a_used_model_works_in_a_process_that_is_forked(run: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    assert subprocess.run([sys.executable, "-c", FORK, run], env=environment, timeout=120).returncode == 0
