"""The command-line options of the scripts that decode."""

import argparse

import pytest

from transformer.common.errors import UserError
from transformer.decoding.beam_search import BeamConfig
from transformer.decoding.options import add_beam_options, chosen_beam

PAPER = BeamConfig(beam_size=4, alpha=0.6, max_extra_tokens=50)


def parsed(*line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_beam_options(parser, PAPER)
    return parser.parse_args(line)


def test_the_paper_s_values_are_the_defaults() -> None:
    assert chosen_beam(parsed()) == PAPER


def test_values_of_the_command_line() -> None:
    arguments = parsed("--beam-size", "7", "--alpha", "1.5", "--max-extra-tokens", "9")
    assert chosen_beam(arguments) == BeamConfig(7, 1.5, 9)
    with pytest.raises(UserError, match="beam_size"):
        chosen_beam(parsed("--beam-size", "0"))
