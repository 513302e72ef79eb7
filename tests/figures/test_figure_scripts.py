"""The scripts that lead from a trained model to its figures."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tiny
from made_artifacts import write_metrics
from scripts import SCRIPTS

from transformer.common.artifacts import write_artifact
from transformer.figures import plot
from transformer.figures.curves import schedule
from transformer.inspection import extract_attention

FAR, NEAR = ["birds sing and cats sleep", "sing"], ["a dog  runs far", "dog", "far"]


def options(run: Path, model: Path, output: Path, far: list[str] = FAR, near: list[str] = NEAR) -> list[Any]:
    return [
        *("--model", model, "--config", run / "config.json", "--subwords", run / "subwords.model"),
        *("--long-distance", *far, "--anaphora", *near, "--max-extra-tokens", 3, "--output", output),
    ]


def draw(figure: str, inputs: list[Path], folder: Path) -> int:
    return tiny.run(plot.main, figure, "--inputs", *inputs, "--output-dir", folder)


def test_a_number_is_a_line_of_the_test_set(tiny_run: Path, tiny_model: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.en"
    test.write_text("cats sleep\nbirds sing and cats sleep\n")
    given = [*options(tiny_run, tiny_model, tmp_path / "a.json", ["2", "sing"]), "--test", test]
    assert tiny.run(extract_attention.main, *given) == 0
    sentences = json.loads((tmp_path / "a.json").read_text())["sentences"]
    assert sentences["long_distance"]["source"] == FAR[0]
    assert sentences["anaphora"]["source"] == "a dog runs far"
    beyond = [*options(tiny_run, tiny_model, tmp_path / "b.json", ["3", "sing"]), "--test", test]
    said = "test.en: there is no line 3; the file has 2 lines"
    assert said in tiny.error("extract_attention", *beyond)


def test_a_figure_is_drawn_from_a_notebook(tiny_run: Path, tmp_path: Path) -> None:
    """A notebook names a backend of its own, which this environment need not have."""
    given = ["positional_encoding", "--inputs", str(tiny_run / "config.json"), "--output-dir", str(tmp_path)]
    run = subprocess.run(
        [sys.executable, str(SCRIPTS["plot"]), *given],
        env={**os.environ, "MPLBACKEND": "module://of_a_notebook"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


# An untrained model writes control characters, such as 27, which no font can draw.
@pytest.mark.filterwarnings("ignore:Glyph 27 :UserWarning")
def test_attention_from_the_model_to_the_figures(tiny_run: Path, tiny_model: Path, tmp_path: Path) -> None:
    attention = tmp_path / "attention.json"
    assert tiny.run(extract_attention.main, *options(tiny_run, tiny_model, attention)) == 0
    content = json.loads(attention.read_text())
    near = content["sentences"]["anaphora"]
    assert (near["source"], near["word"], near["antecedent"]) == ("a dog runs far", "dog", "far")
    for part in near["attention"].values():
        for layer in part["weights"]:
            for head in layer:
                assert [sum(row) for row in head] == pytest.approx([1] * len(part["queries"]), abs=0.01)
    assert near["attention"]["decoder"]["queries"][0] == "<start>"
    assert near["attention"]["cross"]["queries"] == [*near["attention"]["decoder"]["queries"][1:], "<EOS>"]

    assert draw("attention", [attention], tmp_path / "figures") == 0
    assert len(list((tmp_path / "figures").iterdir())) == 10


@pytest.mark.parametrize(
    ("far", "near", "expected"),
    [
        (["a dog runs", "cat"], NEAR, "'cat' is not a word of the sentence; its words are: a dog runs"),
        (FAR, ["a dog runs", "dog", "runs far"], "'runs far' is not a word of the sentence"),
        (["long " * 200, "long"], NEAR, "subwords; give one that has 1 to 100: 'long long"),
    ],
)
def test_sentences_and_words_that_cannot_be_drawn(
    far: list[str], near: list[str], expected: str, tiny_run: Path, tiny_model: Path, tmp_path: Path
) -> None:
    given = options(tiny_run, tiny_model, tmp_path / "attention.json", far, near)
    assert expected in tiny.error("extract_attention", *given)
    assert not list(tmp_path.iterdir())


def test_the_schedule_is_drawn_from_end_to_end() -> None:
    settings = {"d_model": 512, "warmup_steps": 4000, "learning_rate_scale": 1.0, "steps": 100_000}
    steps, rates = schedule(settings)
    assert (steps[0], steps[-1]) == (1, 100_000)
    assert steps[rates.index(max(rates))] == 4000
    assert max(rates) == pytest.approx(512**-0.5 * 4000**-0.5)


def test_figures_of_runs(tiny_run: Path, tmp_path: Path) -> None:
    """The same inputs give the same bytes."""
    config, metrics = tmp_path / "config.json", tmp_path / "metrics.jsonl"
    config.write_text((tiny_run / "config.json").read_text())
    line = {"step": 3, "loss": 4.5, "dev_perplexity": 2.5}
    write_metrics(metrics, line)
    runs = Path(__file__).parents[2] / "config" / "runs.yaml"
    inputs = {
        "positional_encoding": [config],
        "learning_rate": [config, runs],
        "training_curves": [config, metrics, tmp_path / "training.json"],
    }
    for figure, files in inputs.items():
        for folder in ("a", "b"):
            assert draw(figure, files, tmp_path / folder) == 0
        for kind in ("pdf", "svg"):
            first, second = (tmp_path / folder / f"{figure}.{kind}" for folder in ("a", "b"))
            assert first.read_bytes() == second.read_bytes()


def test_every_run_is_in_the_legend_of_the_curves(tmp_path: Path) -> None:
    """A run of the user's own may be of the first language pair only."""
    inputs = []
    for run, pair in (("base", "en-de"), ("mine", "en-de"), ("base", "en-fr")):
        folder = tmp_path / run / pair
        write_artifact(folder / "config.json", tiny.run_config() | {"run": run, "pair": pair})
        write_metrics(folder / "metrics.jsonl", {"step": 3, "loss": 4.5, "dev_perplexity": 2.5})
        inputs += [folder / "config.json", folder / "metrics.jsonl", folder / "training.json"]
    assert draw("training_curves", inputs, tmp_path) == 0
    assert "mine, training" in (tmp_path / "training_curves.svg").read_text()
