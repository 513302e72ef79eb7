"""The declared settings: what each rule refuses, and that other files agree with them."""

from configuration import ROOT

from transformer.common.checked import checked
from transformer.common.yaml_files import read_yaml
from transformer.settings.merging import DEFAULTS, SETTINGS, SomeSettings
from transformer.settings.run_settings import GROUPS, about


def test_every_default_keeps_to_its_rule() -> None:
    assert checked(SomeSettings, DEFAULTS, "the defaults").model_dump(exclude_unset=True) == DEFAULTS


def test_models_without_a_later_setting_have_its_default() -> None:
    """Another default would change what their weights compute, without a training and without a word."""
    later = {key: field.default for key, (_, _, field) in SETTINGS.items() if about(field)["later"]}
    assert later == {"activation": "relu", "nbest": 1}


def test_what_is_no_setting_comes_from_the_data_or_the_seed() -> None:
    others = {name for group in GROUPS.values() for name in group.model_fields.keys() - group.settings()}
    assert others == {"vocab_size", "target_vocab_size", "seed"}


def test_the_paper_s_row_base_has_the_declared_defaults() -> None:
    base = read_yaml(ROOT / "config" / "runs.yaml")["base"]
    assert base.items() <= DEFAULTS.items()
