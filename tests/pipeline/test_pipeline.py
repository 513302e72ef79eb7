"""The real DAG at a scale so small that it runs in a minute."""

import contextlib
import csv
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import yaml
from micro_project import COMMAND, EVERYTHING, TABLES, copy_project, jobs, snakemake
from rocrate.rocrate import ROCrate
from snakemake.cli import parse_config

from transformer.common.files import sha256_of
from transformer.report.latex import find_latex

pytestmark = pytest.mark.slow

SLOW = ("table1", "table3", "layer_times")  # twenty trainings, and measurements of layers


def tables(project: Path) -> list[bytes]:
    return [(project / name).read_bytes() for name in TABLES]


@pytest.fixture(scope="module")
def built(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose Tables 2 and 4 have been made without an interruption."""
    return shutil.copytree(finished, tmp_path_factory.mktemp("built") / "project")


def test_the_short_come_first_then_the_longest_training(tmp_path: Path) -> None:
    tables = ["results/table3.tex", "results/table4.tex"]
    run = snakemake(copy_project(tmp_path), "--dry-run", *tables, scale="demo", command=EVERYTHING)
    priority = {}
    for job in run.stdout.split("\n\n"):
        rule = re.search(r"^(?:local)?rule (\w+):", job, re.MULTILINE)
        if rule:
            run_name = re.search(r"run=([^,]+)", job) if rule[1] == "train" else None
            number = re.search(r"priority: (.+)", job)
            assert number
            priority[run_name[1] if run_name else rule[1]] = float(number[1])
    trained = ["parser", "C-d1024", "C-ff4096", "base", "C-N2"]
    assert len({priority[name] for name in trained}) == len(trained)
    assert sorted(trained, key=lambda name: priority[name], reverse=True) == trained
    assert priority["encode"] == priority["score_parses"] > priority["parser"] > priority["parser-semi"]


def test_whatever_decodes_has_the_precision_of_the_training(tmp_path: Path) -> None:
    """So that ``precision: fp32`` gives the same text and trees on a CPU with bf16 as on one without."""
    tables = [f"results/table{number}.md" for number in (2, 3, 4)]
    project = copy_project(tmp_path)
    run = snakemake(project, *tables, "--dry-run", "--printshellcmds", command=EVERYTHING)
    commands = re.findall(r"python \S+/(translate|parse)\.py (.*)", run.stdout + run.stderr)
    planned = jobs(run)
    rules = ("translate", "translate_dev", "parse", "parse_unconstrained", "parse_silver")
    assert len(commands) == sum(planned[rule] for rule in rules)
    assert all("--precision fp32" in options for _, options in commands)


def test_tables_are_made(built: Path) -> None:
    for run in ("base", "big"):
        for pair in ("en-de", "en-fr"):
            folder = built / "results" / "micro" / "runs" / run / pair
            assert (folder / f"test.{pair[-2:]}").read_text().count("\n") == 20
    tex, csv = tables(built)
    assert b"\\toprule" in tex
    assert csv.count(b"\n") > 10
    assert (built / "results" / "micro" / "provenance.json").exists()


def test_a_row_of_table_3(built: Path) -> None:
    """Scored by its last checkpoint on the development set."""
    folder = built / "results" / "micro" / "runs" / "A-h1" / "en-de"
    targets = [f"results/micro/runs/A-h1/en-de/last/{name}.json" for name in ("scores", "perplexity")]
    run = snakemake(built, *targets, command=EVERYTHING)
    assert run.returncode == 0, run.stdout + run.stderr
    steps = json.loads((folder / "last" / "model.json").read_text())["steps"]
    assert steps == [json.loads((folder / "training.json").read_text())["steps"]]
    assert list(json.loads((folder / "last" / "perplexity.json").read_text()))[-2:] == [
        "dev",
        "content_sha256",
    ]
    assert json.loads((folder / "last" / "scores.json").read_text())["sentences"] == 20


def test_table_4(built: Path) -> None:
    """From trees to F1: every output is a tree over the sentence's words, also of a parser that learned little."""
    gold = (built / "data" / "micro" / "clean" / "trees" / "test.trees").read_text().splitlines()
    for parser in ("parser/en-trees", "parser-semi/en-silver"):
        folder = built / "results" / "micro" / "runs" / parser
        parses = json.loads((folder / "parses.json").read_text())
        assert (parses["valid"], parses["errors"], parses["skipped"]) == (20, 0, 0)
        assert parses["malformed"]["count"] == 0
        trees = (folder / "constrained.trees").read_text().splitlines()
        assert [words_of(tree) for tree in trees] == [words_of(tree) for tree in gold]
    rows = list(csv.DictReader((built / "results" / "table4.csv").open()))
    assert sum(row["origin"] == "ours" for row in rows) == 4


def words_of(tree: str) -> list[str]:
    """The words of a bracketed tree."""
    return re.findall(r" ([^\s()]+)\)", tree)


def test_figures(built: Path) -> None:
    """Of the models that are trained already; another sentence makes only what shows it anew."""
    names = ["architecture.pdf", "learning_rate.svg", "training_curves.pdf", "attention.html"]
    figures = [f"results/figures/{name}" for name in names]
    run = snakemake(built, *figures, command=EVERYTHING)
    assert run.returncode == 0, run.stdout + run.stderr
    own = ["sentence=The cat eats its dog.", "word=its", "antecedent=cat"]
    run = snakemake(built, *figures, "--dry-run", command=EVERYTHING, config=own)
    assert jobs(run).keys() == {"extract_attention", "plot_attention", "publish_page"}


@pytest.fixture(scope="module")
def reported(built: Path) -> Path:
    """With everything that the bare command makes but what is SLOW."""
    contents = built / "workflow" / "report" / "contents.yaml"
    lines = contents.read_text().splitlines(keepends=True)
    contents.write_text("".join(line for line in lines if line.split(":")[0].strip() not in SLOW))
    run = snakemake(built, command=EVERYTHING)
    assert run.returncode == 0, run.stdout + run.stderr
    return built


def test_everything(reported: Path) -> None:
    results = reported / "results"
    index = (results / "README.md").read_text()
    listed = dict(re.findall(r"\| \[(.+?)\]\(.+`([0-9a-f]{64})`", index))
    assert {"table2.tex", "comparison.md", "report.html"} <= set(listed)
    assert ("report.pdf" in listed) == (find_latex() is not None)
    for name, sha256 in listed.items():
        assert sha256_of(results / name) == sha256
    assert "a few sentences of the project's own synthetic corpus" in index
    assert ROCrate(results / "micro").get("#make-table2")["result"][0].id == "tables/table2.tex"
    assert "Nothing to be done" in snakemake(reported, command=EVERYTHING).stderr


def test_the_web_page_needs_no_connection(reported: Path) -> None:
    """Snakemake takes the JavaScript from its own package: another version may begin to load it from somewhere."""
    page = (reported / "results" / "report.html").read_text()
    assert not re.search(r"""<(script|link|img)[^>]*(src|href)\s*=\s*["']?(https?:)?//""", page)
    assert "results/table2.html" in page
    assert "BLEU and training cost of translation models" in page  # its caption


def test_without_latex_the_rest_is_made(reported: Path, tmp_path: Path) -> None:
    for folder in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(folder).glob("*"):
            (tmp_path / program.name).unlink(missing_ok=True)
            (tmp_path / program.name).symlink_to(program)
    (tmp_path / "pdflatex").unlink(missing_ok=True)
    run = snakemake(reported, "--dry-run", command=EVERYTHING, PATH=str(tmp_path))
    assert run.returncode == 0
    if find_latex():
        assert set(jobs(run)) == {"report_html", "index", "all"}  # without the document
        assert "results/report.pdf is left out: it needs pdflatex; on Debian" in run.stdout + run.stderr
    asked = snakemake(reported, "--force", "results/report.pdf", command=EVERYTHING, PATH=str(tmp_path))
    assert asked.returncode == 1
    assert "error: results/report.pdf is left out: it needs pdflatex; on Debian" in asked.stderr


def test_a_second_run_has_nothing_to_do_whatever_the_dates_are(built: Path) -> None:
    """A checkout gives every file a new date and the same content."""
    for file in (*built.glob("src/**/*.py"), *built.glob("data/**/train.*")):
        file.touch()
    run = snakemake(built)
    assert run.returncode == 0
    assert "Nothing to be done" in run.stdout + run.stderr


@pytest.mark.parametrize(("key", "runs"), [("layer_rows", 6), ("t2t_rows", 4)])
def test_more_rows_of_table_2_train_more_models(built: Path, key: str, runs: int) -> None:
    run = snakemake(built, "--dry-run", config=[f"{key}=true"])
    rules = ("resolve_run", "train", "average_checkpoints", "translate", "score_bleu", "score_perplexity")
    assert jobs(run) == {**dict.fromkeys(rules, runs), "table2": 1, "publish_table": 1}


def test_another_beam_decodes_and_scores_again(built: Path) -> None:
    config = built / "config" / "micro.yaml"
    before = config.read_text()
    config.write_text(before.replace("settings:\n", "settings:\n  beam_size: 2\n"))
    run = snakemake(built, "--dry-run")
    config.write_text(before)
    assert jobs(run) == {"translate": 4, "score_bleu": 4, "table2": 1, "publish_table": 1}


@pytest.mark.parametrize(
    ("edits", "first"),
    [
        ({"training/version.py": ("TRAINING_VERSION = ", "TRAINING_VERSION = 1")}, "train"),
        # A message of the training, or the model while the version stays the same, must not train again.
        (
            {"training/trainer.py": ("", "edited = 1\n"), "model/attention.py": ("", "edited = 1\n")},
            "score_perplexity",
        ),
        (
            {"scoring/bleu.py": ("", "edited = 1\n"), "model/attention.py": ("", "# only a comment\n")},
            "score_bleu",
        ),
        ({"tables/table2.py": ("", "edited = 1\n")}, "table2"),
    ],
    ids=["version", "model", "bleu", "table"],
)
def test_an_edit_runs_again_what_it_concerns(
    built: Path, edits: dict[str, tuple[str, str]], first: str
) -> None:
    order = ["train", "score_perplexity", "score_bleu", "table2"]
    before = {path: path.read_text() for path in (built / "src" / "transformer" / name for name in edits)}
    for (path, text), (old, new) in zip(before.items(), edits.values(), strict=True):
        assert old in text
        path.write_text(text.replace(old, new) if old else text + new)
    run = snakemake(built, "--dry-run")
    for path, text in before.items():
        path.write_text(text)
    assert [rule for rule in order if rule in jobs(run)] == order[order.index(first) :]


def register(project: Path, mirror: Path, name: str, texts: dict[str, str]) -> None:
    """Add a source with a test split to the registry of a project, and its file of each side to a mirror."""
    paths = {side: f"{name}/test.{side}" for side in texts}
    for side, path in paths.items():
        (mirror / path).parent.mkdir(parents=True, exist_ok=True)
        (mirror / path).write_text(texts[side])
    about = dict.fromkeys(("title", "licence", "citation"), "none") | {"homepage": "https://example.org/"}
    files = [{"path": path, "url": "https://example.org/"} for path in paths.values()]
    with (project / "config" / "sources.yaml").open("a") as sources:
        sources.write(f"\n{yaml.safe_dump({name: about | {'splits': {'test': paths}, 'files': files}})}")


def test_further_test_sets(built: Path, tmp_path: Path) -> None:
    """Downloaded, translated and scored one by one, with the models that are there."""
    project, mirror = shutil.copytree(built, tmp_path / "project"), tmp_path / "mirror"
    clean = project / "data" / "micro" / "clean" / "en-de"
    lines = {side: (clean / f"test.{side}").read_text().splitlines(keepends=True) for side in ("en", "de")}
    sizes = {"first": 4, "second": 3}
    for name, size in sizes.items():
        register(project, mirror, name, {side: "".join(text[:size]) for side, text in lines.items()})
    asked = [*EVERYTHING, "results/test_sets.csv", "results/test_sets.tex"]
    config = [f"mirror={mirror}", "further_tests=[first,second]"]
    run = snakemake(project, config=config, command=asked)
    assert run.returncode == 0, run.stdout + run.stderr
    assert jobs(run) == {
        "download": 4, "extract": 2, "clean": 2, "translate_further_test": 4, "score_further_test": 4,
        "test_sets": 1, "publish_table": 1,
    }  # fmt: skip
    rows = list(csv.DictReader((project / "results" / "test_sets.csv").open()))
    assert len(rows) == (4 + 2 + 2) * 6  # the scale's own set in two languages, the others in one
    for name, size in sizes.items():
        of_set = [row for row in rows if row["test_set"] == name]
        assert {(row["run"], row["pair"], row["sentences"]) for row in of_set} == {
            (run, "en-de", str(size)) for run in ("base", "big")
        }
        folder = project / "results" / "micro" / "runs" / "base" / "en-de"
        hypothesis = (folder / "tests" / name / "test.de").read_text().splitlines()
        assert hypothesis == (folder / "test.de").read_text().splitlines()[:size]
    assert (project / "config" / "sources.lock.yaml").read_text().count("sha256:") == 4
    planned = snakemake(project, "--dry-run", config=config, command=EVERYTHING).stdout
    assert "tests/second/scores.json" in planned  # in results/scores.csv
    assert "results/test_sets.html" in planned  # in the report
    assert "results/test_sets.html" not in snakemake(project, "--dry-run", command=EVERYTHING).stdout


@pytest.mark.parametrize(("options", "parsers"), [([], 0), (["treebank=penn", "silver_text=english.txt"], 2)])
def test_without_a_treebank_all_but_table_4_is_made(tmp_path: Path, options: list[str], parsers: int) -> None:
    project = copy_project(tmp_path)
    (project / "penn").mkdir()
    (project / "english.txt").touch()
    run = snakemake(project, "--dry-run", scale="paper", config=options, command=EVERYTHING)
    assert run.returncode == 0, run.stdout + run.stderr
    planned = jobs(run)
    assert planned["table2"] == planned["table3"] == planned["metrics"] == 1
    assert (planned.get("score_parses", 0), planned.get("table4", 0)) == (parsers, parsers // 2)
    assert ("results/table4.tex is left out" in run.stdout + run.stderr) == (not parsers)


def test_each_format_is_asked_only_for_what_it_can_hold(tmp_path: Path) -> None:
    rows = ["table2=[base,recurrent,B-dk16,E-learned]"]
    run = snakemake(
        copy_project(tmp_path), "--dry-run", scale="small", config=rows, command=[*EVERYTHING, "export"]
    )
    assert run.returncode == 0, run.stdout + run.stderr
    planned = jobs(run)
    assert (planned["train"], planned["export_huggingface"], planned["export_ctranslate2"]) == (4, 2, 4)


@pytest.mark.parametrize(("option", "what"), [("treebank", "folder"), ("silver_text", "file")])
def test_missing_data_of_the_users_own_is_named_before_anything_runs(
    tmp_path: Path, option: str, what: str
) -> None:
    run = snakemake(copy_project(tmp_path), "--dry-run", config=[f"{option}=none"], command=EVERYTHING)
    assert run.returncode == 1
    assert f"error: {option}: none: no such {what}; give" in run.stdout + run.stderr


def test_the_web_page_is_made_with_the_same_configuration(tmp_path: Path) -> None:
    """A second Snakemake makes the page, and the values of --config reach it through another command line."""
    given = {"sentence": 'Das "größte" Haus: # 12', "word": "12", "antecedent": '"größte"'}
    run = snakemake(
        copy_project(tmp_path),
        "--dry-run",
        "--printshellcmds",
        "results/report.html",
        config=[f"{key}= {json.dumps(value, ensure_ascii=False)} " for key, value in given.items()],
        command=EVERYTHING,
    )
    printed = re.search(r"snakemake --profile none .*", run.stdout + run.stderr)
    assert printed, run.stderr
    words = shlex.split(printed[0])
    there = parse_config(words[words.index("--config") + 1 : words.index("--")])
    assert {key: there[key] for key in given} == given


def test_silver_trees_replace_the_text_and_its_parsing(built: Path, tmp_path: Path) -> None:
    """Nothing but the semi-supervised parser is made again, and its config.json says that the trees are the user's."""
    trees = tmp_path / "own.trees"
    trees.write_text("( (S (NP-SBJ (NNP Rex))\n  (VP (VBZ runs))) )\n")
    run = snakemake(
        built, "--dry-run", config=[f"silver_trees={trees}"], command=[*EVERYTHING, "results/table4.md"]
    )
    planned = jobs(run)
    assert planned["prepare_silver"] == planned["mix_silver"] == planned["train"] == 1
    assert not planned.keys() & {"select_silver", "parse_silver", "silver_text"}
    config = "results/micro/runs/parser-semi/en-silver/config.json"
    run = snakemake(
        built,
        "--dry-run",
        "--printshellcmds",
        config=[f"silver_trees={trees}"],
        command=[*EVERYTHING, config],
    )
    assert "--own-silver-trees" in run.stdout + run.stderr
    trees.write_text("no tree")
    run = snakemake(built, "--dry-run", config=[f"silver_trees={trees}"])
    assert run.returncode == 1
    assert "error: " in run.stderr
    assert "own.trees, line 1: 'no' outside all brackets" in run.stderr


def test_table_follows_the_scale(built: Path) -> None:
    """results/table2.tex is the active scale's, so that it is made again when another scale becomes active."""
    shutil.copy(built / "config" / "micro.yaml", built / "config" / "other.yaml")
    run = snakemake(built, "--dry-run", scale="other")
    assert jobs(run)["publish_table"] == 1


def run_until(project: Path, pattern: str, kill: Callable[[int, int], None]) -> None:
    """Start the pipeline, and kill it as soon as a file of results/micro/runs matches ``pattern``."""
    with subprocess.Popen(
        [*COMMAND, "--config", "scale=micro"],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 600
        while not list(project.glob(f"results/micro/runs/{pattern}")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        kill(process.pid, signal.SIGKILL)


def test_killed_and_run_again_it_ends_with_the_same_tables(built: Path, tmp_path: Path) -> None:
    """A training continues if Snakemake alone is killed; nothing continues if the jobs are killed as well."""
    project = shutil.copytree(built, tmp_path / "project")
    shutil.rmtree(
        project / "results"
    )  # the data remain: making them takes long, and they are not what is killed
    run_until(project, "*/*/checkpoints/**/step-*", os.kill)
    run_until(project, "*/*/averaged/model.json", os.killpg)
    assert not (project / TABLES[0]).exists()
    again = snakemake(project)
    assert again.returncode == 0, again.stdout + again.stderr
    assert tables(project) == tables(built)


def kill_each(process: subprocess.Popen[str], script: str) -> None:
    """What the kernel does when memory runs out: every process that runs ``script`` is killed, retries too."""
    while process.poll() is None:
        for child in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if child.cmdline()[1:2] == [script]:
                    child.kill()
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("script", "rule", "target", "memory"),
    [
        (
            "src/subwords/learn_subwords.py",
            "learn_subwords",
            "data/micro/subwords/en-de/subwords.model",
            8000,
        ),
        ("src/training/train.py", "train", "results/micro/runs/base/en-de/training.json", 3400),
    ],
)
def test_a_job_that_is_killed_for_memory(
    built: Path, tmp_path: Path, script: str, rule: str, target: str, memory: int
) -> None:
    """It cannot say why it ended; Snakemake's last words do, and what to do."""
    project = shutil.copytree(built, tmp_path / "project")
    (project / target).unlink()
    with subprocess.Popen(
        [*COMMAND[:-2], target, "--config", "scale=micro"],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.extend(process.stderr or []))
        reader.start()
        kill_each(process, script)
        reader.join()
    assert process.returncode == 1
    assert [line for line in said if line.startswith("error: ")] == [
        f"error: {rule} was killed, most likely because memory ran out; on a cluster give it more, e.g. "
        f"--set-resources {rule}:mem_mb={memory}; on one machine run fewer jobs at a time, e.g. --cores 1\n"
    ]
    assert not (project / target).exists()


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("scale=foo", "unknown scale 'foo'; valid: demo, micro, paper, small, small-table3"),
        (
            "sclae=small",
            "unknown key 'sclae'; did you mean 'scale'? valid: "
            "scale, seed, seeds, sentence, word, antecedent, plan_device, treebank, silver_text, silver_trees, "
            "table2, layer_rows, t2t_rows, further_tests, track, mirror",
        ),
        ("seed=-1", "seed: -1 is less than the minimum of 0"),
    ],
)
def test_a_wrong_option_ends_in_one_line(tmp_path: Path, option: str, line: str) -> None:
    run = subprocess.run(
        [*COMMAND, "--config", option],
        cwd=copy_project(tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 1
    errors = [row for row in run.stderr.splitlines() if "error" in row.lower()]
    assert errors == [f"error: config/config.yaml or --config: {line}"]
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("key", ["treebank", "silver_text", "silver_trees"])
def test_a_path_that_no_file_system_takes_ends_in_one_line(tmp_path: Path, key: str) -> None:
    run = subprocess.run(
        [*COMMAND, "--config", f"{key}={'x' * 5000}"],
        cwd=copy_project(tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 1
    (error,) = (row for row in run.stderr.splitlines() if "error" in row.lower())
    assert error.startswith("error: ")
    assert len(error) <= 400
