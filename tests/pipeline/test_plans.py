"""What Snakemake plans at each scale: which file each step reads, in which order, with which settings."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from micro_project import Job, Plan, copy_project, plan

from transformer.settings.settings import Settings, load_settings

FURTHER_TEST = "multi30k-2017-flickr"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which nothing has been made."""
    return copy_project(tmp_path_factory.mktemp("plans") / "project")


@pytest.fixture(scope="module")
def plans(project: Path) -> Iterator[dict[str, Plan]]:
    """The plan of everything at each scale, and of the models for other programs."""
    (project / "penn").mkdir()
    (project / "english.txt").touch()
    own = ["treebank=penn", "silver_text=english.txt"]
    yield {
        "micro": plan(project, "all", "export"),
        "demo": plan(project, "results/table3.tex", "results/table4.tex", scale="demo"),
        "small": plan(project, "all", scale="small", config=[f"further_tests=[{FURTHER_TEST}]"]),
        "paper": plan(project, "all", scale="paper"),
        "paper with a treebank": plan(project, "all", scale="paper", config=own),
    }
    settings.cache_clear()


@cache
def settings(project: Path, scale: str) -> Settings:
    return load_settings({"scale": scale, "seed": 1}, project)


@pytest.fixture(scope="module")
def micro(plans: dict[str, Plan]) -> Plan:
    return plans["micro"]


def stems(job: Job, *folders: str) -> set[str]:
    """The inputs of a job in these folders of ``data/micro``, without what follows the first dot of their names."""
    found = [Path(path) for path in job.input]
    return {
        f"{path.parent.as_posix().removeprefix('data/micro/')}/{path.name.partition('.')[0]}"
        for path in found
        if path.as_posix().startswith(tuple(f"data/micro/{folder}/" for folder in folders))
    }


@pytest.mark.parametrize("run", ["base", "A-h1"])
def test_a_model_is_trained_on_the_training_and_checked_on_the_development_set(micro: Plan, run: str) -> None:
    job = micro[f"results/micro/runs/{run}/en-de/training.json"]
    assert stems(job, "tokenized") == {"tokenized/en-de/train", "tokenized/en-de/dev"}
    assert job.option("config") == [f"results/micro/runs/{run}/en-de/config.json"]
    assert job.option("data") == ["data/micro/tokenized/en-de"]
    assert job.option("subwords") == ["data/micro/subwords/en-de/subwords.model"]


def test_each_parser_is_trained_on_its_own_trees(micro: Plan) -> None:
    for run, data in (("parser", "en-trees"), ("parser-semi", "en-silver")):
        job = micro[f"results/micro/runs/{run}/{data}/training.json"]
        assert stems(job, "tokenized") == {f"tokenized/{data}/train", f"tokenized/{data}/dev"}
        assert job.option("symbols") == [f"data/micro/subwords/{data}/symbols.json"]
    assert micro["data/micro/silver/train.trees"].rule == "select_silver"


def test_subwords_are_learned_from_training_text_only(micro: Plan) -> None:
    for pair in ("en-de", "en-fr"):
        job = micro[f"data/micro/subwords/{pair}/subwords.model"]
        assert stems(job, "clean", "raw") == {f"clean/{pair}/train"}
        assert {Path(path).suffix for path in job.input if "/clean/" in path} == {
            f".{side}" for side in pair.split("-")
        }


@pytest.mark.parametrize(("data", "target"), [("en-de", "de"), ("en-trees", "symbols")])
def test_source_and_target_are_encoded_as_such(micro: Plan, data: str, target: str) -> None:
    for split in ("train", "dev"):
        job = micro[f"data/micro/tokenized/{data}/{split}.json"]
        for side, ending in (("source", "en"), ("target", target)):
            assert job.option(side) == [f"data/micro/clean/{data}/{split}.{ending}"]


@pytest.mark.parametrize(
    ("split", "model", "text"), [("test", "averaged", "test"), ("dev", "last", "last/dev")]
)
def test_tables_2_and_3_translate_different_text_with_different_models(
    micro: Plan, split: str, model: str, text: str
) -> None:
    """Table 2 averages checkpoints and translates the test set; Table 3 takes the last and the development set."""
    run = "results/micro/runs/base/en-de"
    job = micro[f"{run}/{text}.de"]
    assert job.option("model") == [f"{run}/{model}"]
    assert job.option("input") == [f"data/micro/clean/en-de/{split}.en"]
    scored = micro[f"{run}/scores.json" if split == "test" else f"{run}/last/scores.json"]
    assert scored.option("hypothesis") == [f"{run}/{text}.de"]
    assert scored.option("reference") == [f"data/micro/clean/en-de/{split}.de"]
    assert scored.option("source") == job.option("input")
    assert scored.option("checkpoint") == [f"{run}/{model}/model.safetensors"]
    assert scored.option("language") == ["de"]
    likelihood = micro[f"{run}/perplexity.json" if split == "test" else f"{run}/last/perplexity.json"]
    assert likelihood.option("model") == [f"{run}/{model}"]
    assert likelihood.option("data") == ["data/micro/tokenized/en-de"]


def test_a_further_test_set_is_translated_and_scored_by_itself(plans: dict[str, Plan]) -> None:
    run, text = "results/small/runs/base/en-de", f"data/small/clean/en-de/tests/{FURTHER_TEST}"
    folder = f"{run}/tests/{FURTHER_TEST}"
    job, scored = (plans["small"][f"{folder}/{name}"] for name in ("test.de", "scores.json"))
    assert job.option("model") == [f"{run}/averaged"]
    assert job.option("input") == scored.option("source") == [f"{text}.en"]
    assert scored.option("hypothesis") == [f"{folder}/test.de"]
    assert scored.option("reference") == [f"{text}.de"]


def test_perplexity_is_of_both_sets_for_table_2_and_of_the_development_set_for_table_3(micro: Plan) -> None:
    run = "results/micro/runs/base/en-de"
    asked = {name: micro[f"{run}/{name}"].command for name in ("perplexity.json", "last/perplexity.json")}
    assert ["--split dev" in command for command in asked.values()] == [True, True]
    assert ["--split test" in command for command in asked.values()] == [True, False]


def test_as_many_checkpoints_are_averaged_as_the_settings_say(plans: dict[str, Plan], project: Path) -> None:
    """The last five of base and the last twenty of big in the paper (section 6.1); Table 3 does not average."""
    for scale in ("micro", "paper"):
        for run, expected in (("base", 5), ("big", 20)):
            folder = f"results/{scale}/runs/{run}/en-fr"
            if scale == "paper":
                assert settings(project, scale).averaging(run, "en-fr")["average_checkpoints"] == expected
            job = plans[scale][f"{folder}/averaged/model.safetensors"]
            assert job.option("last") == [
                str(settings(project, scale).averaging(run, "en-fr")["average_checkpoints"])
            ]
            assert job.option("training") == [f"{folder}/training.json"]
    assert plans["micro"]["results/micro/runs/base/en-de/last/model.safetensors"].option("last") == ["1"]
    assert plans["micro"]["results/micro/runs/parser/en-trees/averaged/model.safetensors"].option(
        "best-of"
    ) == ["results/micro/runs/parser/en-trees/metrics.jsonl"]


def test_the_second_parser_learns_from_training_trees_only(micro: Plan) -> None:
    gold = ["data/micro/clean/trees/train.trees"]
    assert micro["data/micro/silver/grammar.json"].option("trees") == gold
    assert micro["data/micro/silver/train.trees"].option("gold") == gold


def test_a_parser_reads_the_treebank_s_tags_in_training_only(micro: Plan) -> None:
    for split in ("dev", "test"):
        job = micro[f"data/micro/clean/en-trees/{split}.en"]
        assert job.option("trees") == [f"data/micro/clean/trees/{split}.trees"]
        assert job.option("tags-from") == [f"data/micro/silver/{split}.pcfg.trees"]
    assert "--tags-from" not in micro["data/micro/clean/en-trees/train.en"].command


@pytest.mark.parametrize("parses", ["constrained", "unconstrained"])
def test_parses_are_of_the_test_set(micro: Plan, parses: str) -> None:
    for run, data in (("parser", "en-trees"), ("parser-semi", "en-silver")):
        folder = f"results/micro/runs/{run}/{data}"
        job = micro[f"{folder}/{parses}.trees"]
        assert job.option("model") == [f"{folder}/averaged"]
        assert job.option("input") == [f"data/micro/clean/{data}/test.en"]
        assert ("--unconstrained" in job.command) == (parses == "unconstrained")
        scored = micro[f"{folder}/{'parses' if parses == 'constrained' else 'unconstrained'}.json"]
        assert scored.option("gold") == ["data/micro/clean/trees/test.trees"]
        assert scored.option("predicted") == [f"{folder}/{parses}.trees"]
        assert "--gold-tags" in scored.command


def test_each_table_reads_the_scores_of_its_rows(micro: Plan) -> None:
    runs = "results/micro/runs"
    read = {
        table: {path for path in micro[f"results/micro/tables/{table}.csv"].input if path.endswith(".json")}
        for table in ("table2", "table3", "table4")
    }
    for run in ("base", "big"):
        for pair in ("en-de", "en-fr"):
            assert {f"{runs}/{run}/{pair}/{name}.json" for name in ("scores", "perplexity")} <= read["table2"]
    assert not [path for path in read["table2"] if "/last/" in path]
    for run in ("base", "A-h1", "E-learned", "big"):
        assert {f"{runs}/{run}/en-de/last/{name}.json" for name in ("scores", "perplexity")} <= read["table3"]
    assert not [path for path in read["table3"] if path.endswith("en-de/scores.json")]
    for folder in ("parser/en-trees", "parser-semi/en-silver"):
        assert {f"{runs}/{folder}/{name}.json" for name in ("parses", "unconstrained")} <= read["table4"]


def test_what_a_table_reads_are_the_folders_of_its_runs(micro: Plan) -> None:
    made = {}
    for table in ("table2", "table3", "table4"):
        job = micro[f"results/micro/tables/{table}.csv"]
        made[table] = job.option("runs")
        assert [f"{folder}/config.json" for folder in made[table]] == [
            path for path in job.input if path.endswith("/config.json")
        ]
    scores = micro["results/scores.csv"]
    assert [scores.option(name) for name in ("runs", "last", "parsers")] == list(made.values())


def test_what_decodes_has_the_beam_of_its_run(micro: Plan, project: Path) -> None:
    decoding = [*micro.of("translate"), *micro.of("parse")]
    assert len(decoding) == 24 + 4
    for job in decoding:
        run, pair = Path(job.output[0]).parts[3:5]
        expected = settings(project, "micro").decoding(run, pair)
        for name, value in expected.items():
            assert job.option(name.replace("_", "-")) == [str(value)]


def test_training_text_alone_is_filtered(micro: Plan) -> None:
    for job in micro.of("clean"):
        is_train = Path(job.output[0]).name.startswith("train.")
        assert ("--keep-all" in job.command) == (not is_train)
        assert ("--max-ratio" in job.command) == is_train
        assert stems(job, "raw") == {
            job.output[0].removeprefix("data/micro/clean/").partition(".")[0].join(["raw/", ""])
        }


def test_the_short_come_first_then_base_then_the_longest_training(plans: dict[str, Plan]) -> None:
    """On two cores, base costs no time by that."""
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


def test_everything_at_the_scale_of_the_paper(plans: dict[str, Plan]) -> None:
    paper = plans["paper"]
    assert paper.count("download") == 7  # all archives but that of the smaller test set
    assert paper.count("train") == 20 + 2  # the rows of Table 3, EN-DE, and base and big on EN-FR
    assert (paper.count("table"), paper.count("metrics")) == (3, 1)
    assert paper["results/paper/tables/table2.tex"]


@pytest.mark.parametrize(("scale", "parsers"), [("paper", 0), ("paper with a treebank", 2)])
def test_without_a_treebank_all_but_table_4_is_made(plans: dict[str, Plan], scale: str, parsers: int) -> None:
    planned = plans[scale]
    assert planned.count("score_parses") == 2 * parsers
    assert ("results/paper/tables/table4.tex" in planned) == bool(parsers)
    assert ("results/table4.tex is left out" in planned.said) == (not parsers)


def test_each_format_is_asked_only_for_what_it_can_hold(project: Path) -> None:
    planned = plan(project, "export", scale="small", config=["table2=[base,recurrent,B-dk16,E-learned]"])
    formats = [Path(path).name for job in planned.of("export_model") for path in job.output]
    assert planned.count("train") == 4
    assert sorted(formats) == ["ctranslate2"] * 4 + ["huggingface"] * 2


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
