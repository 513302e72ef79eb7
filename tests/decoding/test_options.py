"""The command-line options of the scripts that decode."""

import argparse

import pytest

from transformer.common.errors import UserError
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.options import (
    add_beam_options,
    add_decoder_options,
    chosen_beam,
    chosen_compute_type,
)

PAPER = BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=50)


def parsed(*line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_beam_options(parser, PAPER)
    add_decoder_options(parser, "who searches")
    return parser.parse_args(line)


def test_the_paper_s_values_are_the_defaults() -> None:
    assert chosen_beam(parsed()) == PAPER


def test_values_of_the_command_line() -> None:
    arguments = parsed("--beam-size", "7", "--alpha", "1.5", "--max-extra-tokens", "9")
    assert chosen_beam(arguments) == BeamConfig(7, 1.5, 9)
    with pytest.raises(UserError, match="beam_size"):
        chosen_beam(parsed("--beam-size", "0"))


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        ([], None),
        (["--engine", "torch"], None),
        (["--engine", "ctranslate2"], "int8"),
        (["--engine", "ctranslate2", "--compute-type", "float32"], "float32"),
    ],
)
def test_the_numbers_of_the_engine(line: list[str], chosen: str | None) -> None:
    assert chosen_compute_type(parsed(*line)) == chosen


def test_a_compute_type_without_its_engine() -> None:
    """Our search would ignore it, and the user would take its output for that of int8."""
    with pytest.raises(UserError, match="--compute-type is for CTranslate2; add --engine ctranslate2"):
        chosen_compute_type(parsed("--compute-type", "int8"))
