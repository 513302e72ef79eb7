"""What Snakemake plans at each scale: which file each step reads, in which order, with which settings.

Plans are compared with recorded ones; a change of a rule is read in the difference.  To record them anew:

    RECORD_PLANS=1 pytest tests/pipeline/test_plans.py -k recorded
"""

import os
import re
from collections import Counter
from pathlib import Path

import pytest
from micro_project import EVERYTHING, Job, Plan, copy_project, jobs, plan, snakemake

RECORDED = Path(__file__).with_name("recorded")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which nothing has been made."""
    return copy_project(tmp_path_factory.mktemp("plans") / "project")


# A corpus in files and in an archive.
OWN = """
inherits: micro
corpus: Own
translation:
  en-fr:
    files:
      train: {tsv: own.zip/own.tsv, columns: {en: 1, fr: 2}}
      dev: 30
      test: {en: english.txt, fr: french.txt}
"""


class Plans(dict[str, Plan]):
    """The plan of everything at each scale, and of the models for other programs; each is made when it is asked for."""

    def __init__(self, project: Path) -> None:
        self.project = project
        (project / "penn").mkdir()
        for file in ("english.txt", "french.txt", "own.zip"):
            (project / file).touch()
        (project / "config" / "own-files.yaml").write_text(OWN)

    def __missing__(self, name: str) -> Plan:
        tables = {"demo": ["results/table3.tex", "results/table4.tex"], "own-files": ["results/table2.tex"]}
        targets = (tables | {"micro": ["all", "export"]}).get(name, ["all"])
        config = {
            "paper with a treebank": ["treebank=penn", "silver_text=english.txt"],
        }.get(name, [])
        self[name] = plan(self.project, *targets, scale=name.partition(" ")[0], config=config)
        return self[name]


@pytest.fixture(scope="module")
def plans(project: Path) -> Plans:
    return Plans(project)


@pytest.fixture(scope="module")
def micro(plans: Plans) -> Plan:
    return plans["micro"]


@pytest.mark.parametrize(
    ("scale", "outputs"),
    [("micro", ""), ("small", "/tests/"), ("paper with a treebank", "/averaged/"), ("own-files", "data/")],
)
def test_the_plan_is_the_recorded_one(plans: Plans, project: Path, scale: str, outputs: str) -> None:
    """How many jobs of each kind are planned, and what the first of them reads, and its command."""
    jobs = {id(job): job for path, job in sorted(plans[scale].items()) if outputs in path}.values()
    texts = [described(job).replace(str(project), "PROJECT") for job in jobs]
    kinds = Counter(map(kind, texts))
    firsts = {kind(text): text for text in reversed(texts)}
    text = "\n".join(f"{kinds[one]} {firsts[one]}" for one in sorted(kinds))
    recorded = RECORDED / f"{scale}.txt"
    if os.environ.get("RECORD_PLANS"):
        recorded.write_text(text)
    assert text == recorded.read_text()


def kind(text: str) -> str:
    """Return what texts have in common that differ only in a run, or in a language pair and the order of its files."""
    lines = re.sub(r"(?<=runs/|-run )[\w.-]+|\b(en-)?(de|fr)\b", "…", text).split("\n")
    return "\n".join(sorted(lines))


def few(words: list[str]) -> list[str]:
    """Return the first of the words of each kind, with their number."""
    firsts = {kind(word): word for word in reversed(words)}
    counts = Counter(map(kind, words))
    return [firsts[one] if count == 1 else f"{firsts[one]} × {count}" for one, count in counts.items()]


def described(job: Job) -> str:
    """Return what a job reads and its command, without what depends on the machine."""
    command = re.sub(
        r" --(device|nproc-per-node|max-tokens|gpus|threads) \S+", "", job.command.partition("-m ")[2]
    )
    options = re.split(" +(?=--)", command.partition(" > logs/")[0])
    made_of = few(sorted(set(job.input)))
    words = (few(option.split()) for option in options)
    return "\n    ".join([job.rule, *made_of, "\n        ".join(map(" ".join, words))]) + "\n"


def test_the_short_come_first_then_base_then_the_longest_training(plans: Plans) -> None:
    demo = plans["demo"]
    pairs = {"parser": "en-trees", "parser-semi": "en-silver"}
    trained = ["base", "parser", "C-d1024", "C-ff4096", "C-N2"]
    runs = {run: f"{run}/{pairs.get(run, 'en-de')}" for run in (*pairs, *set(trained) - {*pairs})}
    training = {run: demo[f"results/demo/runs/{of}/training.json"].priority for run, of in runs.items()}
    assert len({training[name] for name in trained}) == len(trained)
    assert sorted(trained, key=lambda name: training[name], reverse=True) == trained
    others = {job.priority for rule in ("encode", "score_parses") for job in demo.of(rule)}
    assert len(others) == 1
    assert others.pop() > training["base"] > training["parser"] > training["parser-semi"]


@pytest.mark.parametrize(("scale", "parsers"), [("paper", 0), ("paper with a treebank", 2)])
def test_without_a_treebank_all_but_table_4_is_made(plans: Plans, scale: str, parsers: int) -> None:
    planned = plans[scale]
    assert planned.count("score_parses") == 2 * parsers
    assert ("results/paper/tables/table4.tex" in planned) == bool(parsers)
    assert ("results/table4.tex is left out" in planned.said) == (not parsers)


def test_what_cannot_be_exported_is_not_trained_for_it(project: Path) -> None:
    planned = plan(project, "export", scale="small", config=["table2=[base,recurrent,B-dk16,E-learned]"])
    assert planned.count("train") == 2
    assert planned.count("export_model") == 2


def test_a_target_that_cannot_be_made_is_refused_with_the_reason(project: Path) -> None:
    command = [*EVERYTHING, "results/micro/export/E-learned/en-de/huggingface"]
    run = snakemake(project, command=command, SNAKEMAKE_LOGGER_ATTENTION_FULL="false")
    assert run.returncode == 1
    assert "positions is learned" in run.stdout + run.stderr
    assert "Traceback" not in run.stdout + run.stderr


def test_without_a_target_everything_is_made(project: Path) -> None:
    assert jobs(snakemake(project, "--dry-run", command=EVERYTHING))["all"] == 1


def test_what_pythonpath_names_hides_no_package(project: Path, tmp_path: Path) -> None:
    (tmp_path / "transformer.py").write_text("raise ImportError('of somebody else')\n")
    run = snakemake(project, "--dry-run", PYTHONPATH=str(tmp_path))
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(("key", "runs"), [("layer_rows", 6), ("t2t_rows", 4)])
def test_more_rows_of_table_2_train_more_models(project: Path, micro: Plan, key: str, runs: int) -> None:
    more = plan(project, "results/table2.csv", config=[f"{key}=true"])
    assert more.count("train") == 4 + runs
    assert more.count("score_bleu") == 4 + runs


def test_several_seeds_train_every_table_again(project: Path) -> None:
    planned = plan(project, "results/table2.csv", "results/table4.csv", config=["seeds=[1,2]"])
    assert planned.count("train") == 2 * (4 + 2)  # base and big of both pairs, and both parsers
    assert "results/micro/runs/parser-semi-seed2/en-silver/parses.json" in planned


def test_no_model_is_trained_with_another_seed_than_those_given(project: Path) -> None:
    """What shows one model, or uses it, takes the first of the seeds."""
    planned = plan(project, "all", "export", config=["seeds=[2,3]"])
    runs = [job.output[0].split("/")[3] for job in planned.of("train")]
    assert {run.rpartition("-")[2] for run in runs} == {"seed2", "seed3"}
    assert len(runs) == planned.count("train") == 2 * (20 + 2 + 2)  # Table 3, EN-FR, and both parsers
    used = planned["data/micro/silver/transformer.trees"].input
    used += planned["results/micro/figures/attention.json"].input
    used += planned["results/micro/export/base-seed2/en-de/huggingface"].input
    assert {Path(path).parts[3] for path in used if "/runs/" in path} == {"base-seed2", "parser-seed2"}


def test_a_user_who_is_a_number_without_a_name(project: Path, tmp_path: Path) -> None:
    """As in a container; Python then finds no name but that in a variable."""
    (tmp_path / "sitecustomize.py").write_text("import pwd\npwd.getpwuid = {}.__getitem__\n")
    variables = dict.fromkeys(("USER", "LOGNAME", "LNAME", "USERNAME"), "")
    assert plan(project, "results/plan.md", PYTHONPATH=str(tmp_path), HOME=str(tmp_path), **variables)


def test_a_run_of_the_users_own_is_in_table_3_and_in_the_metrics(project: Path) -> None:
    micro = project / "config" / "micro.yaml"
    before = micro.read_text()
    micro.write_text(f"{before}  mine: {{d_model: 24, N: 2}}\n")
    planned = plan(project, "results/table3.csv", "results/metrics.json")
    micro.write_text(before)
    assert planned.count("train") == 20 + 2 + 1 + 2  # Table 3, EN-FR, the run, and both parsers
    assert "results/micro/runs/mine/en-de/last/scores.json" in planned
