"""The schema declares each setting once; the dataclasses and options that receive the settings agree with it."""

import typing
from dataclasses import fields
from typing import Any

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


def test_fields_are_the_keys_of_their_group() -> None:
    model = {field.name for field in fields(TransformerConfig)}
    assert model - {"vocab_size", "target_vocab_size"} == GROUPS["model"].keys() - {"max_positions"} | {
        "max_length"
    }
    assert {field.name for field in fields(TrainingConfig)} == GROUPS["training"].keys() | {"seed"}
    assert {field.name for field in fields(BeamConfig)} == GROUPS["decoding"].keys()


@pytest.mark.parametrize(
    ("group", "config", "key"),
    [
        ("model", TransformerConfig, "positions"),
        ("model", TransformerConfig, "encoder_layer"),
        ("training", TrainingConfig, "precision"),
    ],
)
def test_choices_are_those_of_the_field(group: str, config: Any, key: str) -> None:
    assert set(GROUPS[group][key]["enum"]) == set(typing.get_args(typing.get_type_hints(config)[key]))


def test_choices_of_the_engine_are_those_of_its_options() -> None:
    choices = {"decoder": Decoder, "compute_type": ComputeType}
    assert {key: set(GROUPS["engine"][key]["enum"]) for key in GROUPS["engine"]} == {
        key: set(typing.get_args(literal)) for key, literal in choices.items()
    }


def test_training_has_the_options_of_the_hardware() -> None:
    script = (ROOT / "src" / "training" / "train.py").read_text(encoding="utf-8")
    assert [key for key in GROUPS["hardware"] if f'"--{key.replace("_", "-")}"' not in script] == []


def test_every_group_is_part_of_the_schema() -> None:
    schema = read_yaml(ROOT / "workflow/schemas/settings.schema.yaml")
    declared = [key for group in GROUPS.values() for key in group]
    assert sorted(declared) == sorted(schema["properties"])
