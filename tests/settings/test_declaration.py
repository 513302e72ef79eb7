"""The declared settings: what each rule refuses, and that other files agree with them."""

from dataclasses import fields

import pytest
from configuration import ROOT

from transformer.common.declared import schema_of, setting
from transformer.common.schema import problem
from transformer.common.yaml_files import read_yaml
from transformer.model.config import GROUPS
from transformer.settings.merging import DEFAULTS, SETTINGS


def test_every_default_keeps_to_its_rule() -> None:
    assert [key for key, value in DEFAULTS.items() if problem(value, schema_of(SETTINGS[key]), key)] == []


def test_another_default_than_that_of_models_without_the_setting_is_an_error() -> None:
    """It would change what their weights compute, without a training and without a word."""
    with pytest.raises(ValueError, match="must be 'relu', .*set 'gelu' in config/"):
        setting("gelu", "of the feed-forward networks", later="relu")


def test_what_is_no_setting_comes_from_the_data_or_the_seed() -> None:
    known = {own.name for own in SETTINGS.values()}
    others = {own.name for group in GROUPS.values() for own in fields(group)} - known
    assert others == {"vocab_size", "target_vocab_size", "seed"}


def test_the_paper_s_row_base_has_the_declared_defaults() -> None:
    base = read_yaml(ROOT / "config" / "runs.yaml")["base"]
    assert base.items() <= DEFAULTS.items()
