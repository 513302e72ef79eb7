"""The real DAG at the micro scale: its models learn, its numbers are those of its files, and an edit is noticed."""

import contextlib
import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import sacrebleu
from micro_project import ROOT, TABLES, Plan, jobs, plan, snakemake

from transformer.common.files import sha256_of
from transformer.verification.published import manifest, manifest_csv

MODELS = [(run, pair) for run in ("base", "big") for pair in ("en-de", "en-fr")]
PARSERS = ("parser/en-trees", "parser-semi/en-silver")
RUNS = "results/micro/runs"
SUMS = ROOT / "tests" / "micro" / "sums.csv"
SUMMED = (
    "*.model",
    "*.tokens",
    "averaged/model.safetensors",
    "test.[df][er]",
    "*.trees",
    "scores.json",
)


@pytest.mark.parametrize(("run", "pair"), MODELS)
def test_the_models_learn_to_translate(finished: Path, run: str, pair: str) -> None:
    """In these seconds; without any learning, BLEU is 0.0."""
    folder, side = finished / RUNS / run / pair, pair[-2:]
    hypotheses = (folder / f"test.{side}").read_text().splitlines()
    references = (finished / f"data/micro/clean/{pair}/test.{side}").read_text().splitlines()
    scores = json.loads((folder / "scores.json").read_text())
    found = sacrebleu.corpus_bleu(hypotheses, [references]).score
    assert found > 40
    assert scores["measures"]["sacrebleu"]["value"] == pytest.approx(found, abs=0.005)
    assert all(hypotheses)
    assert len(set(hypotheses)) > 15


def test_the_tables_show_what_was_scored(finished: Path) -> None:
    rows = [row for row in csv.DictReader((finished / TABLES[1]).open()) if row["origin"] == "ours"]
    assert [row["model"] for row in rows[::2]] == ["Transformer (base model)", "Transformer (big)"]
    for run, own in (("base", rows[:2]), ("big", rows[2:])):
        for pair in ("en-de", "en-fr"):
            measures = json.loads((finished / RUNS / run / pair / "scores.json").read_text())["measures"]
            shown = [float(row[f"bleu_{pair}"]) for row in own]
            scored = [measures[name]["value"] for name in ("multi_bleu_split", "sacrebleu")]
            assert shown == pytest.approx(scored, abs=5e-5)
    assert "\\toprule" in (finished / TABLES[0]).read_text()


def test_the_page_shows_what_there_is(finished: Path) -> None:
    page = (finished / "results/table2.html").read_text()
    assert len(page.encode()) < 8_000_000
    assert f'href="table2.csv" data-sha256="{sha256_of(finished / TABLES[1])}"' in page
    assert models_in(page) >= {*MODELS}
    assert models_in((finished / "results/first.html").read_text()) >= {("base", "en-de"), ("base", "en-fr")}


def models_in(page: str) -> set[tuple[str, str]]:
    """The run and the pair of each model that is in a page."""
    models = json.loads(re.search(r'id="models">(.*?)</script>', page)[1])["models"]  # type: ignore[index]
    return {(model["run"], model["pair"]) for model in models if "weights" in model}


def test_the_bits_are_those_of_every_other_machine(finished: Path) -> None:
    """Vocabularies, data, weights, translations, trees and scores; they change only where one of these steps does."""
    found = {
        path: sha256
        for path, sha256 in manifest("micro", finished).items()
        if any(Path(path).match(pattern) for pattern in SUMMED)
    }
    recorded = dict(line.split(",") for line in SUMS.read_text().splitlines()[1:])
    assert found == recorded, f"if this is meant, {SUMS} is:\n{manifest_csv(found)}"


def words_of(tree: str) -> list[str]:
    """The words of a bracketed tree."""
    return re.findall(r" ([^\s()]+)\)", tree)


@pytest.mark.parametrize("parser", PARSERS)
def test_the_parsers_learn(finished: Path, parser: str) -> None:
    """Every output is a tree over the sentence's words, also of a parser that learned little."""
    gold = (finished / "data/micro/clean/trees/test.trees").read_text().splitlines()
    trees = (finished / RUNS / parser / "constrained.trees").read_text().splitlines()
    assert [words_of(tree) for tree in trees] == [words_of(tree) for tree in gold]
    parses = json.loads((finished / RUNS / parser / "parses.json").read_text())
    assert (parses["valid"], parses["errors"], parses["skipped"]) == (20, 0, 0)
    assert parses["decoding"]["malformed"] == 0
    assert parses["all"]["f1"] > 20
    rows = [
        row for row in csv.DictReader((finished / "results/table4.csv").open()) if row["origin"] == "ours"
    ]
    trained = "semi-supervised" if "semi" in parser else "WSJ only, discriminative"
    shown = [
        float(row["f1"])
        for row in rows
        if (row["training"], row["decoding_method"]) == (trained, "constrained")
    ]
    assert shown == [pytest.approx(parses["all"]["f1"], abs=5e-5)]


@contextlib.contextmanager
def edited(path: Path, old: str, new: str) -> Iterator[None]:
    """Replace a text in a file, or add one at its end, for a while."""
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new, 1) if old else before + new)
    try:
        yield
    finally:
        path.write_text(before)


@pytest.fixture(scope="module")
def built(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the finished project; each test that edits a file mends it."""
    return shutil.copytree(finished, tmp_path_factory.mktemp("built") / "project")


def rules(planned: Plan) -> set[str]:
    return {job.rule for job in planned.values()}


def test_a_second_run_has_nothing_to_do_whatever_the_dates_are(built: Path) -> None:
    """A checkout gives every file a new date and the same content."""
    for file in (*built.glob("src/**/*.py"), *built.glob("data/**/train.*")):
        file.touch()
    run = snakemake(built)
    assert run.returncode == 0
    assert "Nothing to be done" in run.stdout + run.stderr


def test_curves_repeat_no_training(built: Path) -> None:
    run = snakemake(built, "--dry-run", config=["track=tensorboard"])
    assert "Nothing to be done" in run.stdout + run.stderr


def test_another_beam_decodes_and_scores_again(built: Path) -> None:
    with edited(built / "config/micro.yaml", "settings:\n", "settings:\n  beam_size: 2\n"):
        run = snakemake(built, "--dry-run")
    assert jobs(run) == {"translate": 4, "score_bleu": 4, "table2": 1, "copy_table": 1}


@pytest.mark.parametrize(
    ("path", "old", "new", "first"),
    [
        ("training/version.py", "TRAINING_VERSION = ", "TRAINING_VERSION = 1", "train"),
        # A message of the training, or the model while the version stays the same, must not train again.
        ("training/trainer.py", "", "edited = 1\n", None),
        ("model/attention.py", "", "edited = 1\n", "score_perplexity"),
        ("model/attention.py", "", "# only a comment\n", None),
        ("scoring/bleu.py", "", "edited = 1\n", "score_bleu"),
        ("tables/table2.py", "", "edited = 1\n", "table2"),
    ],
    ids=["version", "trainer", "model", "comment", "bleu", "table"],
)
def test_an_edit_runs_again_what_it_concerns(
    built: Path, path: str, old: str, new: str, first: str | None
) -> None:
    order = ["train", "score_perplexity", "score_bleu", "table2"]
    with edited(built / "src/transformer" / path, old, new):
        planned = jobs(snakemake(built, "--dry-run"))
    assert [rule for rule in order if rule in planned] == (order[order.index(first) :] if first else [])


def test_a_replaced_file_makes_again_what_was_made_from_it(built: Path) -> None:
    with edited(built / RUNS / "base/en-de/test.de", "", "Noch ein Satz.\n"):
        assert jobs(snakemake(built, "--dry-run")) == {"score_bleu": 1, "table2": 1, "copy_table": 1}


def test_silver_trees_replace_the_text_and_its_parsing(built: Path, tmp_path: Path) -> None:
    """Nothing but the semi-supervised parser is made again, and its config.json says that the trees are the user's."""
    trees = tmp_path / "own.trees"
    trees.write_text("( (S (NP-SBJ (NNP Rex))\n  (VP (VBZ runs))) )\n")
    planned = plan(built, "results/table4.md", config=[f"silver_trees={trees}"])
    assert planned.count("prepare_silver") == planned.count("mix_silver") == planned.count("train") == 1
    assert not rules(planned) & {"select_silver", "parse_silver", "silver_text"}
    assert "--own-silver-trees" in planned[f"{RUNS}/parser-semi/en-silver/config.json"].command
    run = snakemake(built, "--dry-run", config=[f"silver_trees={tmp_path}/nowhere"])
    assert run.returncode == 1
    assert f"silver_trees: {tmp_path}/nowhere: no such file" in run.stderr


def test_a_table_of_results_is_the_active_scales(built: Path) -> None:
    """results/table2.tex is made again when another scale becomes active."""
    shutil.copy(built / "config/micro.yaml", built / "config/other.yaml")
    run = snakemake(built, "--dry-run", scale="other")
    (built / "config/other.yaml").unlink()
    assert jobs(run)["copy_table"] == 1
