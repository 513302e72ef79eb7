"""A scale that inherits another: what is the same, what is replaced, and what no longer fits."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from configuration import copy_configuration, edit, load, message

from transformer.settings.config_files import Expected

SUBWORDS = {"kind": "wordpiece", "vocab_size": 500}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration, and beside it the text of a corpus."""
    monkeypatch.chdir(tmp_path)
    for side in ("el", "en"):
        Path(f"text.{side}").write_text("a\n")
    return copy_configuration(tmp_path)


def write(project: Path, content: Any, name: str = "mine") -> None:
    (project / "config" / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))


def own(parent: str = "small", **more: Any) -> dict[str, Any]:
    files = {"train": {"el": "text.el", "en": "text.en"}}
    return {"inherits": parent, "corpus": "Mine", "translation": {"el-en": {"files": files}}, **more}


def test_what_is_not_given_is_inherited(project: Path) -> None:
    write(project, {"inherits": "small", "settings": {"steps": 7000}, "runs": {"big": {"dropout": 0.2}}})
    mine, small = load(project, scale="mine"), load(project, scale="small")
    assert mine.scale_files == ("config/mine.yaml", "config/small.yaml")
    assert (mine.downloads, mine.attention, mine.parsing) == (small.downloads, small.attention, small.parsing)
    assert mine.run("parser", "en-trees") == small.run("parser", "en-trees") | {"scale": "mine"}
    base, before = mine.run("base", "en-de"), small.run("base", "en-de")
    assert base == before | {"scale": "mine", "training": before["training"] | {"steps": 7000}}
    big, before = mine.run("big", "en-fr"), small.run("big", "en-fr")
    assert big == before | {"scale": "mine", "model": before["model"] | {"dropout": 0.2}}


def test_parsers_can_be_left_out(project: Path) -> None:
    write(project, {"inherits": "small", "parsing": None})
    assert "parser" not in {run for run, _ in load(project, scale="mine").merged}


def test_what_the_parent_says_of_its_corpus_is_dropped(project: Path) -> None:
    """Its treebank and its sentences; but the models and the training are the same."""
    write(project, own())
    mine, small = load(project, scale="mine"), load(project, scale="small")
    assert (mine.pairs, mine.parsing, mine.attention, mine.downloads) == (["el-en"], None, None, {})
    assert "parser" not in {run for run, _ in mine.merged}
    base, before = mine.run("base", "el-en"), small.run("base", "en-fr")
    assert (base["model"], base["training"]) == (before["model"], before["training"])
    assert (base["corpus"], base["pair"]) == ("Mine", "el-en")
    assert mine.subwords == {"el-en": small.subwords["en-de"]}
    assert mine.expected["el-en"] == Expected()
    write(project, own("demo"))
    mine = load(project, scale="mine")
    assert mine.grammar is None
    assert "max_pairs" not in mine.clean["el-en"]


def test_what_a_scale_says_itself_is_kept(project: Path) -> None:
    sizes = {"pairs": 12, "source_tokens": 3, "target_tokens": 4}
    content = own(clean={"max_ratio": 9}, parsing={"copies": 2}, expected={"el-en": sizes})
    content["translation"]["el-en"]["subwords"] = SUBWORDS
    write(project, content)
    mine, small = load(project, scale="mine"), load(project, scale="small")
    assert mine.parsing == (small.parsing or {}) | {"copies": 2}
    assert mine.clean["el-en"] == small.clean["en-de"] | {"max_ratio": 9}
    assert (mine.subwords["el-en"], mine.expected["el-en"].model_dump()) == (SUBWORDS, sizes)


def test_a_scale_may_inherit_one_that_inherits(project: Path) -> None:
    write(project, own(), "first")
    write(project, {"inherits": "first", "settings": {"steps": 7000}})
    mine = load(project, scale="mine")
    assert mine.scale_files == ("config/mine.yaml", "config/first.yaml", "config/small.yaml")
    assert (mine.corpus, mine.run("base", "el-en")["training"]["steps"]) == ("Mine", 7000)


def test_a_run_with_settings_for_a_pair(project: Path) -> None:
    edit(project, "runs.yaml", "mine", value={"pairs": {"el-en": {"dropout": 0.25}}})
    write(project, own())
    assert load(project, scale="mine").run("mine", "el-en")["model"]["dropout"] == 0.25


def test_settings_for_a_pair_that_no_scale_has_would_never_be_used(project: Path) -> None:
    edit(project, "runs.yaml", "mine", value={"pairs": {"el-en": {"dropout": 0.25}}})
    expected = "config/runs.yaml: mine.pairs: unknown language pair 'el-en'; valid: en-de, en-fr"
    assert message(project) == expected
    write(project, own())
    assert load(project).scale == "demo"  # since the scale `mine` has it
    write(project, {"translation": "broken"}, "other")
    assert load(project).scale == "demo"
