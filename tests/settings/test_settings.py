"""The configuration as one object, and what a wrong command line gets."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
from configuration import ROOT, edit, load

from transformer.common.errors import UserError
from transformer.common.yaml_files import read_yaml


def test_a_run_with_another_seed() -> None:
    assert load(seeds=["4294967295", "0"]).seeds == (4294967295, 0)
    settings = load(seeds=[1, "7"])
    assert settings.seeded("big") == ["big", "big-seed7"]
    again, other = settings.run("big", "en-de"), settings.run("big-seed7", "en-de")
    assert (other["run"], other["seed"], other["training"]["seed"]) == ("big", 7, 7)
    assert other["model"] == again["model"]
    assert settings.decoding("big-seed7", "en-de") == settings.decoding("big", "en-de")


def test_null_on_the_command_line() -> None:
    """Snakemake gives it as a text."""
    keys = ("seeds", "table2", "track", "mirror", "treebank")
    assert load(**dict.fromkeys(keys, "null")) == load(**dict.fromkeys(keys))


def test_unknown_run_and_pair() -> None:
    with pytest.raises(UserError, match=r"unknown run 'bigg'; did you mean 'big'\?"):
        load().run("bigg", "en-de")
    with pytest.raises(UserError, match="unknown language pair 'en-it'"):
        load().run("big", "en-it")


@pytest.mark.parametrize("place", [("grammar",), ("translation", "en-de", "subwords")])
def test_the_order_of_keys_changes_no_parameter(project: Path, place: tuple[str, ...]) -> None:
    """Snakemake compares parameters as text, and would otherwise make everything again."""
    before = load(project)
    value = read_yaml(project / "config" / "demo.yaml")
    for key in place:
        value = value[key]
    for keys in (sorted(value), sorted(value, reverse=True)):
        edit(project, "demo.yaml", *place, value={key: value[key] for key in keys})
        settings = load(project)
        assert repr((settings.grammar, settings.subwords)) == repr((before.grammar, before.subwords))


def test_settings_are_read_in_a_moment() -> None:
    """A wrong key must not wait for large libraries to load."""
    code = (
        "import sys; from transformer.settings.settings import load_settings; "
        "load_settings({'scale': 'demo', 'seed': 1}); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"torch", "pandas", "numpy"} & set(run.stdout.split())


def test_limits_of_cleaning_for_each_pair(project: Path) -> None:
    """The paper kept about 4.5M of EN-DE's 4.52M pairs, and 36M of EN-FR's 40.8M."""
    paper = load(project, scale="paper").clean
    assert paper["en-fr"] == {"max_length": 175, "max_ratio": 1.5, "deduplicate": False}
    assert paper["en-de"] == paper["en-fr"] | {"max_ratio": 3}
    edit(project, "demo.yaml", "translation", "en-fr", "clean", value={"max_length": 80})
    demo = load(project).clean
    assert (demo["en-de"]["max_length"], demo["en-fr"]["max_length"]) == (175, 80)


@pytest.mark.parametrize("scale", ["demo", "small"])
def test_silver_text_replaces_that_of_the_scale(scale: str) -> None:
    """Otherwise small would download newstest2013 for nothing, and a parser's config.json would name it."""
    own = load(scale=scale, silver_text="english.txt")
    assert own.parsing is not None
    assert own.parsing["silver"]["text"] == "file"
    assert ("silver", "text", "en") not in own.downloads
    assert own.run("parser-semi", "en-silver")["treebank"]["silver"]["text"] == "file"


def test_rows_of_table_3_alone_train_on_one_gpu_and_others_on_all() -> None:
    """Only `paper` asks for GPUs; parsers are Table 4."""
    paper = dataclasses.replace(load(scale="paper", table2=["base", "C-N2"]), gpus=3)
    runs = {"base": 3, "base-seed2": 3, "C-N2": 3, "C-N4": 1, "big": 3}
    assert {run: paper.processes(run, "en-de") for run in runs} == runs
    assert paper.processes("parser", "en-trees") == 3
    assert dataclasses.replace(load(scale="small"), gpus=3).processes("base", "en-de") == 1
