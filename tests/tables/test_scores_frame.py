"""The tidy frame: every figure once, with the place that it was read from."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import tiny
from fake_runs import LITERATURE, SCHEMA, MakeRun, make_last_run, measure, write
from made_artifacts import change
from scripts import SCRIPTS

from transformer.common.files import sha256_of
from transformer.tables.literature import read_literature
from transformer.tables.runs import PARSES, read_runs
from transformer.tables.scores_frame import COLUMNS, baselines_frame, scores_frame
from transformer.tables.table2 import build_table2


def make_baselines(pair: str, *, copy: float, dictionary: float | None = None) -> Path:
    """Write what ``score_baselines.py`` writes; return its path."""
    values = {"copy": copy} | ({} if dictionary is None else {"dictionary": dictionary})
    baselines = {name: {"multi_bleu_split": measure(value)} for name, value in values.items()}
    path = Path("results/demo/baselines", f"{pair}.json")
    content = {
        "format": 1,
        "pair": pair,
        "sentences": 40,
        "headline": "multi_bleu_split",
        "baselines": baselines,
    }
    write(path, content)
    return path


def test_each_figure_is_found_where_its_row_says(make_run: MakeRun, make_parser: MakeRun) -> None:
    runs = read_runs([make_run("base", "en-de")])
    runs += [make_last_run(Path("results/demo/runs/base-seed2/en-de"), "base", seed=2)]
    runs += read_runs([make_parser("parser")], PARSES)
    frame = pd.concat(
        [scores_frame(runs), baselines_frame([make_baselines("en-de", copy=0.25)], "demo", "c")]
    )
    assert list(frame) == COLUMNS
    for row in frame.to_dict("records"):
        assert row["sha256"] == sha256_of(row["path"])
        value = json.loads(Path(row["path"]).read_text())
        for key in row["key"].split("."):
            value = value[key]
        assert row["value"] == value
    identity = ["run", "pair", "seed", "split", "decoding", "checkpoint", "measure"]
    assert not frame.duplicated(identity).any()


def test_bleu_has_its_interval_and_the_facts_of_its_run(make_run: MakeRun) -> None:
    frame = scores_frame(read_runs([make_run("base", "en-de", bleu=71.25)]))
    (row,) = frame[frame["measure"] == "multi_bleu_split"].to_dict("records")
    assert (row["value"], row["low"], row["high"]) == (71.25, 69.75, 72.5)
    assert (row["split"], row["checkpoint"], row["seed"], row["steps"]) == ("test", "averaged", 1, 9)
    assert row["training_flops"] == 123_456_789_012_345


def test_both_ways_of_decoding(make_parser: MakeRun) -> None:
    frame = scores_frame(read_runs([make_parser("parser", f1=95.25)], PARSES))
    f1 = frame[frame["measure"] == "f1"].set_index("decoding")["value"]
    assert f1.to_dict() == {"constrained": 95.25, "unconstrained, repaired": 94.25}
    assert frame.loc[frame["measure"] == "malformed", "value"].tolist() == [12]


@pytest.mark.parametrize("flops", [10**14, 23 * 10**18])
def test_the_published_files(make_run: MakeRun, flops: int) -> None:
    """Operations at the paper's size do not fit into 64 bits."""
    folder = make_run("base", "en-de")
    change(folder / "training.json", training_flops=flops)
    baselines = make_baselines("en-de", copy=0.25, dictionary=18.0)
    command: list[str | Path] = [
        sys.executable,
        SCRIPTS["collect_scores"],
        "--runs",
        folder,
        "--baselines",
        baselines,
    ]
    done = subprocess.run([*command, "--output-dir", "out"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    frame, parquet = pd.read_csv("out/scores.csv"), pd.read_parquet("out/scores.parquet")
    assert list(frame) == list(parquet) == COLUMNS
    assert frame["value"].tolist() == parquet["value"].tolist()
    assert f",{flops}," in Path("out/scores.csv").read_text()
    assert set(frame["run"]) == {"base", "copy", "dictionary"}


def test_the_published_scores_of_table_3_are_of_the_last_checkpoint(make_run: MakeRun) -> None:
    averaged = make_run("base", "en-de")
    last = make_last_run(Path("results/demo/runs/A-h1/en-de"), "A-h1", bleu=20.0)
    done = tiny.run_captured(
        "collect_scores", "--runs", averaged, "--last", last.folder, "--output-dir", "out"
    )
    assert done.returncode == 0, done.stderr
    frame = pd.read_csv("out/scores.csv")
    (row,) = frame[frame["headline"] & (frame["run"] == "A-h1")].to_dict("records")
    assert (row["checkpoint"], row["split"], row["value"]) == ("last", "dev", 20.0)
    assert row["path"] == "results/demo/runs/A-h1/en-de/last/scores.json"


def test_table2_says_what_needs_no_training(make_run: MakeRun) -> None:
    paths = [
        make_baselines("en-de", copy=0.04, dictionary=18.04),
        make_baselines("en-fr", copy=0.3, dictionary=27),
    ]
    baselines = baselines_frame(paths, "demo", "corpus")
    literature, runs = read_literature(LITERATURE, SCHEMA), read_runs([make_run("base", "en-de")])
    files = build_table2(literature, runs, baselines).files()
    said = (
        "BLEU without any training, measured as in the paper: copying the source 0.0 (EN-DE), 0.3 (EN-FR); "
        "a word-for-word dictionary 18.0 (EN-DE), 27.0 (EN-FR)."
    )
    assert all(said in files[f"table2.{ending}"] for ending in ("tex", "md", "html"))
    assert build_table2(literature, runs).data.equals(build_table2(literature, runs, baselines).data)


def test_cells_of_the_web_page_say_where_they_are_from(make_run: MakeRun) -> None:
    run = make_run("base", "en-de")
    page = build_table2(read_literature(LITERATURE, SCHEMA), read_runs([run])).files()["table2.html"]
    scores = f"{run}/scores.json sha256:{sha256_of(run / 'scores.json')}"
    assert f'title="{scores}">71.2 [69.7, 72.5]</td>' in page
    assert 'title="the paper (v7), Table 2, row 10"><strong>41.8</strong><sup>a</sup></td>' in page
    assert "<title>Table 2: BLEU and training cost</title>" in page
    assert not any(link in page for link in ("http:", "https:", "src=", "href=", "@import"))
