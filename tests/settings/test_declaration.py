"""The declared settings: what each rule refuses, and that other files agree with them."""

from dataclasses import MISSING, fields
from typing import Any

import pytest
from configuration import ROOT

from transformer.common.declared import schema_of, settings_of
from transformer.common.schema import problem
from transformer.common.yaml_files import read_yaml
from transformer.model.config import GROUPS
from transformer.settings.merging import DEFAULTS, SETTINGS


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("N", 0, "N is 0; it must be at least 1 and at most 1000"),
        ("N", 1001, "N is 1001; it must be at least 1 and at most 1000"),
        ("N", True, "N is True; it must be a whole number"),
        ("N", 2.0, "N is 2.0; it must be a whole number"),
        ("N", None, "N is None; it must be a whole number"),
        ("dropout", 1.0, "dropout is 1.0; it must be at least 0 and below 1"),
        ("dropout", 0, ""),
        ("dropout", True, "dropout is True; it must be a number"),
        ("adam_epsilon", 0.0, "adam_epsilon is 0.0; it must be above 0"),
        ("kernel_size", 4, "kernel_size is 4; it must be odd and at least 1 and at most 1048576"),
        ("kernel_size", 1, ""),
        ("deterministic", 1, "deterministic is 1; it must be true or false"),
        ("device", "tpu-7", "device is 'tpu-7'; it must be one of auto, cuda, cpu"),
        ("buckets_per_doubling", 8, ""),
        ("buckets_per_doubling", None, ""),
        ("buckets_per_doubling", True, "buckets_per_doubling is True; it must be one of 1, 2, 4, 8 or null"),
        ("processes", "auto", ""),
        ("processes", "all", "processes is 'all'; it must be a whole number or auto"),
        ("vocabulary_rows", "1", "vocabulary_rows is '1'; it must be a whole number or null"),
    ],
)
def test_values(key: str, value: Any, expected: str) -> None:
    assert (problem(value, schema_of(SETTINGS[key]), key) or "") == expected


def test_every_default_keeps_to_its_rule() -> None:
    assert [key for key, value in DEFAULTS.items() if problem(value, schema_of(SETTINGS[key]), key)] == []


def test_no_two_groups_have_a_setting_of_one_name() -> None:
    assert len(SETTINGS) == sum(len(settings_of(group)) for group in GROUPS.values())


def test_what_is_no_setting_comes_from_the_data_or_the_seed() -> None:
    known = {own.name for own in SETTINGS.values()}
    others = {own.name for group in GROUPS.values() for own in fields(group)} - known
    assert others == {"vocab_size", "target_vocab_size", "seed"}


def test_the_paper_s_row_base_has_the_declared_defaults() -> None:
    base = read_yaml(ROOT / "config" / "runs.yaml")["base"]
    assert base.items() <= DEFAULTS.items()


def test_each_scale_gives_what_has_no_default() -> None:
    needed = {key for key, own in SETTINGS.items() if own.default is MISSING}
    for scale in ("demo", "small", "paper"):
        assert needed <= read_yaml(ROOT / "config" / f"{scale}.yaml")["settings"].keys()


def test_training_has_the_options_of_the_hardware() -> None:
    script = (ROOT / "src" / "transformer" / "training" / "train.py").read_text(encoding="utf-8")
    options = [f'"--{key.replace("_", "-")}"' for key in settings_of(GROUPS["hardware"])]
    assert [option for option in options if option not in script] == []
