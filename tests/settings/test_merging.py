"""How the settings of a run are merged.

Those of every run at three scales are recorded; read the difference when you renew them:

    RECORD_SETTINGS=1 pytest tests/settings/test_merging.py -k recorded
"""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import pytest
import yaml
from configuration import ROOT, edit, load
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, create_model

from transformer.common.artifacts import CHECKSUM
from transformer.report.packed_runs import unpack
from transformer.settings import runs_file
from transformer.settings.merging import DEFAULTS, SETTINGS, divide, some_settings
from transformer.settings.run_settings import GROUPS, TrainingConfig, setting
from transformer.settings.settings import Settings


def test_the_scale_of_the_paper() -> None:
    """Rows base and big of Table 3, and the dropout for EN-FR of section 6.1, are as in the paper."""
    settings = load(scale="paper")
    base, big = settings.run("base", "en-de"), settings.run("big", "en-de")
    names = ("N", "d_model", "d_ff", "h", "d_k", "d_v", "dropout")
    assert [base["model"][name] for name in names] == [6, 512, 2048, 8, 64, 64, 0.1]
    assert [big["model"][name] for name in names] == [6, 1024, 4096, 16, 64, 64, 0.3]
    assert (base["training"]["steps"], big["training"]["steps"]) == (100_000, 300_000)
    assert settings.run("big", "en-fr")["model"]["dropout"] == 0.1
    assert settings.decoding("base", "en-de") == {"beam_size": 4, "alpha": 0.6, "max_extra_tokens": 50}
    counts = [settings.averaging(run, "en-de")["average_checkpoints"] for run in ("base", "big")]
    assert counts == [5, 20]


def settings_of_run(settings: Settings, run: str, pair: str) -> dict[str, Any]:
    """All that a run is trained and decoded with, by its names in config.json and a dot."""
    groups = {"decoding": settings.decoding(run, pair), "averaging": settings.averaging(run, pair)}
    plain: dict[str, Any] = {}
    for name, value in (settings.run(run, pair) | groups).items():
        plain |= (
            {f"{name}.{key}": one for key, one in value.items()} if isinstance(value, dict) else {name: value}
        )
    return plain


@pytest.mark.parametrize("scale", ["demo", "small", "paper"])
def test_the_settings_of_every_run_are_those_recorded(scale: str) -> None:
    """Those of base, and where each other run has others; and of what each text is made."""
    settings = load(scale=scale, treebank="penn" if scale == "paper" else None)
    of_project = [key for key in settings.merged if key[0] not in settings.user_runs]
    runs = {f"{run}, {pair}": settings_of_run(settings, run, pair) for run, pair in of_project}
    base = runs["base, en-de"]
    shown: dict[str, Any] = {"subwords": settings.subwords, "clean": settings.clean, "base": base}
    for name, run in sorted(runs.items()):
        shown[name] = {key: run.get(key) for key in sorted(base | run) if run.get(key) != base.get(key)}
    shown["downloads"] = {
        ", ".join(text): [" ".join([part["path"], *filter(None, [part.get("member")])]) for part in parts]
        for text, parts in settings.downloads.items()
    }
    text = yaml.safe_dump(shown, sort_keys=False, default_flow_style=None, width=110)
    file = Path(__file__).with_name("recorded") / f"{scale}.yaml"
    if os.environ.get("RECORD_SETTINGS"):
        file.write_text(text)
    assert text == file.read_text()


@pytest.mark.parametrize("scale", ["demo-long", "small", "small-table3"])
def test_the_settings_are_those_of_the_published_models(scale: str) -> None:
    texts = unpack(ROOT / "docs" / "results" / scale / "runs")
    configs = {name: json.loads(text) for name, text in texts.items() if name.endswith("/config.json")}
    assert len(configs) > 10
    settings = load(scale=scale)
    for name, config in configs.items():
        run, pair, _ = name.split("/")
        assert settings.run(run, pair) | {CHECKSUM: config[CHECKSUM]} == config


def test_precedence(project: Path) -> None:
    """A scale's settings override base; a run overrides both; the scale's settings for that run override all."""
    edit(project, "demo.yaml", "shrink", value={"steps": 100, "checkpoint_every_steps": 10})
    edit(project, "demo.yaml", "settings", "dropout", value=0.2)
    edit(project, "demo.yaml", "settings", "steps", value=9000)
    edit(project, "demo.yaml", "runs", value={"base": {"h": 2}, "big": {"dropout": 0.25}})
    settings = load(project)
    base, big, row = (settings.run(run, "en-fr") for run in ("base", "big", "D-dropout0.0"))
    assert [run["training"]["steps"] for run in (base, big, row)] == [9000, 3000, 9000]
    assert [run["model"]["dropout"] for run in (base, big, row)] == [0.2, 0.25, 0.0]
    assert [run["model"]["h"] for run in (base, big, row)] == [2, 16, 2]


def test_the_extra_rows_are_those_that_the_user_asks_for() -> None:
    t2t, layers = ["t2t-1.0.3", "t2t-1.0.3-big"], ["recurrent", "convolutional", "restricted"]
    paper = ["base", "big"]
    assert load().project_runs == [*t2t, *layers]
    assert load().table2_runs == load(t2t_rows="false", layer_rows=False).table2_runs == paper
    assert load(t2t_rows="true").table2_runs == [*paper, *t2t]
    assert load(layer_rows=True, t2t_rows=True).table2_runs == [*paper, *t2t, *layers]


@given(value=st.integers(1, 10**6), divisor=st.floats(1, 10**4))
def test_division_rounds_to_at_least_one(value: int, divisor: float) -> None:
    divided = divide(value, divisor)
    assert divided >= 1
    assert divided == 1 or abs(divided - value / divisor) <= 0.5


def test_training_does_not_depend_on_decoding(project: Path) -> None:
    """Another beam size must not train anything again."""
    before = load(project)
    edit(project, "demo.yaml", "settings", "beam_size", value=7)
    after = load(project)
    assert after.run("base", "en-de") == before.run("base", "en-de")
    assert after.decoding("base", "en-de") != before.decoding("base", "en-de")


def test_a_newer_setting_trains_again_only_where_it_is_not_at_its_default(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = load(project)
    newer: Any = (Annotated[float, Field(gt=0)] | None, setting(None, "a setting", later=True))
    config = create_model("Newer", __base__=TrainingConfig, newer=newer)
    monkeypatch.setitem(GROUPS, "training", config)
    monkeypatch.setitem(SETTINGS, "newer", ("training", "newer", config.model_fields["newer"]))
    monkeypatch.setitem(DEFAULTS, "newer", None)
    monkeypatch.setattr(runs_file, "SomeSettings", some_settings())
    edit(project, "runs.yaml", "big", "newer", value=0.5)
    after = load(project)
    assert repr(after.run("base", "en-de")) == repr(before.run("base", "en-de"))  # in the same order
    big = before.run("big", "en-de")
    assert after.run("big", "en-de") == big | {"training": big["training"] | {"newer": 0.5}}
