"""The configuration: how it is merged, and the one line that each mistake gets."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from transformer.common.errors import UserError
from transformer.settings.settings import PARSERS, Settings, _divide, load_settings, read_yaml

ROOT = Path(__file__).parents[2]
VALUES = {"scale": "demo", "seed": 1, "seeds": None, "mirror": None}


def load(**changes: Any) -> Settings:
    return load_settings(VALUES | changes, ROOT)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the configuration, to be spoiled."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copytree(ROOT / "workflow" / "schemas", tmp_path / "workflow" / "schemas")
    return tmp_path


def edit(project: Path, name: str, *keys: str, value: Any) -> None:
    """Set the value at ``keys`` in a file of config/."""
    file = project / "config" / name
    content = yaml.safe_load(file.read_text())
    place = content
    for key in keys[:-1]:
        place = place.setdefault(key, {})
    place[keys[-1]] = value
    file.write_text(yaml.safe_dump(content, sort_keys=False))


def message(project: Path, **changes: Any) -> str:
    """The line that loading ends with."""
    with pytest.raises(UserError) as caught:
        load_settings(VALUES | changes, project)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("scale", ["demo", "small"])
@pytest.mark.parametrize("run", ["base", "big"])
@pytest.mark.parametrize("pair", ["en-de", "en-fr"])
def test_every_run_resolves_at_every_scale(scale: str, run: str, pair: str) -> None:
    resolved = load(scale=scale).run(run, pair)
    assert (resolved["run"], resolved["pair"], resolved["scale"]) == (run, pair, scale)
    assert resolved["training"]["seed"] == resolved["seed"] == VALUES["seed"]
    assert None not in resolved["model"].values()


def test_paper_without_divisors(project: Path) -> None:
    """Table 3's rows base and big, and section 6.1's dropout for EN-FR, come out as the paper has them."""
    edit(project, "demo.yaml", "shrink", value={})
    edit(project, "demo.yaml", "runs", value={})
    paper = read_yaml(project / "config" / "runs.yaml")["base"]
    own = read_yaml(project / "config" / "demo.yaml")["settings"]
    edit(project, "demo.yaml", "settings", value={key: own[key] for key in own if key not in paper})
    settings = load_settings(VALUES, project)
    base, big = settings.run("base", "en-de"), settings.run("big", "en-de")
    names = ("N", "d_model", "d_ff", "h", "d_k", "d_v", "dropout")
    assert [base["model"][name] for name in names] == [6, 512, 2048, 8, 64, 64, 0.1]
    assert [big["model"][name] for name in names] == [6, 1024, 4096, 16, 64, 64, 0.3]
    assert (base["training"]["steps"], big["training"]["steps"]) == (100_000, 300_000)
    assert settings.run("big", "en-fr")["model"]["dropout"] == 0.1
    assert settings.decoding("base", "en-de") == {"beam_size": 4, "alpha": 0.6, "max_extra_tokens": 50}
    assert [settings.average_checkpoints(run, "en-de") for run in ("base", "big")] == [5, 20]


def test_precedence(project: Path) -> None:
    """A scale's settings stand in place of base's; a run's changes win, the scale's own run over all."""
    edit(project, "demo.yaml", "shrink", value={"steps": 100, "checkpoint_every_steps": 10})
    edit(project, "demo.yaml", "settings", "dropout", value=0.2)
    edit(project, "demo.yaml", "settings", "steps", value=9000)
    edit(project, "demo.yaml", "runs", value={"base": {"h": 2}, "big": {"dropout": 0.25}})
    settings = load_settings(VALUES, project)
    base, big, row = (settings.run(run, "en-fr") for run in ("base", "big", "D-dropout0.0"))
    assert [run["training"]["steps"] for run in (base, big, row)] == [9000, 3000, 9000]
    assert [run["model"]["dropout"] for run in (base, big, row)] == [0.2, 0.25, 0.0]
    assert [run["model"]["h"] for run in (base, big, row)] == [2, 16, 2]


@pytest.mark.parametrize("scale", ["demo", "small"])
def test_no_two_rows_of_table_3_are_the_same_model(scale: str) -> None:
    """Each keeps its meaning when it is made smaller."""
    settings = load(scale=scale)
    runs = [settings.run(run, "en-de") for run in settings.runs]
    models = [str((run["model"], run["training"]["label_smoothing"])) for run in runs]
    assert len(set(models)) == len(models)


@pytest.mark.parametrize("scale", ["demo", "small", "paper"])
def test_layer_runs_differ_from_base_in_their_encoder_only(scale: str) -> None:
    settings = load(scale=scale)
    base = settings.run("base", "en-fr")["model"]
    runs = {run: settings.run(run, "en-fr")["model"] for run in settings.layer_runs}
    assert runs == {
        run: base | {"encoder_layer": run} for run in ("recurrent", "convolutional", "restricted")
    }
    assert not settings.layer_rows
    assert [load(layer_rows=value).layer_rows for value in (True, "true", False, "false")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("scale", ["demo", "small"])
def test_rows_a_keep_the_computation_constant(scale: str) -> None:
    settings = load(scale=scale)
    widths = {
        model["h"] * model["d_k"] + model["h"] * model["d_v"]
        for run in settings.runs
        if run == "base" or run.startswith("A-")
        for model in [settings.run(run, "en-de")["model"]]
    }
    assert len(widths) == 1


def test_a_seed_of_its_own(project: Path) -> None:
    settings = load(seeds=[1, "7"])
    assert settings.seeded("big") == ["big", "big-seed7"]
    again, other = settings.run("big", "en-de"), settings.run("big-seed7", "en-de")
    assert (other["run"], other["seed"], other["training"]["seed"]) == ("big", 7, 7)
    assert other["model"] == again["model"]
    assert settings.decoding("big-seed7", "en-de") == settings.decoding("big", "en-de")


@given(value=st.integers(1, 10**6), divisor=st.floats(1, 10**4))
def test_division_rounds_and_leaves_one(value: int, divisor: float) -> None:
    divided = _divide(value, divisor)
    assert divided >= 1
    assert divided == 1 or abs(divided - value / divisor) <= 0.5


def test_decoding_is_no_part_of_training(project: Path) -> None:
    """So that another beam trains nothing."""
    before = load_settings(VALUES, project)
    edit(project, "demo.yaml", "settings", "beam_size", value=7)
    after = load_settings(VALUES, project)
    assert after.run("base", "en-de") == before.run("base", "en-de")
    assert after.decoding("base", "en-de") != before.decoding("base", "en-de")


def test_unknown_scale_lists_the_scales() -> None:
    with pytest.raises(
        UserError, match=r"unknown scale 'smal'; did you mean 'small'\? valid: demo, paper, small$"
    ):
        load(scale="smal")


def test_other_files_of_config_are_no_scales() -> None:
    with pytest.raises(UserError, match="unknown scale 'runs'"):
        load(scale="runs")


def test_unknown_key_lists_the_keys() -> None:
    with pytest.raises(
        UserError,
        match=r"unknown key 'sclae'; did you mean 'scale'\? valid: scale, seed, seeds, sentence, word,",
    ):
        load(sclae="demo")


def test_neither_true_nor_false() -> None:
    with pytest.raises(UserError, match=r"layer_rows: 'yes' does not match .* \(true or false\)"):
        load(layer_rows="yes")


def test_unknown_run_and_pair() -> None:
    with pytest.raises(UserError, match=r"unknown run 'bigg'; did you mean 'big'\?"):
        load().run("bigg", "en-de")
    with pytest.raises(UserError, match="unknown language pair 'en-it'"):
        load().run("big", "en-it")


@pytest.mark.parametrize(
    ("keys", "value", "expected"),
    [
        (
            ("settings", "dropout"),
            -0.1,
            "settings.dropout: -0.1 is less than the minimum of 0 (a probability)",
        ),
        (("settings", "dropout"), 1.0, "settings.dropout: 1.0 is greater than or equal to the maximum of 1"),
        (
            ("settings", "dropuot"),
            0.1,
            "settings: unknown key 'dropuot'; did you mean 'dropout'? valid: N, d_model",
        ),
        (("settings", "kernel_size"), 4, "settings.kernel_size: 4: must be odd, to have a middle"),
        (("settings", "encoder_layer"), "lstm", "settings.encoder_layer: unknown value 'lstm'"),
        (("settings", "precision"), "fp16", "settings.precision: unknown value 'fp16'"),
        (("settings", "steps"), 0, "settings.steps: 0 is less than the minimum of 1"),
        (("settings", "threads"), "two", "settings.threads: 'two' is not of type 'integer'"),
        (("shrink", "alpha"), 2, "shrink: unknown key 'alpha'"),
        (("shrink", "d_model"), 0, "shrink.d_model: 0 is less than the minimum of 1"),
        (("shrink", "d_model"), 3, "run base, en-de: d_model: 171 is not a multiple of 2"),
        (("shrink",), None, "shrink: None is not of type 'object'"),
        (("runs", "bigg"), {"steps": 1}, "runs: unknown run 'bigg'; did you mean 'big'?"),
        (("runs", "big", "dropuot"), 0.1, "runs.big: unknown key 'dropuot'"),
        (("grammar", "train"), 0, "grammar.train: 0 is less than the minimum of 1"),
        (("translation", "en-it"), {}, "translation: unknown key 'en-it'"),
        (
            ("translation", "en-de", "source"),
            "multi30k",
            "translation.en-de: give either `grammar` or this pair's",
        ),
        (
            ("translation", "en-de", "subwords", "vocab_size"),
            10,
            "vocab_size: 10 is less than the minimum of",
        ),
        (("translation", "en-de", "subwords", "kind"), "bbpe", "unknown value 'bbpe'; did you mean 'bpe'?"),
        (("clean", "max_ratio"), 0.5, "clean.max_ratio: 0.5 is less than the minimum of 1"),
        (("settings", "average_checkpoints"), 21, "average_checkpoints is 21, but keep_checkpoints is 5"),
        (("settings", "checkpoint_every_minutes"), 10, "set one of them and make the other null"),
        (("settings", "checkpoint_every_steps"), 400, "with checkpoint_every_steps 400 write"),
    ],
)
def test_a_wrong_scale_file(project: Path, keys: tuple[str, ...], value: Any, expected: str) -> None:
    edit(project, "demo.yaml", *keys, value=value)
    line = message(project)
    assert line.startswith("config/demo.yaml: ")
    assert expected in line


def test_a_setting_that_no_file_gives(project: Path) -> None:
    edit(project, "demo.yaml", "settings", value={"precision": "auto", "threads": 1, "max_tokens": 100})
    assert message(project).endswith("missing key 'validate_every_steps'; set it under `settings`")


def test_downloads() -> None:
    downloads = load(scale="small").downloads
    assert len(downloads) == 3 * 2 * 2 + 3 + 1
    assert [part["path"] for part in downloads["silver", "text", "en"]] == [
        "multi30k/train.en.gz",
        "wmt14/dev.tgz",
    ]
    trees = [part["member"] for part in downloads["trees", "dev", "trees"]]
    assert trees == [f"treebank/combined/wsj_{number:04}.mrg" for number in range(150, 170)]
    assert len(load(scale="small").archives["treebank/treebank.zip"]) == 199
    assert [part["path"] for part in downloads["en-fr", "dev", "fr"]] == ["multi30k/val.fr.gz"]
    assert load().downloads == {}


def test_wmt14_is_joined_from_what_the_paper_names() -> None:
    settings = load(scale="paper")
    names = {
        pair: [part["source"] for part in settings.downloads[pair, "train", "en"]] for pair in settings.pairs
    }
    german = ["europarl-v7", "commoncrawl", "news-commentary-v9"]
    assert names == {"en-de": german, "en-fr": [*german, "un", "giga-fren"]}
    members = settings.archives["wmt13/training-parallel-europarl-v7.tgz"]
    assert members == [
        f"training/europarl-v7.{end}" for end in ("de-en.de", "de-en.en", "fr-en.en", "fr-en.fr")
    ]


@pytest.mark.parametrize("place", [("grammar",), ("translation", "en-de", "subwords")])
def test_the_order_of_keys_changes_no_parameter(project: Path, place: tuple[str, ...]) -> None:
    """Snakemake compares parameters as text, and would make all anew."""
    before = load_settings(VALUES, project)
    value = read_yaml(project / "config" / "demo.yaml")
    for key in place:
        value = value[key]
    for keys in (sorted(value), sorted(value, reverse=True)):
        edit(project, "demo.yaml", *place, value={key: value[key] for key in keys})
        settings = load_settings(VALUES, project)
        assert repr((settings.grammar, settings.subwords)) == repr((before.grammar, before.subwords))


def test_the_caption_names_the_test_set(project: Path) -> None:
    edit(project, "paper.yaml", "translation", "en-de", "source", "test", value=["newstest2014-filtered"])
    assert message(project, scale="paper") == (
        "config/paper.yaml: corpus: 'WMT14, newstest2014' is what tables call the corpus, and the test set is "
        "newstest2014, newstest2014-filtered; name it there, after a comma"
    )
    edit(project, "paper.yaml", "corpus", value="WMT14, newstest2014-filtered, newstest2014")
    assert load_settings(VALUES | {"scale": "paper"}, project).corpus


def test_the_paper_scale_changes_nothing_that_the_paper_says() -> None:
    settings, paper = load(scale="paper"), read_yaml(ROOT / "config" / "runs.yaml")
    for run in settings.runs:
        resolved = settings.run(run, "en-de")
        values = resolved["model"] | resolved["training"]
        said = {key: value for key, value in (paper["base"] | paper[run]).items() if key in values}
        said.pop("pairs", None)
        assert {key: values[key] for key in said} == said


def test_parsers_are_trained_on_trees_and_no_row_of_table_3() -> None:
    settings = load(scale="paper")
    assert not set(PARSERS) & set(settings.runs)
    resolved = settings.run("parser", "en-trees")
    assert resolved["treebank"] == {"name": "WSJ 23", "input_tags": "none"}
    assert [resolved["model"][key] for key in ("N", "d_model", "d_ff", "h")] == [4, 1024, 2048, 8]
    assert settings.decoding("parser", "en-trees") == {"beam_size": 21, "alpha": 0.3, "max_extra_tokens": 300}
    assert settings.run("parser-semi", "en-silver")["model"] == resolved["model"]
    with pytest.raises(UserError, match="unknown language pair 'en-de'.*valid: en-trees"):
        settings.run("parser", "en-de")


def test_a_treebank_that_is_none(project: Path) -> None:
    edit(project, "small.yaml", "parsing", "source", value="nltk-treebnk")
    line = message(project, scale="small")
    assert "unknown treebank 'nltk-treebnk'; did you mean 'nltk-treebank'?" in line


def test_a_source_that_is_not_registered(project: Path) -> None:
    edit(project, "small.yaml", "translation", "en-fr", "source", value="multi30")
    line = message(project, scale="small")
    assert line.startswith(
        "config/small.yaml: translation.en-fr.source: unknown source 'multi30'; did you mean 'multi30k'?"
    )


def test_a_source_without_a_split(project: Path) -> None:
    sources = yaml.safe_load((project / "config" / "sources.yaml").read_text())
    del sources["multi30k"]["splits"]["dev"]["fr"]
    (project / "config" / "sources.yaml").write_text(yaml.safe_dump(sources))
    assert message(project, scale="small").endswith(
        "translation.en-fr.source: multi30k has no dev split in fr"
    )


def test_a_wrong_run_of_the_paper(project: Path) -> None:
    edit(project, "runs.yaml", "big", "d_modle", value=1024)
    assert message(project).startswith(
        "config/runs.yaml: big: unknown key 'd_modle'; did you mean 'd_model'?"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("corpus: [", "line 1: not valid YAML"),
        ("corpus: a\ncorpus: b\n", "line 2: not valid YAML (the key 'corpus' twice)"),
        ("", "None is not of type 'object'"),
    ],
)
def test_no_yaml(project: Path, content: str, expected: str) -> None:
    (project / "config" / "demo.yaml").write_text(content)
    assert expected in message(project)


def test_a_sentence_of_one_s_own_stands_for_both_of_the_scale() -> None:
    assert load().attention["anaphora"].keys() == {"sentence", "word", "antecedent"}
    own = {"sentence": "Cats like their mice.", "word": "their", "antecedent": "Cats"}
    assert load(**own).attention == {"long_distance": own, "anaphora": own}


@pytest.mark.parametrize("missing", ["sentence", "word", "antecedent"])
def test_a_sentence_goes_with_its_words(missing: str, project: Path) -> None:
    own = {"sentence": "Cats like their mice.", "word": "their", "antecedent": "Cats"} | {missing: None}
    assert f"missing key '{missing}'; sentence, word and antecedent go together" in message(project, **own)
