"""The schema declares each setting once; the dataclasses and options that receive the settings agree with it."""

import typing
from dataclasses import fields

import pytest
from configuration import ROOT

from transformer.common.yaml_files import read_yaml
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.options import ComputeType, Decoder
from transformer.model.config import TransformerConfig
from transformer.training.trainer import TrainingConfig

GROUPS = {
    name: group["properties"]
    for name, group in read_yaml(ROOT / "workflow/schemas/settings.schema.yaml")["$defs"].items()
}
# The groups in config.json.
IN_CONFIG = {"model": fields(TransformerConfig), "training": fields(TrainingConfig)}


def test_fields_are_the_keys_of_their_group() -> None:
    model = {field.name for field in IN_CONFIG["model"]}
    assert model - {"vocab_size", "target_vocab_size"} == GROUPS["model"].keys() - {"max_positions"} | {
        "max_length"
    }
    assert {field.name for field in IN_CONFIG["training"]} == GROUPS["training"].keys() | {"seed"}
    assert {field.name for field in fields(BeamConfig)} == GROUPS["decoding"].keys()


@pytest.mark.parametrize("group", IN_CONFIG)
def test_choices_are_those_of_the_fields(group: str) -> None:
    literals = [field for field in IN_CONFIG[group] if typing.get_origin(field.type) is typing.Literal]
    assert literals
    assert {field.name: set(GROUPS[group][field.name]["enum"]) for field in literals} == {
        field.name: set(typing.get_args(field.type)) for field in literals
    }


@pytest.mark.parametrize("group", GROUPS)
def test_a_default_of_the_schema_is_that_of_the_field(group: str) -> None:
    """config.json leaves out a setting that has it.  Only settings that are in this file can have one."""
    declared = {key: own["default"] for key, own in GROUPS[group].items() if "default" in own}
    assert declared.items() <= {field.name: field.default for field in IN_CONFIG.get(group, ())}.items()


def test_choices_of_the_engine_are_those_of_its_options() -> None:
    choices = {"decoder": Decoder, "compute_type": ComputeType}
    assert {key: set(GROUPS["engine"][key]["enum"]) for key in GROUPS["engine"]} == {
        key: set(typing.get_args(literal)) for key, literal in choices.items()
    }


def test_training_has_the_options_of_the_hardware() -> None:
    script = (ROOT / "src" / "transformer" / "training" / "train.py").read_text(encoding="utf-8")
    assert [key for key in GROUPS["hardware"] if f'"--{key.replace("_", "-")}"' not in script] == []


def test_every_group_is_part_of_the_schema() -> None:
    schema = read_yaml(ROOT / "workflow/schemas/settings.schema.yaml")
    declared = [key for group in GROUPS.values() for key in group]
    assert sorted(declared) == sorted(schema["properties"])
